// SPDX-License-Identifier: Apache-2.0
#include "owners/networkd.hpp"

#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "owners/daemon.hpp"
#include "owners/network_files.hpp"

namespace nettune::owners {
namespace {

using Line = NetworkFile::Line;
using Parse = std::optional<std::string> (*)(std::string_view);

std::optional<std::string> number(std::string_view text) {
  const auto value = parse_int(text);
  return value && *value >= 0 ? std::optional(cat(*value)) : std::nullopt;
}

std::optional<std::string> boolean(std::string_view text) {
  const auto value = parse_boolean(text);
  return value ? std::optional<std::string>(*value ? "1" : "0") : std::nullopt;
}

std::optional<std::string> reverse_path_filter(std::string_view text) {
  if (text == "no") return "0";
  if (text == "strict") return "1";
  if (text == "loose") return "2";
  return std::nullopt;
}

/// "kernel" leaves the sysctl alone and is returned as an empty text.
std::optional<std::string> privacy_extensions(std::string_view text) {
  if (text == "kernel") return "";
  if (text == "prefer-public") return "1";
  const auto value = parse_boolean(text);
  return value ? std::optional<std::string>(*value ? "2" : "0") : std::nullopt;
}

/// The interface sysctls that [Network] sets: link_set_sysctl() in src/network/networkd-sysctl.c
/// and networkd-network-gperf.gperf of systemd 252 and 257.
struct Key {
  std::string_view name;
  std::string_view family;
  std::string_view sysctl;
  Parse parse;
  int since;  ///< the first systemd with it if Debian 12 lacks it; otherwise 0
};
constexpr Key kKeys[] = {
    {"IPv6MTUBytes", "ipv6", "mtu", parse_size, 0},
    {"IPv6DuplicateAddressDetection", "ipv6", "dad_transmits", number, 0},
    {"IPv6HopLimit", "ipv6", "hop_limit", number, 0},
    {"IPv6Forwarding", "ipv6", "forwarding", boolean, 256},
    {"IPv4Forwarding", "ipv4", "forwarding", boolean, 256},
    {"IPv4ReversePathFilter", "ipv4", "rp_filter", reverse_path_filter, 255},
    {"IPv4AcceptLocal", "ipv4", "accept_local", boolean, 0},
    {"IPv4RouteLocalnet", "ipv4", "route_localnet", boolean, 0},
    {"IPv4ProxyARP", "ipv4", "proxy_arp", boolean, 0},
};

/// The sysctls that networkd writes on every link that it configures, unless [Network] has the key.
struct Always {
  std::string_view family;
  std::string_view sysctl;
  std::string_view value;
  std::string_view unless;
  Parse parse;
};
constexpr Always kAlways[] = {
    {"ipv6", "accept_ra", "0", "", nullptr},
    {"ipv4", "promote_secondaries", "1", "", nullptr},
    {"ipv6", "use_tempaddr", "0", "IPv6PrivacyExtensions", privacy_extensions},
    {"ipv6", "proxy_ndp", "0", "IPv6ProxyNDP", boolean},
};

class NetworkFinder {
 public:
  NetworkFinder(const conf::Files& files, Rivals& rivals)
      : files_(files),
        rivals_(rivals),
        at_boot_(starts_at_boot(files, "systemd-networkd.service")) {}

  void run(std::span<const Link> links) {
    std::vector<NetworkFile> all;
    bool read = false;
    for (const Link& link : links) {
      const bool seen = was_seen(link);
      if (!at_boot_ && !seen) continue;
      if (link.facts.link_layer == "Loopback" || is_managed_by_others(link)) continue;
      if (!std::exchange(read, true)) all = read_network_files(files_, ".network");
      networkd_ = daemon_words("networkd", at_boot_, seen);
      link_ = &link;
      first_match(all);
    }
    if (at_boot_) forwarding_of_all();
  }

 private:
  /// networkd's saved state of an interface (link_save() in src/network/networkd-state-file.c).
  bool was_seen(const Link& link) const {
    const auto state = files_.read(cat("/run/systemd/netif/links/", link.facts.ifindex));
    if (!state) return false;
    for (const std::string_view line : split(state->text, '\n')) {
      if (line == "ADMIN_STATE=unmanaged") return false;
    }
    return true;
  }

  /// link_managed_by_us() in networkd-link.c.
  static bool is_managed_by_others(const Link& link) {
    const std::string manager = link.udev_property("ID_NET_MANAGED_BY");
    return !manager.empty() && manager != "io.systemd.Network";
  }

  /// link_get_network() in networkd-link.c: only the first matching file counts.
  void first_match(const std::vector<NetworkFile>& all) {
    for (const NetworkFile& file : all) {
      const Match fit = match(file, *link_, "Name");
      if (fit == Match::no) continue;
      const Line* unmanaged = file.last("Link", "Unmanaged", is<boolean>);
      sure_ = fit == Match::yes;
      if (!unmanaged || boolean(unmanaged->value) == "0") network(file);
      if (sure_) return;
    }
  }

  template <Parse parse>
  static bool is(std::string_view value) {
    return parse(value).has_value();
  }

  Address sysctl(std::string_view family, std::string_view name) const {
    return {cat("sysctl:net.", family, ".conf.", sysctl_name(link_->facts.name), ".", name)};
  }

  void say(Address address, const Line& line, std::string value, std::string when) {
    say(std::move(address), line, sets(line.key, line.value), std::move(value), std::move(when),
        {});
  }
  /// The value is empty if only the network knows it.
  void say(Address address, const Line& line, std::string says, std::string value, std::string when,
           std::string remedy) {
    if (!sure_) when += " if the rest of [Match], which nettune cannot evaluate, matches";
    const bool wins = sure_ && !value.empty();
    rivals_.say({std::move(address), "networkd", line.file, line.line, std::move(says),
                 std::move(value), wins, std::move(when), std::move(remedy), at_boot_});
  }

  std::string sets_it() const { return cat(networkd_, " sets it whenever it configures the link"); }

  void network(const NetworkFile& file) {
    mtu(file);
    router_mtu(file);
    for (const Key& key : kKeys) {
      const Line* line = file.last("Network", key.name, key.parse);
      if (!line) continue;
      const Address address = sysctl(key.family, key.sysctl);
      say(address, *line, sets(line->key, line->value), *key.parse(line->value),
          key.since == 0 ? sets_it() : cat(sets_it(), " (systemd ", key.since, " and later)"),
          remedy_of(key.name, key.parse, address));
    }
    always(file);
    ip_forward(file);
  }

  /// How a line says the wanted value, in networkd's own words.
  std::string remedy_of(std::string_view name, Parse parse, const Address& address) const {
    const Setting* const setting = rivals_.find(address);
    if (!setting || !setting->want) return "remove the line";
    for (const std::string_view word : {"no", "yes", "strict", "loose", "prefer-public"})
      if (parse(word) == setting->want)
        return cat("set ", name, "=", word, " there or remove the line");
    if (parse(*setting->want) == setting->want)
      return cat("set ", name, "=", printable(*setting->want), " there or remove the line");
    return cat("remove the line: ", name, "= cannot say ", printable(*setting->want));
  }

  std::string remedy_in_network(const Always& one, const Address& address) const {
    const Setting* const setting = rivals_.find(address);
    for (const std::string_view word : {"no", "yes", "prefer-public"})
      if (setting && setting->want && one.parse(word) == setting->want)
        return cat("set ", one.unless, "=", word, " in [Network]");
    return cat("set ", one.unless, "= in [Network]");
  }

  void mtu(const NetworkFile& file) {
    const Address address{cat("link:", link_->facts.name, ":mtu")};
    if (const Line* line = file.last("Link", "MTUBytes", is<parse_size>);
        line && parse_size(line->value) != "0") {
      say(address, *line, *parse_size(line->value), sets_it());
      return;
    }
    const Line* line = later(file.last("DHCPv4", "UseMTU", is<boolean>),
                             file.last("DHCP", "UseMTU", is<boolean>));  // its older name
    if (!line || boolean(line->value) == "0" || !asks_dhcp(file)) return;
    say(address, *line, sets(line->key, line->value), "",
        cat(networkd_, " sets the MTU that a DHCP server offers, if it offers one"),
        cat("set UseMTU=no, and MTUBytes=", rivals_.want(address), " in [Link]"));
  }

  /// The later of two lines of one file.
  static const Line* later(const Line* left, const Line* right) {
    return !left || (right && left < right) ? right : left;
  }

  static bool asks_dhcp(const NetworkFile& file) {
    const Line* dhcp = file.last("Network", "DHCP", [](std::string_view) { return true; });
    return dhcp && (dhcp->value == "ipv4" || parse_boolean(dhcp->value) == true);
  }

  /// ndisc_router_process_mtu() in networkd-ndisc.c; 252 sets it on routes only. networkd does so
  /// by default wherever it accepts advertisements; only explicit settings are reported.
  void router_mtu(const NetworkFile& file) {
    const Line* accept = file.last("Network", "IPv6AcceptRA", is<boolean>);
    const Line* use = file.last("IPv6AcceptRA", "UseMTU", is<boolean>);
    const Line* line = use ? use : accept;
    if (!line || boolean(line->value) == "0") return;
    if (accept && boolean(accept->value) == "0") return;
    say(sysctl("ipv6", "mtu"), *line, sets(line->key, line->value), "",
        cat(networkd_, " sets the MTU that a router advertises, if any (Debian 13)"),
        "set UseMTU=no in [IPv6AcceptRA]");
  }

  void always(const NetworkFile& file) {
    const Line* heading = nullptr;
    for (const Line& line : file.lines) {
      if (line.section == "Match" && !heading) heading = &line;
    }
    if (!heading) return;
    for (const Always& one : kAlways) {
      const Line* line = one.parse ? file.last("Network", one.unless, one.parse) : nullptr;
      if (line) {
        const std::string value = *one.parse(line->value);
        const Address address = sysctl(one.family, one.sysctl);
        if (!value.empty())
          say(address, *line, sets(line->key, line->value), value, sets_it(),
              remedy_of(one.unless, one.parse, address));
        continue;
      }
      std::string remedy =
          one.unless.empty()
              ? std::string("no line of the file prevents that; remove the setting")
              : cat("to prevent that, ", remedy_in_network(one, sysctl(one.family, one.sysctl)));
      say(sysctl(one.family, one.sysctl), *heading, "makes networkd configure the link",
          std::string(one.value),
          cat(networkd_, " writes ", one.value, " on every link that it configures"),
          std::move(remedy));
    }
  }

  /// systemd 252 enables forwarding on the node and leaves it so (link_set_ipv4_forward()); 256
  /// removed that.
  void ip_forward(const NetworkFile& file) {
    const Line* line = file.last("Network", "IPForward", [](std::string_view) { return true; });
    if (!line) return;
    const bool both = parse_boolean(line->value) == true;
    const std::string when = cat(sets_it(), " (systemd before 256)");
    const auto one = [&](const char* address) {
      say({address}, *line, sets(line->key, line->value), "1", when,
          "set IPForward=no or remove the line");
    };
    if (both || line->value == "ipv4") one("sysctl:net.ipv4.ip_forward");
    if (both || line->value == "ipv6") one("sysctl:net.ipv6.conf.all.forwarding");
  }

  /// Reads networkd.conf of systemd 256 and later (manager_set_sysctl()).
  void forwarding_of_all() {
    constexpr std::string_view kDropIns[] = {
        "/etc/systemd/networkd.conf.d", "/run/systemd/networkd.conf.d",
        "/usr/local/lib/systemd/networkd.conf.d", "/usr/lib/systemd/networkd.conf.d"};
    constexpr std::string_view kMain[] = {
        "/etc/systemd/networkd.conf", "/run/systemd/networkd.conf",
        "/usr/local/lib/systemd/networkd.conf", "/usr/lib/systemd/networkd.conf"};
    NetworkFile conf;
    const auto add = [&](const conf::FoundFile& file) {
      for (conf::IniLine& line : conf::read_ini(file.text, conf::Joining::backslash))
        conf.lines.push_back({std::move(line), file.path});
    };
    for (const std::string_view path : kMain) {
      const auto main = files_.read(std::string(path));
      if (main) add(*main);
      if (main) break;
    }
    for (const conf::FoundFile& file : files_.drop_ins(kDropIns)) add(file);
    sure_ = true;
    for (const std::string_view family : {"ipv4", "ipv6"}) {
      const std::string key = family == "ipv4" ? "IPv4Forwarding" : "IPv6Forwarding";
      const Line* line = conf.last("Network", key, is<boolean>);
      if (!line) continue;
      std::vector<std::string> names = {cat("net.", family, ".conf.all.forwarding"),
                                        cat("net.", family, ".conf.default.forwarding")};
      if (family == "ipv4") names.emplace_back("net.ipv4.ip_forward");
      for (const std::string& name : names)
        say({cat("sysctl:", name)}, *line, sets(line->key, line->value), *boolean(line->value),
            "networkd sets it whenever it starts (systemd 256 and later)",
            remedy_of(key, boolean, {cat("sysctl:", name)}));
    }
  }

  const conf::Files& files_;
  Rivals& rivals_;
  bool at_boot_;
  std::string networkd_;
  const Link* link_ = nullptr;
  bool sure_ = true;
};

}  // namespace

void find_networkd(const conf::Files& files, std::span<const Link> links, Rivals& rivals) {
  NetworkFinder(files, rivals).run(links);
}

}  // namespace nettune::owners
