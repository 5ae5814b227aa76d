// SPDX-License-Identifier: Apache-2.0
#include "owners/tuned.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

/// Where profiles of TuneD stand, in its older and its newer layout; /etc shadows /usr.
constexpr std::string_view kDirectories[] = {"/etc/tuned/profiles", "/etc/tuned",
                                             "/usr/lib/tuned/profiles", "/usr/lib/tuned"};
constexpr std::size_t kMaxProfiles = 16;

struct Assignment {
  std::string_view section;
  std::string_view key;
  std::string_view value;
  int line = 0;
};

std::vector<Assignment> read_ini(std::string_view text) {
  std::vector<Assignment> found;
  std::string_view section;
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      section = line.substr(1, line.find(']') == line.npos ? line.npos : line.find(']') - 1);
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == line.npos) continue;
    found.push_back({section, trim(line.substr(0, equals)), trim(line.substr(equals + 1)), number});
  }
  return found;
}

bool is_profile_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && !has_control_characters(name) &&
         name.find('/') == name.npos;
}

class Reader {
 public:
  explicit Reader(const Files& files) : files_(files) {}

  void add(const std::string& profile) {
    if (!is_profile_name(profile) || seen_.size() >= kMaxProfiles) return;
    if (!seen_.insert(profile).second) return;
    for (const std::string_view directory : kDirectories) {
      const auto file = files_.read(cat(directory, "/", profile, "/tuned.conf"));
      if (!file) continue;
      add_file(*file);
      return;
    }
  }

  std::vector<TunedFile> take() { return std::move(found_); }

 private:
  void add_file(const FoundFile& file) {
    TunedFile tuned{file.path, {}};
    for (const Assignment& one : read_ini(file.text)) {
      if (one.section == "main" && one.key == "include") {
        std::string names(one.value);
        std::ranges::replace(names, ',', ' ');
        for (const std::string_view name : words(names)) add(std::string(name));
      }
      if (one.section != "sysctl") continue;
      // One spelling for keys, as everywhere: the reader of sysctl.d has it.
      for (formats::SysctlLine& line : formats::read_sysctl_d(cat(one.key, "=", one.value))) {
        line.line = one.line;
        tuned.lines.push_back(std::move(line));
      }
    }
    if (!tuned.lines.empty()) found_.push_back(std::move(tuned));
  }

  const Files& files_;
  std::set<std::string> seen_;
  std::vector<TunedFile> found_;
};

}  // namespace

std::optional<Tuned> active_tuned(const Files& files) {
  const auto active = files.read("/etc/tuned/active_profile");
  if (!active) return std::nullopt;
  Tuned tuned;
  tuned.profile = std::string(trim(active->text));
  if (tuned.profile.empty() || has_control_characters(tuned.profile)) return std::nullopt;
  if (const auto main = files.read("/etc/tuned/tuned-main.conf")) {
    for (const Assignment& one : read_ini(main->text)) {
      if (one.key != "reapply_sysctl") continue;
      tuned.reapplies_sysctl_d = one.value == "1" || one.value == "True" || one.value == "true";
    }
  }
  Reader reader(files);
  for (const std::string_view name : words(tuned.profile)) reader.add(std::string(name));
  tuned.files = reader.take();
  return tuned;
}

}  // namespace nettune::owners
