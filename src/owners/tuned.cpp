// SPDX-License-Identifier: Apache-2.0
#include "owners/tuned.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

/// The directories of TuneD profiles, in its older and its newer layout; /etc shadows /usr.
constexpr std::string_view kProfileDirectories[] = {"/etc/tuned/profiles", "/etc/tuned",
                                                    "/usr/lib/tuned/profiles", "/usr/lib/tuned"};
constexpr std::size_t kMaxProfiles = 16;

bool is_profile_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && !has_control_characters(name) &&
         name.find('/') == name.npos;
}

class ProfileReader {
 public:
  explicit ProfileReader(const conf::Files& files) : files_(files) {}

  void add(const std::string& profile) {
    if (!is_profile_name(profile) || seen_.size() >= kMaxProfiles) return;
    if (!seen_.insert(profile).second) return;
    for (const std::string_view directory : kProfileDirectories) {
      const auto file = files_.read(cat(directory, "/", profile, "/tuned.conf"));
      if (!file) continue;
      add_file(*file);
      return;
    }
  }

  std::vector<TunedFile> take() { return std::move(found_); }

 private:
  void add_file(const conf::FoundFile& file) {
    TunedFile tuned{file.path, {}, {}};
    const std::vector<conf::IniLine> all = conf::read_ini(file.text);
    // A section is named after its plugin unless it sets `type`.
    std::map<std::string, std::string> plugin_of;
    for (const conf::IniLine& one : all) plugin_of.emplace(one.section, one.section);
    for (const conf::IniLine& one : all) {
      if (one.key == "type") plugin_of[one.section] = one.value;
    }
    for (const conf::IniLine& one : all) {
      if (plugin_of[one.section] == "net") tuned.net.push_back(one);
      if (one.section == "main" && one.key == "include") {
        std::string names(one.value);
        std::ranges::replace(names, ',', ' ');
        for (const std::string_view name : words(names)) add(std::string(name));
      }
      if (one.section != "sysctl") continue;
      // Keys have one spelling everywhere, that of the sysctl.d reader.
      for (kinds::sysctl::SysctlLine& line :
           kinds::sysctl::read_sysctl_d(cat(one.key, "=", one.value))) {
        line.line = one.line;
        tuned.lines.push_back(std::move(line));
      }
    }
    if (!tuned.lines.empty() || !tuned.net.empty()) found_.push_back(std::move(tuned));
  }

  const conf::Files& files_;
  std::set<std::string> seen_;
  std::vector<TunedFile> found_;
};

}  // namespace

std::optional<Tuned> active_tuned(const conf::Files& files) {
  const auto active = files.read("/etc/tuned/active_profile");
  if (!active) return std::nullopt;
  Tuned tuned;
  tuned.profile = std::string(trim(active->text));
  if (tuned.profile.empty() || has_control_characters(tuned.profile)) return std::nullopt;
  if (const auto main = files.read("/etc/tuned/tuned-main.conf")) {
    for (const conf::IniLine& one : conf::read_ini(main->text)) {
      if (one.key != "reapply_sysctl") continue;
      tuned.reapplies_sysctl_d = one.value == "1" || one.value == "True" || one.value == "true";
    }
  }
  ProfileReader reader(files);
  for (const std::string_view name : words(tuned.profile)) reader.add(std::string(name));
  tuned.files = reader.take();
  return tuned;
}

}  // namespace nettune::owners
