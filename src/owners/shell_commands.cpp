// SPDX-License-Identifier: Apache-2.0
#include "owners/shell_commands.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "kinds/ethtool/grammar.hpp"
#include "kinds/sysctl/sysctl_d.hpp"
#include "kinds/sysfs/table.hpp"

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
  for (const kinds::sysctl::SysctlLine& line : kinds::sysctl::read_sysctl_d(assignment)) {
    if (!line.excludes) effects.push_back({{cat("sysctl:", line.key)}, line.value});
  }
}

/// The options of ethtool that set what nettune sets, and the beginning of nettune's keys.
struct EthtoolOption {
  std::string_view option;
  std::string_view longer;
  std::string_view prefix;
};
constexpr auto kEthtoolOptions = std::to_array<EthtoolOption>({
    {"-G", "--set-ring", "ring-"},
    {"-L", "--set-channels", "channels-"},
    {"-C", "--coalesce", "coalesce-"},
    {"-A", "--pause", "pause-"},
    {"-K", "--features", "feature-"},
    {"-K", "--offload", "feature-"},
    {"", "--set-priv-flags", "flag-"},
});

/// ethtool's old names of features, and the kernel's (off_flag_def[] in ethtool.c).
constexpr auto kShortFeatures = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"rx", "rx-checksum"},
     {"sg", "tx-scatter-gather"},
     {"tso", "tx-tcp-segmentation"},
     {"gso", "tx-generic-segmentation"},
     {"gro", "rx-gro"},
     {"lro", "rx-lro"},
     {"rxvlan", "rx-vlan-hw-parse"},
     {"txvlan", "tx-vlan-hw-insert"},
     {"ntuple", "rx-ntuple-filter"},
     {"rxhash", "rx-hashing"}});

void add_ethtool(const Words& command, std::vector<CommandEffect>& effects) {
  if (command.size() < 5) return;
  const auto* const found = std::ranges::find_if(kEthtoolOptions, [&](const EthtoolOption& one) {
    return (!one.option.empty() && command[1] == one.option) || command[1] == one.longer;
  });
  if (found == kEthtoolOptions.end()) return;
  for (std::size_t i = 3; i + 1 < command.size(); i += 2) {
    std::string_view name = command[i];
    if (found->prefix == "feature-") {
      const auto* const old = std::ranges::find(
          kShortFeatures, name, &std::pair<std::string_view, std::string_view>::first);
      if (old != kShortFeatures.end()) name = old->second;
    }
    const std::string key = cat(found->prefix, name);
    if (kinds::ethtool::ethtool_value(key))
      effects.push_back({{cat("ethtool:", command[2], ":", key)}, command[i + 1]});
  }
}

/// A file of sysfs that nettune also sets. Masks of CPUs are written in another form than
/// nettune's.
void add_sysfs(std::string_view path, const std::string& value,
               std::vector<CommandEffect>& effects) {
  constexpr std::string_view kLinks = "class/net/";
  std::string_view device;
  if (path.starts_with(kLinks)) {
    device = path.substr(kLinks.size());
    const std::string_view rest = device.substr(std::min(device.find('/'), device.size()));
    device = device.substr(0, device.size() - rest.size());
    for (const auto& [file, part] :
         {std::pair("/mtu", ":mtu"), std::pair("/tx_queue_len", ":txqueuelen")})
      if (rest == file && is_integer(value))
        effects.push_back({{cat("link:", device, part)}, value});
  }
  for (const kinds::sysfs::SysfsRow& row : kinds::sysfs::sysfs_rows()) {
    std::string pattern(row.pattern);
    if (const std::size_t at = pattern.find("{}"); at != pattern.npos)
      pattern.replace(at, 2, device);
    if (!glob_match(pattern, path) && pattern != path) continue;
    effects.push_back(
        {{row.of_interface() ? cat("sysfs:", device, ":", row.key) : cat("sysfs:", row.key)},
         row.form == kinds::sysfs::SysfsForm::cpus ? "" : value});
  }
}

/// Reads "echo VALUE > /proc/sys/net/..." and "echo VALUE | tee /sys/...".
void add_echo(const Words& command, std::vector<CommandEffect>& effects) {
  constexpr std::string_view kSysctls = "/proc/sys/";
  constexpr std::string_view kSysfs = "/sys/";
  for (std::size_t i = 2; i < command.size(); ++i) {
    std::string_view word = command[i];
    std::size_t at = i;
    if (word == "|" && i + 2 < command.size() && command[i + 1] == "tee")
      at = i + 2;
    else if (word == ">" && i + 1 < command.size())
      at = i + 1;
    else if (word.starts_with('>') && word.size() > 1)
      word.remove_prefix(1);
    else
      continue;
    const std::string_view path = at == i ? word : std::string_view(command[at]);
    const std::span<const std::string> values = std::span(command).subspan(1, i - 1);
    const std::string value = join(values, " ");
    if (path.starts_with(kSysctls))
      add_sysctl(cat(path.substr(kSysctls.size()), "=", value), effects);
    else if (path.starts_with(kSysfs))
      add_sysfs(path.substr(kSysfs.size()), value, effects);
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
    if (name == "ethtool") add_ethtool(command, effects);
    if (name == "echo") add_echo(command, effects);
    if (name != "sysctl") continue;
    for (const std::string& word : command) {
      if (!word.starts_with('-') && word.find('=') != word.npos) add_sysctl(word, effects);
    }
  }
  return effects;
}

/// `sysctl --system` reads /etc/sysctl.conf last (procps 4, src/sysctl.c), and -f is -p.
std::vector<std::string> sysctl_files(std::string_view line) {
  constexpr std::string_view kDefault = "/etc/sysctl.conf";
  std::vector<std::string> files;
  for (const Words& command : simple_commands(line, "$IFACE")) {
    if (program(command) != "sysctl") continue;
    bool loads = false;
    std::vector<std::string> named;
    for (std::size_t i = 1; i < command.size(); ++i) {
      const std::string& word = command[i];
      const bool is_flags = word.starts_with('-') && !word.starts_with("--");
      if (word == "--system" || word == "--load" ||
          (is_flags && word.find_first_of("pf") != word.npos))
        loads = true;
      else if (word.starts_with("--load="))
        named.push_back(word.substr(7));
      else if (word.starts_with('/'))
        named.push_back(word);
    }
    if (loads && named.empty()) named.emplace_back(kDefault);
    if (loads || !named.empty()) files.insert(files.end(), named.begin(), named.end());
  }
  return files;
}

}  // namespace nettune::owners
