// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/mtu_effects.hpp"

#include <limits>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "kernel/sysctl_key.hpp"
#include "kernel/sysctl_tree.hpp"

namespace nettune::providers {
namespace {

using kernel::Link;

/// IPV6_MIN_MTU in include/uapi/linux/ipv6.h.
constexpr std::uint32_t kMinMtu6 = 1280;

constexpr std::string_view kAddrconf = "addrconf_notify, net/ipv6/addrconf.c";

/// The new MTU of an interface.
struct NewMtu {
  std::optional<std::uint32_t> value;  ///< nothing if it cannot be predicted
  std::uint32_t at_most = std::numeric_limits<std::uint32_t>::max();
};

bool on_bus(const Link& link) { return !link.parent_bus.empty(); }

/// Follows an MTU change from interface to interface, by the kernel functions named at each step.
/// veth, macvlan, bridge and the limit 1280 were tried on Linux 6.18; other kinds were not.
class Walk {
 public:
  Walk(const std::vector<Link>& links, const std::string& proc_sys)
      : links_(links), tree_(proc_sys) {}

  Effects run(const Link& link, std::uint32_t mtu) {
    change(link, {mtu, mtu});
    if (on_bus(link)) effects_.impact = Impact::queue_reopen;
    if (link.kind == "bridge") {
      // br_change_mtu, net/bridge/br_device.c: BROPT_MTU_SET_BY_USER is never cleared.
      leave(cat(link.name, " no longer follows the MTU of its members automatically"));
    }
    return std::move(effects_);
  }

 private:
  void change(const Link& link, const NewMtu& mtu) {
    if (!seen_.insert(link.ifindex).second) return;
    ipv6(link, mtu);
    for (const Link& other : links_) {
      if (other.ifindex == link.ifindex) continue;
      if (other.link == link.ifindex && !other.link_netns) above(other, mtu);
      if (other.master == link.ifindex) member(link, other, mtu);
      if (link.master == other.ifindex) master(other, mtu);
    }
  }

  void touch(const Link& link, const NewMtu& mtu, std::string_view why) {
    if (seen_.contains(link.ifindex)) return;
    effects_.touches.push_back(
        {Address{cat("link:", link.name, ":mtu")}, "", text_of(mtu), std::string(why)});
    if (on_bus(link)) effects_.impact = Impact::queue_reopen;
    change(link, mtu);
  }

  /// The interfaces above; VLANs and macvlans are lowered with it, never raised.
  void above(const Link& upper, const NewMtu& mtu) {
    const bool lowered = !mtu.value || upper.mtu > *mtu.value;
    if (upper.kind == "vlan" && lowered) touch(upper, mtu, "vlan_device_event, net/8021q/vlan.c");
    if ((upper.kind == "macvlan" || upper.kind == "macvtap") && lowered) {
      touch(upper, mtu, "macvlan_device_event, drivers/net/macvlan.c");
    }
    if (upper.kind == "ipvlan" || upper.kind == "ipvtap") {
      touch(upper, mtu, "ipvlan_adjust_mtu, drivers/net/ipvlan/ipvlan_main.c");
    }
    if (upper.kind == "macsec" && lowered) {
      touch(upper, {std::nullopt, mtu.at_most}, "macsec_notify, drivers/net/macsec.c");
    }
  }

  void member(const Link& link, const Link& lower, const NewMtu& mtu) {
    if (link.kind == "bond") {
      touch(lower, mtu, "bond_change_mtu, drivers/net/bonding/bond_main.c");
    }
    if (link.kind == "team") touch(lower, mtu, "team_change_mtu, drivers/net/team");
  }

  /// A bridge takes the smallest MTU of its members until somebody sets its own, which it does not
  /// show.
  void master(const Link& upper, const NewMtu& mtu) {
    if (upper.kind == "bridge") {
      touch(upper, {std::nullopt, mtu.at_most}, "br_mtu_auto_adjust, net/bridge/br_if.c");
    }
  }

  static std::optional<std::string> text_of(const NewMtu& mtu) {
    return mtu.value ? std::optional(std::to_string(*mtu.value)) : std::nullopt;
  }

  void ipv6(const Link& link, const NewMtu& mtu) {
    const std::string conf = cat("net/ipv6/conf/", link.name);
    if (!tree_.exists(conf)) {
      const bool enough = mtu.value && *mtu.value >= kMinMtu6;
      if (enough && link.mtu < kMinMtu6 && tree_.exists("net/ipv6")) {
        effects_.note = cat("IPv6, which starts on ", link.name, " with the values of \"default\"");
        add_key(cat(conf, "/mtu"), text_of(mtu));
      }
      return;
    }
    if (mtu.at_most >= kMinMtu6) {
      add_key(cat(conf, "/mtu"), text_of(mtu));
      return;
    }
    // addrconf_ifdown() with unregister: both directories disappear, and return with the values of
    // "default" when the MTU is large enough again.
    for (const std::string& directory : {conf, cat("net/ipv6/neigh/", link.name)}) {
      for (const std::string& name : tree_.list(directory)) {
        const std::string path = cat(directory, "/", name);
        if (tree_.read(path).error == 0) add_key(path, std::nullopt);
      }
    }
    effects_.impact = Impact::may_cut;
    leave(cat("IPv6 addresses, routes and settings of ", link.name,
              mtu.value ? " are" : ", if it follows, are",
              " removed by the kernel (MTU below 1280) and do not come back automatically"));
  }

  void add_key(const std::string& path, std::optional<std::string> predicted) {
    // In a key '.' and '/' are swapped; the swap is its own inverse.
    effects_.touches.push_back({Address{cat("sysctl:", formats::sysctl_path(path))}, "",
                                std::move(predicted), std::string(kAddrconf)});
  }

  void leave(const std::string& residue) {
    effects_.undo = Undo::residue;
    if (!effects_.residue.empty()) effects_.residue += "; ";
    effects_.residue += residue;
  }

  const std::vector<Link>& links_;
  SysctlTree tree_;
  Effects effects_;
  std::set<int> seen_;
};

}  // namespace

Effects mtu_effects(const std::vector<Link>& links, const Link& link, std::uint32_t mtu,
                    const std::string& proc_sys) {
  return Walk(links, proc_sys).run(link, mtu);
}

/// ipoib_set_mode() in drivers/infiniband/ulp/ipoib/ipoib_main.c (6.1): connected mode takes its
/// largest MTU, datagram mode at most that of the multicast group. Neither is known before; the
/// affected settings are known from the usual values.
Effects ipoib_mode_effects(const std::vector<Link>& links, const Link& link, bool connected,
                           const std::string& proc_sys) {
  constexpr std::uint32_t kConnectedMtu = 65520;  // IPOIB_CM_MTU
  constexpr std::uint32_t kDatagramMtu = 2044;    // IB MTU 2048 less IPOIB_ENCAP_LEN
  Effects effects = mtu_effects(links, link, connected ? kConnectedMtu : kDatagramMtu, proc_sys);
  for (Witness& witness : effects.touches) witness.predicted.reset();
  effects.touches.push_back({Address{cat("link:", link.name, ":mtu")}, "", std::nullopt,
                             "ipoib_set_mode, drivers/infiniband/ulp/ipoib/ipoib_main.c"});
  return effects;
}

}  // namespace nettune::providers
