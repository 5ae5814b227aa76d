// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/variable_places.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "conf/files.hpp"
#include "conf/ini.hpp"
#include "tools/nccl/scripts/shell_words.hpp"
#include "tools/nccl/scripts/unread_lines.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

using conf::FoundFile;
using Assignments = std::vector<Assignment>;

constexpr std::string_view kConfFile = "NCCL_CONF_FILE";
constexpr std::array<std::string_view, 4> kSystemd = {"/etc/systemd", "/run/systemd",
                                                      "/usr/local/lib/systemd", "/usr/lib/systemd"};
/// With configless Slurm, slurmd keeps a copy in /run.
constexpr std::array<std::string_view, 3> kSlurmConf = {
    "/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf", "/run/slurm/conf/slurm.conf"};

/// Reads "NAME=VALUE ..." after a key of systemd. % is a specifier, and %% is a percent sign.
Assignments read_systemd_list(const conf::IniLine& line, const std::string& file) {
  Assignments found = read_shell(cat("Environment=", line.value), file);
  for (Assignment& one : found) {
    one.line = line.line;
    std::string plain;
    for (std::size_t i = 0; i < one.value.size(); ++i) {
      if (one.value[i] == '%' && !std::string_view(one.value).substr(i + 1).starts_with('%'))
        one.computed = true;
      else if (one.value[i] == '%')
        ++i;
      plain += one.value[i];
    }
    if (!one.computed) one.value = plain;
  }
  return found;
}

/// The words of a list, without quotes.
std::vector<std::string> list_words(std::string_view text) {
  std::vector<std::string> found;
  for (const ShellCommand& command : split_shell(text))
    for (const ShellWord& word : command.words) found.push_back(word.text);
  return found;
}

class Collector {
 public:
  Collector(Disk& disk, const std::string& root, const Surroundings& surroundings)
      : files_(disk, root), around_(surroundings) {}

  NodePlaces collect() {
    places_.reads_conf_file = around_.reads_conf_file;
    if (!around_.conf_home.empty()) places_.user_conf = cat(around_.conf_home, "/.nccl.conf");
    env_files();
    managers();
    units();
    shells();
    slurm();
    add(Source::environment, read_environment(around_.environment));
    // This is last, because any of the others may set NCCL_CONF_FILE.
    confs();
    std::ranges::stable_sort(places_.all, {}, &VariablePlace::source);
    return std::move(places_);
  }

 private:
  std::optional<FoundFile> read(Source source, const std::string& path) {
    auto file = files_.read(path);
    if (!file && files_.exists(path)) {
      places_.notes.push_back(cat(path,
                                  " exists but cannot be read (no permission, not a file, or above "
                                  "1 MiB): what it sets is missing here"));
      places_.gaps.push_back({source, cat(path, " exists but cannot be read")});
    }
    return file;
  }

  /// Like Files::drop_ins(), but with notes on what cannot be read.
  std::vector<FoundFile> drop_ins(Source source, const std::vector<std::string>& directories) {
    const std::vector<std::string_view> views(directories.begin(), directories.end());
    std::vector<FoundFile> found = files_.drop_ins(views);
    for (const std::string& directory : directories)
      for (const std::string& name : files_.names(directory, ".conf")) {
        const std::string path = cat(directory, "/", name);
        if (std::ranges::find(found, path, &FoundFile::path) == found.end())
          (void)read(source, path);
      }
    return found;
  }

  /// Keeps the text for doubts_of().
  void keep(Source source, const FoundFile& file, bool followed = true) {
    places_.texts.push_back({source, file.path, file.text, followed});
  }

  void add(Source source, Assignments found, const std::string& unit = "") {
    for (Assignment& one : found) {
      if (one.for_one_command) continue;
      places_.all.push_back({source, std::move(one), unit});
    }
  }

  /// Enough to find the others.
  static constexpr std::size_t kGapsOfAFile = 10;

  void add_shell(Source source, const std::string& path) {
    const auto file = read(source, path);
    if (!file) return;
    keep(source, *file);
    std::vector<UnreadLine> unread;
    Assignments found = read_shell_steps(file->text, path, &unread);
    // One note covers all files that read other files.
    std::erase_if(unread, [](const UnreadLine& one) { return one.why == kAnotherFile; });
    for (std::size_t i = 0; i < std::min(unread.size(), kGapsOfAFile); ++i)
      places_.gaps.push_back(
          {source, cat(path, ":", unread[i].line, ": ", unread[i].text, ": ", unread[i].why)});
    if (unread.size() > kGapsOfAFile)
      places_.gaps.push_back(
          {source, cat(path, ": ", unread.size() - kGapsOfAFile, " more lines like these")});
    // Lines that a script writes into an nccl.conf are not its own variables.
    std::erase_if(found, [](const Assignment& one) { return one.kind != Kind::shell; });
    add(source, std::move(found));
  }

  void env_files() {
    if (const auto file = read(Source::env_file, "/etc/nettune/nccl.env"))
      add(Source::env_file, read_env_file(file->text, file->path));
    if (const auto file = read(Source::pam_conf, "/etc/security/pam_env.conf")) {
      keep(Source::pam_conf, *file);
      add(Source::pam_conf, read_pam_env(file->text, file->path));
    }
    if (const auto file = read(Source::pam_environment, "/etc/environment")) {
      keep(Source::pam_environment, *file);
      add(Source::pam_environment, read_env_file(file->text, file->path));
    }
    // In Debian, pam_env reads the first file for login, su and sshd, and the other one only for
    // sshd before Debian 13.
    for (const std::string& path :
         {std::string("/etc/default/locale"), cat(around_.home, "/.pam_environment")})
      if (const auto file = read(Source::pam_environment, path))
        keep(Source::pam_environment, *file, false);
  }

  /// Reads the file itself, and then its drop-ins (systemd-system.conf(5)).
  void manager(Source source, const std::string& name) {
    std::vector<FoundFile> found;
    for (const std::string_view directory : kSystemd)
      if (auto file = read(source, cat(directory, "/", name))) {
        found.push_back(std::move(*file));
        break;
      }
    std::vector<std::string> directories;
    for (const std::string_view directory : kSystemd)
      directories.push_back(cat(directory, "/", name, ".d"));
    std::ranges::move(drop_ins(source, directories), std::back_inserter(found));
    Assignments set;
    for (const FoundFile& file : found) {
      keep(source, file);
      for (const auto& line : conf::read_ini(file.text, conf::Joining::backslash)) {
        if (line.section != "Manager" || line.key != "DefaultEnvironment") continue;
        if (line.value.empty()) set.clear();
        std::ranges::move(read_systemd_list(line, file.path), std::back_inserter(set));
      }
    }
    add(source, std::move(set));
  }

  void managers() {
    manager(Source::system_manager, "system.conf");
    manager(Source::user_manager, "user.conf");
    const std::string own = cat(around_.home, "/.config/environment.d");
    std::vector<std::string> directories = {"/etc/environment.d", "/run/environment.d",
                                            "/usr/local/lib/environment.d",
                                            "/usr/lib/environment.d"};
    if (!around_.home.empty()) directories.insert(directories.begin(), own);
    for (const FoundFile& file : drop_ins(Source::environment_d, directories)) {
      keep(Source::environment_d, file);
      add(Source::environment_d, read_systemd_env_file(file.text, file.path));
    }
    for (const FoundFile& file : unit_drop_ins(Source::system_manager, "service"))
      keep(Source::system_manager, file, false);
  }

  struct Unit {
    Assignments set;
    std::vector<FoundFile> files;  ///< of EnvironmentFile=
    Assignments unset;             ///< NAME, or NAME=VALUE to unset only that value
  };

  void unit_file(const FoundFile& file, Unit& unit) {
    for (const auto& line : conf::read_ini(file.text, conf::Joining::backslash)) {
      if (line.section != "Service") continue;
      if (line.key == "Environment") {
        if (line.value.empty()) unit.set.clear();
        std::ranges::move(read_systemd_list(line, file.path), std::back_inserter(unit.set));
      } else if (line.key == "EnvironmentFile") {
        if (line.value.empty()) unit.files.clear();
        const std::string path = line.value.substr(line.value.starts_with('-') ? 1 : 0);
        if (path.empty()) continue;
        if (const auto named = read(Source::unit, path)) unit.files.push_back(*named);
      } else if (line.key == "UnsetEnvironment") {
        if (line.value.empty()) unit.unset.clear();
        for (const std::string& word : list_words(line.value)) {
          const std::size_t equals = word.find('=');
          Assignment& one = unit.unset.emplace_back();
          one.name = word.substr(0, equals);
          if (equals != word.npos) one.value = word.substr(equals + 1);
          one.file = file.path;
          one.line = line.line;
          one.removes = true;
        }
      }
    }
  }

  /// EnvironmentFile= wins over Environment=, and UnsetEnvironment= comes last (systemd.exec(5)).
  void add_unit(const std::string& name, Unit unit) {
    Assignments all = std::move(unit.set);
    for (const FoundFile& file : unit.files)
      std::ranges::move(read_systemd_env_file(file.text, file.path), std::back_inserter(all));
    for (Assignment& one : unit.unset) {
      const auto hit = [&](const Assignment& set) {
        return set.name == one.name && (one.value.empty() || set.value == one.value);
      };
      const bool always = one.value.empty();
      std::erase_if(all, hit);
      if (always) all.push_back(std::move(one));
    }
    add(Source::unit, std::move(all), name);
  }

  static constexpr std::array<std::string_view, 3> kUnits = {
      "/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"};

  std::set<std::string> units_with_drop_ins() const {
    std::set<std::string> units;
    for (const std::string_view directory : kUnits)
      for (const std::string& name : files_.names(std::string(directory), ".service.d"))
        units.insert(name.substr(0, name.size() - 2));
    return units;
  }

  /// Sorted by name across all directories (systemd.unit(5)). "service" has those of all services.
  std::vector<FoundFile> unit_drop_ins(Source source, const std::string& unit) {
    std::vector<std::string> directories;
    for (const std::string_view directory : kUnits)
      directories.push_back(cat(directory, "/", unit, ".d"));
    return drop_ins(source, directories);
  }

  /// Reads the services that the site configures: those in /etc and /run, and packaged ones with
  /// drop-ins.
  void units() {
    std::map<std::string, Unit> units;
    for (const std::string_view directory :
         {"/usr/lib/systemd/system", "/run/systemd/system", "/etc/systemd/system"})
      for (const std::string& name : files_.names(std::string(directory), ".service"))
        if (const auto file = read(Source::unit, cat(directory, "/", name))) {
          // A unit in /etc replaces the packaged one.
          units[name] = {};
          unit_file(*file, units[name]);
        }
    for (const std::string& name : units_with_drop_ins())
      for (const FoundFile& file : unit_drop_ins(Source::unit, name)) unit_file(file, units[name]);
    for (auto& [name, unit] : units) add_unit(name, std::move(unit));
  }

  void shells() {
    add_shell(Source::profile, "/etc/profile");
    add_shell(Source::bashrc, "/etc/bash.bashrc");
    for (const std::string& name : files_.names("/etc/profile.d", ".sh"))
      add_shell(Source::profile_d, cat("/etc/profile.d/", name));
    if (around_.home.empty()) return;
    for (const std::string_view name : {"/.bash_profile", "/.bash_login", "/.profile"}) {
      const std::string path = cat(around_.home, name);
      if (!files_.exists(path)) continue;
      add_shell(Source::user_profile, path);
      break;
    }
    add_shell(Source::user_bashrc, cat(around_.home, "/.bashrc"));
  }

  void slurm() {
    for (const std::string_view path : kSlurmConf) {
      if (!files_.exists(std::string(path))) continue;
      places_.has_slurm = true;
      slurm_conf(std::string(path), 0);
      return;
    }
  }

  /// An Include names a file in the same directory, or an absolute path (slurm.conf(5)).
  void slurm_conf(const std::string& path, int depth) {
    static constexpr int kMaxIncludeDepth = 8;
    const auto file = read(Source::task_prolog, path);
    if (!file) return;
    for (const std::string_view line : split(file->text, '\n')) {
      const std::string_view setting = trim(line.substr(0, line.find('#')));
      const std::size_t blank = setting.find_first_of(" \t");
      if (blank != setting.npos && lower(setting.substr(0, blank)) == "include") {
        const std::string named(trim(setting.substr(blank)));
        if (depth < kMaxIncludeDepth)
          slurm_conf(named.starts_with('/') ? named : cat(parent_path(path), "/", named),
                     depth + 1);
        continue;
      }
      const std::size_t equals = setting.find('=');
      if (equals == setting.npos || lower(trim(setting.substr(0, equals))) != "taskprolog")
        continue;
      std::string_view named = trim(setting.substr(equals + 1));
      if (named.size() > 1 && named.starts_with('"') && named.ends_with('"'))
        named = named.substr(1, named.size() - 2);
      if (!named.empty()) task_prolog(std::string(named), path);
    }
  }

  void task_prolog(const std::string& path, const std::string& conf) {
    const auto file = path.starts_with('/') ? read(Source::task_prolog, path) : std::nullopt;
    if (file)
      add(Source::task_prolog, read_printed_exports(file->text, path));
    else
      places_.notes.push_back(
          cat(conf, " names the TaskProlog ", path,
              ", which does not exist here: what it sets for tasks is not known"));
  }

  void add_relative(const Assignment& set) {
    places_.notes.push_back(
        cat("NCCL_CONF_FILE=", set.value,
            " is relative: each job looks for it in its own working directory"));
    places_.gaps.push_back({Source::user_conf, places_.notes.back()});
  }

  void confs() {
    std::vector<std::string> paths;
    if (!places_.user_conf.empty()) paths.push_back(places_.user_conf);
    if (around_.reads_conf_file)
      for (const VariablePlace& place : places_.all) {
        const Assignment& set = place.set;
        if (set.name != kConfFile || set.computed || set.value.empty()) continue;
        if (!set.value.starts_with('/'))
          add_relative(set);
        else if (std::ranges::find(paths, set.value) == paths.end())
          paths.push_back(set.value);
      }
    for (const std::string& path : paths)
      if (const auto file = read(Source::user_conf, path))
        add(Source::user_conf, read_conf(file->text, path));
    if (const auto file = read(Source::node_conf, "/etc/nccl.conf"))
      add(Source::node_conf, read_conf(file->text, file->path));
  }

  conf::Files files_;
  const Surroundings& around_;
  NodePlaces places_;
};

}  // namespace

NodePlaces collect_variable_places(Disk& disk, const std::string& root,
                                   const Surroundings& surroundings) {
  return Collector(disk, root, surroundings).collect();
}

}  // namespace nettune::tools::nccl::scripts
