// SPDX-License-Identifier: Apache-2.0
#include "owners/hooks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "conf/units.hpp"
#include "kinds/sysctl/sysctl_d.hpp"
#include "owners/daemon.hpp"
#include "owners/shell_commands.hpp"
#include "owners/shell_scripts.hpp"

namespace nettune::owners {
namespace {

constexpr std::uint32_t kExecutable = 0111;

/// Who runs a command, and when.
struct Runner {
  std::string owner;
  std::string when;
  ScriptVariables variables = {};
};

/// Programs of the system are not scripts of the site. Nothing is gained by reading them.
bool may_be_script(std::string_view path) {
  static constexpr auto kPrograms = std::to_array<std::string_view>(
      {"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/lib/systemd/", "/usr/lib/systemd/"});
  return path.starts_with('/') && std::ranges::none_of(kPrograms, [&](std::string_view directory) {
           return path.starts_with(directory);
         });
}

bool is_shell(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "sh" || name == "bash" || name == "dash";
}

bool is_shell_script(const conf::FoundFile& file) {
  if (!file.text.starts_with("#!")) return false;
  const std::string_view line = std::string_view(file.text).substr(2, file.text.find('\n') - 2);
  return std::ranges::any_of(words(line), is_shell);
}

class HookFinder {
 public:
  HookFinder(const conf::Files& files, Rivals& rivals) : files_(files), rivals_(rivals) {}

  void of_the_node() {
    if (const auto file = files_.read("/etc/rc.local"); file && (file->mode & kExecutable) != 0)
      script(*file, {"rc.local", "it runs at boot"});
    conf::Units units(files_);
    for (const std::string& service : services_at_boot(files_))
      if (!service.starts_with("nettune")) unit(units, service);
    cron("/etc/crontab");
    for (const std::string& name : files_.names("/etc/cron.d", "")) cron(cat("/etc/cron.d/", name));
  }

  void of_link(const Link& link, const Interfaces& interfaces) {
    const std::string& name = link.facts.name;
    const auto stanzas = automatic_stanzas(files_, interfaces, link);
    const std::string when = cat("whenever it configures ", printable(name));
    if (!stanzas.empty())
      for (const char* const directory : {"/etc/network/if-pre-up.d", "/etc/network/if-up.d"})
        directory_of(
            directory,
            {"ifupdown", cat("ifup runs it ", when), {{"IFACE", {name}}, {"MODE", {"start"}}}});
    if (std::ranges::any_of(stanzas, [](const Stanza* one) { return one->method == "dhcp"; }))
      for (const char* const directory :
           {"/etc/dhcp/dhclient-enter-hooks.d", "/etc/dhcp/dhclient-exit-hooks.d"})
        sourced(directory, {"dhclient",
                            cat("dhclient runs it ", when),
                            {{"interface", {name}}, {"reason", {"BOUND"}}}});
    if (dispatches_networkd())
      for (const char* const root : {"/etc/networkd-dispatcher", "/usr/lib/networkd-dispatcher"})
        for (const char* const state :
             {"no-carrier", "carrier", "degraded", "routable", "configuring", "configured"})
          directory_of(cat(root, '/', state, ".d"),
                       {"networkd-dispatcher",
                        cat("networkd-dispatcher runs it when ", printable(name), " is ", state),
                        {{"IFACE", {name}}}});
    if (starts_at_boot(files_, "NetworkManager.service"))
      for (const char* const root :
           {"/etc/NetworkManager/dispatcher.d", "/usr/lib/NetworkManager/dispatcher.d"})
        for (const auto& [part, action] : {std::pair("", "up"), std::pair("/pre-up.d", "pre-up")})
          directory_of(cat(root, part), {"NetworkManager",
                                         cat("NetworkManager's dispatcher runs it ", when),
                                         {{"1", {name}},
                                          {"2", {action}},
                                          {"DEVICE_IFACE", {name}},
                                          {"DEVICE_IP_IFACE", {name}},
                                          {"NM_DISPATCHER_ACTION", {action}}}});
  }

 private:
  bool dispatches_networkd() const { return starts_at_boot(files_, "networkd-dispatcher.service"); }

  void directory_of(const std::string& directory, const Runner& runner) {
    for (const std::string& name : files_.names(directory, "")) {
      const auto file = files_.read(cat(directory, "/", name));
      if (file && (file->mode & kExecutable) != 0) script(*file, runner);
    }
  }

  void sourced(const std::string& directory, const Runner& runner) {
    for (const std::string& name : files_.names(directory, ""))
      if (const auto file = files_.read(cat(directory, "/", name))) commands(*file, runner);
  }

  void script(const conf::FoundFile& file, const Runner& runner) {
    if (is_shell_script(file)) commands(file, runner);
  }

  void commands(const conf::FoundFile& file, const Runner& runner) {
    for (const ScriptCommand& command : script_commands(file.text, runner.variables))
      judge(file.path, command.line, command.text, command.sure, runner);
  }

  /// The commands of a service: a program with arguments, a line for a shell, or a script.
  void unit(conf::Units& units, const std::string& service) {
    const Runner runner{service, cat(service, " runs it when it starts")};
    std::vector<conf::UnitLine> starts;
    for (const conf::UnitLine& line : units.lines(service)) {
      if (line.section != "Service" || !line.key.starts_with("ExecStart")) continue;
      // An empty one takes back the lines before it: systemd.service(5).
      if (line.value.empty())
        std::erase_if(starts, [&](const conf::UnitLine& one) { return one.key == line.key; });
      else
        starts.push_back(line);
    }
    for (const conf::UnitLine& line : starts) {
      const std::size_t start = line.value.find_first_not_of("-@:+!|");
      if (start == line.value.npos) continue;
      const std::vector<std::string> word = conf::unit_words(line.value.substr(start));
      if (word.empty()) continue;
      const auto option = std::ranges::find(word, "-c");
      const bool shell = is_shell(word[0]);
      if (shell && option != word.end() && option + 1 != word.end()) {
        for (const ScriptCommand& command : script_commands(*(option + 1), {}))
          judge(line.file, line.line, command.text, command.sure, runner);
        continue;
      }
      const std::string& path = shell && word.size() > 1 ? word[1] : word[0];
      const auto file = may_be_script(path) ? files_.read(path) : std::nullopt;
      if (file)
        script(*file, runner);
      else
        judge(line.file, line.line, join(word, " "), true, runner);
    }
  }

  /// "@reboot USER COMMAND" of crontab(5).
  void cron(const std::string& path) {
    const auto file = starts_at_boot(files_, "cron.service") ? files_.read(path) : std::nullopt;
    if (!file) return;
    const Runner runner{"cron", "cron runs it at boot"};
    int number = 0;
    for (const std::string_view line : split(file->text, '\n')) {
      ++number;
      const auto word = words(line);
      if (word.size() < 3 || word[0] != "@reboot") continue;
      const std::string command(line.substr(line.find(word[1], word[0].size()) + word[1].size()));
      const std::string program(word[2]);
      const auto script_file = may_be_script(program) ? files_.read(program) : std::nullopt;
      if (script_file) {
        script(*script_file, runner);
        continue;
      }
      for (const ScriptCommand& one : script_commands(command, {}))
        judge(path, number, one.text, one.sure, runner);
    }
  }

  void judge(const std::string& file, int line, const std::string& command, bool sure,
             const Runner& runner) {
    std::string when = runner.when;
    if (!sure) when += ", under conditions that nettune cannot evaluate";
    for (CommandEffect& effect : command_effects(command, "$IFACE")) {
      const bool wins = sure && !effect.value.empty();
      rivals_.say({std::move(effect.address), runner.owner, file, line,
                   cat("runs \"", printable(command), "\""), std::move(effect.value), wins, when,
                   "change or remove the command"});
    }
    for (const std::string& path : sysctl_files(command)) {
      const auto loaded = files_.read(path);
      if (!loaded) continue;
      for (const kinds::sysctl::SysctlLine& set : kinds::sysctl::read_sysctl_d(loaded->text)) {
        if (set.excludes) continue;
        rivals_.say({{cat("sysctl:", set.key)},
                     runner.owner,
                     path,
                     set.line,
                     sets(set.key, set.value),
                     join_words(set.value),
                     sure,
                     cat(runner.owner, " loads the file with \"", printable(command), "\""),
                     "change or remove the line"});
      }
    }
  }

  static std::string join_words(std::string_view value) {
    std::vector<std::string> parts;
    for (const std::string_view word : words(value)) parts.emplace_back(word);
    return join(parts, " ");
  }

  const conf::Files& files_;
  Rivals& rivals_;
};

}  // namespace

void find_hooks(const conf::Files& files, const Interfaces& interfaces, std::span<const Link> links,
                Rivals& rivals) {
  HookFinder finder(files, rivals);
  finder.of_the_node();
  for (const Link& link : links) finder.of_link(link, interfaces);
}

}  // namespace nettune::owners
