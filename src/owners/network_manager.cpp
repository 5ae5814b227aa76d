// SPDX-License-Identifier: Apache-2.0
#include "owners/network_manager.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "conf/ini.hpp"
#include "owners/daemon.hpp"
#include "owners/network_files.hpp"
#include "owners/network_manager_conf.hpp"

namespace nettune::owners {
namespace {

/// A connection profile: NetworkManager's keyfile format, nm-settings-keyfile(5).
struct Connection {
  std::string path;
  std::vector<conf::IniLine> lines;

  /// The last line counts, as in GKeyFile.
  const conf::IniLine* line(std::string_view section, std::string_view key) const {
    const conf::IniLine* found = nullptr;
    for (const conf::IniLine& line : lines) {
      if (line.section == section && line.key == key) found = &line;
    }
    return found;
  }
  std::string value(std::string_view section, std::string_view key) const {
    const conf::IniLine* found = line(section, key);
    return found ? found->value : std::string();
  }
  const conf::IniLine* of_hardware(std::string_view key) const {
    for (const char* section : {"ethernet", "802-3-ethernet", "infiniband"}) {
      if (const conf::IniLine* found = line(section, key)) return found;
    }
    return nullptr;
  }
  std::int64_t priority() const {
    return parse_int(value("connection", "autoconnect-priority")).value_or(0);
  }
};

/// Sorted as in nms-keyfile-storage.h: of profiles with one UUID the first counts.
constexpr std::string_view kConnectionDirectories[] = {
    "/run/NetworkManager/system-connections", "/etc/NetworkManager/system-connections",
    "/usr/lib/NetworkManager/system-connections"};

bool is_connection_name(std::string_view name, bool needs_suffix) {
  if (needs_suffix) return name.ends_with(".nmconnection") && name[0] != '.';
  return name[0] != '.' && !name.ends_with('~') && !name.ends_with(".nmmeta");
}

/// NetworkManager refuses a file that others may read
/// (nms_keyfile_utils_check_file_permissions_stat()).
std::vector<Connection> read_connections(const conf::Files& files) {
  std::vector<Connection> found;
  std::set<std::string> uuids;
  for (const std::string_view directory : kConnectionDirectories) {
    const bool in_etc = directory.starts_with("/etc");
    for (const std::string& name : files.names(std::string(directory), "")) {
      if (!is_connection_name(name, !in_etc)) continue;
      const auto file = files.read(cat(directory, "/", name));
      if (!file || (file->mode & 0077) != 0) continue;
      Connection connection{file->path, conf::read_ini(file->text)};
      const std::string uuid = connection.value("connection", "uuid");
      if (!uuid.empty() && !uuids.insert(uuid).second) continue;
      found.push_back(std::move(connection));
    }
  }
  return found;
}

std::vector<std::string> list(std::string_view text) {
  std::vector<std::string> items;
  for (const std::string_view item : split(text, ';')) {
    if (!trim(item).empty()) items.emplace_back(trim(item));
  }
  return items;
}

/// nm_wildcard_match_check(): every "&" must match, and one of the others; "!" alone means "&!".
bool wildcards_fit(const std::vector<std::string>& patterns, const std::string& text) {
  bool optional = false;
  bool fits = false;
  for (std::string_view pattern : patterns) {
    const bool either = pattern.starts_with('|');
    const bool must = pattern.starts_with('&');
    if (either || must) pattern.remove_prefix(1);
    const bool inverts = pattern.starts_with('!');
    if (inverts) pattern.remove_prefix(1);
    const bool match = glob_match(pattern, text) != inverts;
    if (must || (inverts && !either)) {
      if (!match) return false;
    } else {
      optional = true;
      fits = fits || match;
    }
  }
  return fits || !optional;
}

bool type_fits(const std::string& type, const LinkFacts& link) {
  if (type == "infiniband") return link.link_layer == "InfiniBand";
  if (type == "ethernet" || type == "802-3-ethernet" || type == "wired") {
    return link.link_layer == "Ethernet" && (link.kind.empty() || link.kind == "veth");
  }
  return !link.kind.empty() && type == link.kind;
}

/// This follows check_connection_compatible() in src/core/devices/nm-device.c and
/// nm-device-ethernet.c.
bool fits(const Connection& connection, const Link& link) {
  const LinkFacts& facts = link.facts;
  if (!type_fits(connection.value("connection", "type"), facts)) return false;
  const std::string name = connection.value("connection", "interface-name");
  if (name.empty() ? !facts.kind.empty() && facts.kind != "veth" : name != facts.name) return false;
  const std::string& mac = facts.permanent_mac.empty() ? facts.mac : facts.permanent_mac;
  if (const conf::IniLine* wanted = connection.of_hardware("mac-address");
      wanted && !wanted->value.empty() && !same_mac(wanted->value, mac)) {
    return false;
  }
  for (const char* key : {"mac-address-blacklist", "mac-address-denylist"}) {
    const conf::IniLine* denied = connection.of_hardware(key);
    if (denied && std::ranges::any_of(list(denied->value),
                                      [&](const std::string& one) { return same_mac(one, mac); })) {
      return false;
    }
  }
  const auto matched = [&](std::string_view key, const std::string& text) {
    return wildcards_fit(list(connection.value("match", key)), text);
  };
  return matched("interface-name", facts.name) && matched("driver", facts.driver) &&
         matched("path", link.udev_property("ID_PATH"));
}

class ConnectionFinder {
 public:
  ConnectionFinder(const conf::Files& files, const Interfaces& interfaces, Rivals& rivals)
      : files_(files),
        interfaces_(interfaces),
        rivals_(rivals),
        conf_(files),
        connections_(read_connections(files)),
        at_boot_(starts_at_boot(files, "NetworkManager.service")) {}

  void look_at(const Link& link) {
    const State state = state_of(link);
    if ((!at_boot_ && !state.seen) || !manages(link, state)) return;
    link_ = &link;
    manager_ = daemon_words("NetworkManager", at_boot_, state.seen);
    const auto chosen = candidates(state);
    sure_ = chosen.size() == 1 && (is_active(*chosen[0], state) || is_bound(*chosen[0]));
    for (const Connection* connection : chosen) {
      mtu(*connection);
      sysctls(*connection);
    }
  }

 private:
  /// The state that NetworkManager saved (nm_config_device_state_write() in src/core/nm-config.c).
  struct State {
    bool seen = false;
    std::optional<bool> managed;
    std::string uuid;
  };
  State state_of(const Link& link) const {
    State state;
    const auto file = files_.read(cat("/run/NetworkManager/devices/", link.facts.ifindex));
    if (!file) return state;
    for (const conf::IniLine& line : conf::read_ini(file->text)) {
      if (line.section != "device") continue;
      if (line.key == "managed") state.managed = parse_boolean(line.value);
      if (line.key == "connection-uuid") state.uuid = line.value;
    }
    state.seen = state.managed == true;
    return state;
  }

  bool manages(const Link& link, const State& state) const {
    if (link.facts.link_layer == "Loopback" || state.managed == false) return false;
    if (!state.managed && link.udev_property("NM_UNMANAGED") == "1") return false;
    return conf_.manages(link) && !left_to_ifupdown(link.facts.name);
  }

  /// Debian's NetworkManager.conf has plugins=ifupdown,keyfile and [ifupdown] managed=false
  /// (load_eni_ifaces() in src/core/settings/plugins/ifupdown/nms-ifupdown-plugin.c).
  bool left_to_ifupdown(const std::string& name) const {
    if (!conf_.has_plugin("ifupdown") || name.starts_with("br")) return false;
    const auto* managed = conf_.last("ifupdown", "managed");
    if (managed && parse_boolean(managed->value) == true) return false;
    return std::ranges::any_of(interfaces_.stanzas,
                               [&](const Stanza& stanza) { return stanza.name == name; });
  }

  /// The active profile, otherwise the matching ones of the highest priority. If there are several,
  /// NetworkManager chooses by when each was last used.
  std::vector<const Connection*> candidates(const State& state) const {
    std::vector<const Connection*> found;
    for (const Connection& connection : connections_) {
      if (is_active(connection, state)) return {&connection};
      if (parse_boolean(connection.value("connection", "autoconnect")) == false) continue;
      if (!fits(connection, *link_)) continue;
      if (!found.empty() && connection.priority() > found[0]->priority()) found.clear();
      if (found.empty() || connection.priority() == found[0]->priority()) {
        found.push_back(&connection);
      }
    }
    return found;
  }

  static bool is_active(const Connection& connection, const State& state) {
    return !state.uuid.empty() && connection.value("connection", "uuid") == state.uuid;
  }

  /// A profile without an interface is used for one matching interface, not for all.
  static bool is_bound(const Connection& connection) {
    const conf::IniLine* mac = connection.of_hardware("mac-address");
    return !connection.value("connection", "interface-name").empty() ||
           (mac && !mac->value.empty());
  }

  void say(Address address, std::string file, int line, std::string says, std::string value,
           std::string when, std::string remedy = {}) {
    if (!sure_) when += " if it chooses this profile for the interface";
    const bool wins = sure_ && !value.empty();
    rivals_.say({std::move(address), "NetworkManager", std::move(file), line, std::move(says),
                 std::move(value), wins, std::move(when), std::move(remedy), at_boot_});
  }

  /// _commit_mtu() in src/core/devices/nm-device.c: the profile, otherwise the default of the
  /// configuration, otherwise DHCP; otherwise nothing is set.
  void mtu(const Connection& connection) {
    const Address address{cat("link:", link_->facts.name, ":mtu")};
    const std::string when = cat(manager_, " sets it whenever it activates the profile");
    if (const conf::IniLine* line = connection.of_hardware("mtu");
        line && parse_int(line->value).value_or(0) > 0) {
      say(address, connection.path, line->line, sets(line->key, line->value), line->value, when);
      return;
    }
    const bool infiniband = connection.value("connection", "type") == "infiniband";
    const auto* preset =
        conf_.for_link("connection", infiniband ? "infiniband.mtu" : "ethernet.mtu", *link_);
    if (preset && parse_int(preset->value).value_or(0) > 0) {
      say(address, preset->file, preset->line, sets(preset->key, preset->value), preset->value,
          cat(manager_, " sets it whenever it activates a profile without an MTU"));
      return;
    }
    const conf::IniLine* method = connection.line("ipv4", "method");
    if (!method || method->value != "auto") return;
    say(address, connection.path, method->line, sets("ipv4.method", method->value), "",
        cat(manager_, " sets the MTU that a DHCP server offers, if it offers one"),
        cat("set mtu=", rivals_.want(address), " in [", infiniband ? "infiniband" : "ethernet",
            "]"));
  }

  void sysctls(const Connection& connection) {
    const auto sysctl = [&](std::string_view name) {
      return Address{cat("sysctl:net.ipv6.conf.", sysctl_name(link_->facts.name), ".", name)};
    };
    if (const conf::IniLine* line = connection.line("ipv6", "mtu");
        line && parse_int(line->value).value_or(0) > 0) {
      say(sysctl("mtu"), connection.path, line->line, sets("ipv6.mtu", line->value), line->value,
          cat(manager_, " sets it whenever it activates the profile"));
    }
    // ip6_managed_setup() in the same file; NetworkManager then handles advertisements itself.
    const conf::IniLine* method = connection.line("ipv6", "method");
    if (!method || method->value == "ignore") return;
    say(sysctl("accept_ra"), connection.path, method->line, sets("ipv6.method", method->value), "0",
        cat(manager_, " writes 0 on every interface that it manages"),
        "remove the setting, or make the interface unmanaged");
  }

  const conf::Files& files_;
  const Interfaces& interfaces_;
  Rivals& rivals_;
  NetworkManagerConf conf_;
  std::vector<Connection> connections_;
  bool at_boot_;
  const Link* link_ = nullptr;
  std::string manager_;
  bool sure_ = false;
};

}  // namespace

void find_network_manager(const conf::Files& files, const Interfaces& interfaces,
                          std::span<const Link> links, Rivals& rivals) {
  if (links.empty()) return;
  ConnectionFinder finder(files, interfaces, rivals);
  for (const Link& link : links) finder.look_at(link);
}

}  // namespace nettune::owners
