// SPDX-License-Identifier: Apache-2.0
#include "owners/network_files.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

/// NETWORK_DIRS (src/libsystemd-network/network-common.h), expanded as in CONF_PATHS.
constexpr std::array<std::string_view, 5> kNetworkDirectories = {
    "/etc/systemd/network", "/run/systemd/network", "/usr/local/lib/systemd/network",
    "/usr/lib/systemd/network", "/lib/systemd/network"};

void add_lines(const conf::FoundFile& file, NetworkFile& network) {
  for (conf::IniLine& line : conf::read_ini(file.text, conf::Joining::backslash)) {
    network.lines.push_back({std::move(line), file.path});
  }
}

/// The list of a [Match] key: an empty value resets it, and a leading '!' negates all words of its
/// line (config_parse_match_strv() in src/shared/net-condition.c).
std::vector<std::string> listed(const NetworkFile& file, std::string_view key) {
  std::vector<std::string> list;
  for (const NetworkFile::Line& line : file.lines) {
    if (line.section != "Match" || line.key != key) continue;
    if (line.value.empty()) list.clear();
    const bool inverts = line.value.starts_with('!');
    for (const std::string_view word :
         words(std::string_view(line.value).substr(inverts ? 1 : 0))) {
      list.push_back(cat(inverts ? "!" : "", unquoted(word)));
    }
  }
  return list;
}

/// net_condition_test_strv(): an empty list matches everything, "!" wins, and a list of negated
/// words only matches everything else.
bool fits(const std::vector<std::string>& patterns, const std::string& text) {
  if (patterns.empty()) return true;
  bool found = false;
  bool asks = false;
  for (const std::string& pattern : patterns) {
    const bool inverts = pattern.starts_with('!');
    if (!inverts) asks = true;
    if (text.empty() || !glob_match(pattern.substr(inverts ? 1 : 0), text)) continue;
    if (inverts) return false;
    found = true;
  }
  return asks ? found : true;
}

/// The names that systemd's default .link policies would give.
std::vector<std::string> alternative_names(const Link& link) {
  std::vector<std::string> names;
  for (const char* key :
       {"ID_NET_NAME_ONBOARD", "ID_NET_NAME_SLOT", "ID_NET_NAME_PATH", "ID_NET_NAME_MAC"}) {
    if (std::string name = link.udev_property(key); !name.empty()) names.push_back(std::move(name));
  }
  return names;
}

/// networkd matches all names. udev matches the kernel's name; if the interface was renamed since,
/// the database has the file that udev used.
bool name_fits(const NetworkFile& file, const Link& link, std::string_view key) {
  const auto patterns = listed(file, key);
  if (fits(patterns, link.facts.name)) return true;
  if (key == "OriginalName") return link.udev_property("ID_NET_LINK_FILE") == file.path;
  return std::ranges::any_of(alternative_names(link),
                             [&](const std::string& name) { return fits(patterns, name); });
}

bool mac_fits(const NetworkFile& file, std::string_view key, const std::string& mac) {
  const auto wanted = listed(file, key);
  return wanted.empty() ||
         std::ranges::any_of(wanted, [&](const std::string& one) { return same_mac(one, mac); });
}

/// The driver name that ethtool reports for the kind, which is what networkd matches.
std::string driver_of(const LinkFacts& link) {
  if (!link.driver.empty()) return link.driver;
  if (link.kind == "bond") return "bonding";
  if (link.kind == "vlan") return "802.1Q VLAN Support";
  return link.kind;
}

/// net_get_type_string(): DEVTYPE if the driver sets one, otherwise the hardware type.
std::string type_of(const LinkFacts& link) {
  for (const char* kind : {"bond", "bridge", "vlan", "vxlan", "macvlan", "ipvlan"}) {
    if (link.kind == kind) return kind;
  }
  return link.link_layer == "Ethernet" ? "ether" : lower(link.link_layer);
}

bool properties_fit(const NetworkFile& file, const Link& link) {
  return std::ranges::all_of(listed(file, "Property"), [&](const std::string& pattern) {
    const bool inverts = pattern.starts_with('!');
    const std::size_t start = inverts ? 1 : 0;
    const std::size_t equals = pattern.find('=');
    if (equals == pattern.npos) return false;
    const auto found = link.udev.find(pattern.substr(start, equals - start));
    const bool has =
        found != link.udev.end() && glob_match(pattern.substr(equals + 1), found->second);
    return inverts ? !has : has;
  });
}

bool asks(const NetworkFile& file, std::span<const std::string_view> keys) {
  return std::ranges::any_of(file.lines, [&](const NetworkFile::Line& line) {
    return line.section == "Match" && !line.value.empty() &&
           std::ranges::find(keys, line.key) != keys.end();
  });
}

constexpr std::array<std::string_view, 7> kNotJudged = {
    "Host",         "Virtualization", "KernelCommandLine", "KernelVersion",
    "Architecture", "Firmware",       "Credential"};
constexpr std::array<std::string_view, 3> kWireless = {"WLANInterfaceType", "SSID", "BSSID"};
constexpr std::array<std::string_view, 7> kOthers = {
    "MACAddress", "PermanentMACAddress", "Path", "Driver", "Type", "Kind", "Property"};

}  // namespace

std::vector<NetworkFile> read_network_files(const conf::Files& files, std::string_view suffix) {
  std::vector<NetworkFile> found;
  for (const conf::FoundFile& file : files.drop_ins(kNetworkDirectories, suffix)) {
    NetworkFile network{file.path, {}};
    add_lines(file, network);
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    std::vector<std::string> paths;
    for (const std::string_view directory : kNetworkDirectories) {
      paths.push_back(cat(directory, "/", name, ".d"));
    }
    const std::vector<std::string_view> directories(paths.begin(), paths.end());
    for (const conf::FoundFile& drop_in : files.drop_ins(directories)) add_lines(drop_in, network);
    found.push_back(std::move(network));
  }
  return found;
}

Match match(const NetworkFile& file, const Link& link, std::string_view name_key) {
  // A file without any condition is skipped; it does not match all (network_verify()).
  const std::array<std::string_view, 1> names = {name_key};
  if (!asks(file, names) && !asks(file, kOthers) && !asks(file, kNotJudged)) return Match::no;
  if (asks(file, kWireless)) return Match::no;
  const LinkFacts& facts = link.facts;
  const bool fit = name_fits(file, link, name_key) && mac_fits(file, "MACAddress", facts.mac) &&
                   mac_fits(file, "PermanentMACAddress", facts.permanent_mac) &&
                   fits(listed(file, "Path"), link.udev_property("ID_PATH")) &&
                   fits(listed(file, "Driver"), driver_of(facts)) &&
                   fits(listed(file, "Type"), type_of(facts)) &&
                   fits(listed(file, "Kind"), facts.kind) && properties_fit(file, link);
  if (!fit) return Match::no;
  return asks(file, kNotJudged) ? Match::maybe : Match::yes;
}

std::optional<std::string> parse_size(std::string_view text) {
  std::int64_t unit = 1;
  if (!text.empty()) {
    constexpr std::string_view kUnits = "BKMG";
    if (const std::size_t at = kUnits.find(text.back()); at != kUnits.npos) {
      for (std::size_t i = 0; i < at; ++i) unit *= 1024;
      text = trim(text.substr(0, text.size() - 1));
    }
  }
  const auto number = parse_int(text);
  constexpr std::int64_t kLargest = 0xffffffff;
  if (!number || *number < 0 || *number > kLargest / unit) return std::nullopt;
  return cat(*number * unit);
}

std::optional<bool> parse_boolean(std::string_view text) {
  const std::string word = lower(text);
  for (const char* yes : {"1", "yes", "y", "true", "t", "on"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"0", "no", "n", "false", "f", "off"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

}  // namespace nettune::owners
