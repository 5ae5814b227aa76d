// SPDX-License-Identifier: Apache-2.0
#include "owners/shell_commands.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "kinds/sysctl/sysctl_d.hpp"

namespace nettune::owners {
namespace {

using Words = std::vector<std::string>;

/// Splits into simple commands, each a list of words, with the name inserted and quotes removed.
std::vector<Words> simple_commands(std::string_view line, const std::string& interface) {
  std::vector<Words> commands(1);
  for (const std::string_view raw : words(line)) {
    std::string word;
    for (const char c : raw) {
      if (c != '"' && c != '\'') word += c;
    }
    for (const std::string_view name : {"${IFACE}", "$IFACE", "%iface%"}) {
      if (const std::size_t at = word.find(name); at != word.npos) {
        word.replace(at, name.size(), interface);
      }
    }
    if (word == "&&" || word == "||" || word == ";") {
      commands.emplace_back();
      continue;
    }
    const bool ends = word.ends_with(';');
    if (ends) word.pop_back();
    if (!word.empty()) commands.back().push_back(std::move(word));
    if (ends) commands.emplace_back();
  }
  return commands;
}

std::string program(const Words& command) {
  return command.empty() ? std::string() : command[0].substr(command[0].rfind('/') + 1);
}

/// The values after the words "mtu" and "txqueuelen".
void add_link(std::string_view device, std::span<const std::string> rest,
              std::vector<CommandEffect>& effects) {
  for (std::size_t i = 0; i + 1 < rest.size(); ++i) {
    const bool mtu = rest[i] == "mtu";
    if (!mtu && rest[i] != "txqueuelen" && rest[i] != "txqlen") continue;
    if (!is_integer(rest[i + 1])) continue;
    effects.push_back({{cat("link:", device, mtu ? ":mtu" : ":txqueuelen")}, rest[i + 1]});
  }
}

void add_ip(const Words& command, std::vector<CommandEffect>& effects) {
  std::size_t i = 1;
  while (i < command.size() && command[i].starts_with('-')) ++i;
  if (i + 2 >= command.size()) return;
  if (!std::string_view("link").starts_with(command[i]) || command[i + 1] != "set") return;
  i += 2;
  if (command[i] == "dev") ++i;
  if (i >= command.size()) return;
  add_link(command[i], std::span(command).subspan(i + 1), effects);
}

void add_sysctl(std::string_view assignment, std::vector<CommandEffect>& effects) {
  for (const formats::SysctlLine& line : formats::read_sysctl_d(assignment)) {
    if (!line.excludes) effects.push_back({{cat("sysctl:", line.key)}, line.value});
  }
}

/// Reads "echo VALUE > /proc/sys/net/...".
void add_echo(const Words& command, std::vector<CommandEffect>& effects) {
  constexpr std::string_view kTree = "/proc/sys/";
  for (std::size_t i = 2; i < command.size(); ++i) {
    std::string_view word = command[i];
    const bool alone = word == ">";
    if (!alone && !word.starts_with('>')) continue;
    if (alone && i + 1 == command.size()) return;
    const std::string_view path = alone ? std::string_view(command[i + 1]) : word.substr(1);
    if (!path.starts_with(kTree)) return;
    const std::span<const std::string> values = std::span(command).subspan(1, i - 1);
    add_sysctl(cat(path.substr(kTree.size()), "=", join(values, " ")), effects);
    return;
  }
}

}  // namespace

std::vector<CommandEffect> command_effects(std::string_view line, const std::string& interface) {
  std::vector<CommandEffect> effects;
  for (const Words& command : simple_commands(line, interface)) {
    const std::string name = program(command);
    if (name == "ip") add_ip(command, effects);
    if (name == "ifconfig" && command.size() > 1) {
      add_link(command[1], std::span(command).subspan(2), effects);
    }
    if (name == "echo") add_echo(command, effects);
    if (name != "sysctl") continue;
    for (const std::string& word : command) {
      if (!word.starts_with('-') && word.find('=') != word.npos) add_sysctl(word, effects);
    }
  }
  return effects;
}

}  // namespace nettune::owners
