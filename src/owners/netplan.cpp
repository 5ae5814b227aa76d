// SPDX-License-Identifier: Apache-2.0
#include "owners/netplan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "kinds/link/kind.hpp"

namespace nettune::owners {
namespace {

/// This mirrors netplan_netdef_write_networkd() and write_nm_conf_access_point() in src/networkd.c
/// and nm.c.
constexpr std::string_view kMade[] = {"/run/systemd/network/10-netplan-",
                                      "/run/NetworkManager/system-connections/netplan-"};

/// The definition ID that a file was made from: "eth0" of ".../10-netplan-eth0.network".
std::string made_from(std::string_view path) {
  for (const std::string_view prefix : kMade) {
    if (!path.starts_with(prefix)) continue;
    std::string_view id = path.substr(prefix.size());
    for (const std::string_view suffix : {".network", ".link", ".nmconnection"}) {
      if (id.ends_with(suffix)) return std::string(id.substr(0, id.size() - suffix.size()));
    }
  }
  return {};
}

/// The YAML key that leads to the setting.
std::string_view yaml_key(const Said& said) {
  if (kinds::link::kLink.has(said.address)) return said.value.empty() ? "dhcp4" : "mtu";
  if (said.address.rest().ends_with(".mtu")) return said.value.empty() ? "accept-ra" : "ipv6-mtu";
  return {};
}

/// An ID with unusual characters, escaped by g_uri_escape_string(), is not unescaped.
struct Place {
  std::string file;
  int line = 0;
  std::string value;
};

/// Reads one file in block style, as netplan, cloud-init and people write it: network / ethernets /
/// ID / key, each indented deeper than the one above. Nothing is found in any other style.
std::optional<Place> find_in(const conf::FoundFile& file, std::string_view id,
                             std::string_view key) {
  struct Level {
    std::size_t indent;
    std::string key;
  };
  std::vector<Level> path;
  std::optional<Place> found;
  int number = 0;
  for (const std::string_view raw : split(file.text, '\n')) {
    ++number;
    const std::size_t indent = raw.find_first_not_of(' ');
    if (indent == raw.npos) continue;
    std::string_view text = trim(raw);
    if (text.empty() || text[0] == '#' || text == "---") continue;
    const std::size_t comment = text.find(" #");
    text = trim(text.substr(0, comment));
    while (!path.empty() && path.back().indent >= indent) path.pop_back();
    const std::size_t colon = text.find(": ") != text.npos ? text.find(": ") : text.size() - 1;
    if (text[0] == '-' || text[colon] != ':') continue;
    path.push_back({indent, std::string(unquoted(trim(text.substr(0, colon))))});
    if (path.size() == 4 && path[0].key == "network" && path[2].key == id && path[3].key == key) {
      found = Place{file.path, number, std::string(unquoted(trim(text.substr(colon + 1))))};
    }
  }
  return found;
}

/// netplan(5): of files with the same name, the one in /run counts, then /etc, then /lib. All are
/// read by name, and a later file overrides an earlier one.
std::optional<Place> find_place(const conf::Files& files, std::string_view id,
                                std::string_view key) {
  constexpr std::string_view kDirectories[] = {"/run/netplan", "/etc/netplan", "/usr/lib/netplan",
                                               "/lib/netplan"};
  std::optional<Place> found;
  for (const conf::FoundFile& file : files.drop_ins(kDirectories, ".yaml")) {
    if (auto place = find_in(file, id, key)) found = std::move(place);
  }
  return found;
}

}  // namespace

void trace_netplan(const conf::Files& files, const Rivals& rivals, Said& said) {
  const std::string id = made_from(said.file);
  if (id.empty()) return;
  const std::string_view key = yaml_key(said);
  const auto place = key.empty() ? std::nullopt : find_place(files, id, key);
  said.owner = "netplan";
  if (!place) {
    said.when += ", and netplan made the file";
    said.remedy = "change it in /etc/netplan and run 'netplan apply'";
    return;
  }
  said.when += cat(" (netplan made ", printable(said.file), " from it)");
  said.file = place->file;
  said.line = place->line;
  said.says = sets(key, place->value);
  // A YAML that was edited since netplan ran takes effect at the next boot.
  if (!said.value.empty() && is_integer(place->value)) said.value = place->value;
  const std::string want = rivals.want(said.address);
  said.remedy = key == "dhcp4"       ? cat("add mtu: ", want, " there and run 'netplan apply'")
                : key == "accept-ra" ? cat("add ipv6-mtu: ", want, " there and run 'netplan apply'")
                                     : cat("set ", want, " there and run 'netplan apply'");
}

}  // namespace nettune::owners
