// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/mtu_effects.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "kernel/sysctl_key.hpp"
#include "kernel/sysctl_tree.hpp"

namespace nettune::kinds::link {
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

/// One link with the namespaces that it and its lower link are in.
struct Node {
  const Link* link = nullptr;
  std::uint64_t netns = 0;
  std::uint64_t lower_netns = 0;
  const FarLink* far = nullptr;  ///< null for a link of this namespace

  std::string label() const { return far != nullptr ? far->label() : link->name; }
};

/// Follows an MTU change from interface to interface, by the kernel functions named at each step,
/// also into other network namespaces: lower links may be in another one than those that stand on
/// them; members are in the one of their master. veth, macvlan, bridge and the limit 1280 were
/// tried on Linux 6.18; other kinds were not.
class Walk {
 public:
  Walk(const AllLinks& links, const std::string& proc_sys)
      : own_(links.own), far_(links.far), tree_(proc_sys) {}

  Effects run(const Link& link, std::uint32_t mtu) { return run(near(link), mtu); }
  Effects run(const FarLink& link, std::uint32_t mtu) { return run(node_of(link), mtu); }

 private:
  Node near(const Link& link) const {
    const auto number = link.link_netns ? far_.numbers.find(*link.link_netns) : far_.numbers.end();
    const std::uint64_t elsewhere = number != far_.numbers.end() ? number->second : kUnknown;
    return {&link, far_.own, link.link_netns ? elsewhere : far_.own, nullptr};
  }

  static Node node_of(const FarLink& link) {
    return {&link.link, link.netns, link.lower_netns != 0 ? link.lower_netns : kUnknown, &link};
  }

  Effects run(const Node& node, std::uint32_t mtu) {
    change(node, {mtu, mtu});
    if (on_bus(*node.link)) effects_.impact = std::max(effects_.impact, Impact::queue_reopen);
    if (node.link->kind == "bridge") {
      // br_change_mtu, net/bridge/br_device.c: BROPT_MTU_SET_BY_USER is never cleared.
      leave(cat(node.label(), " no longer follows the MTU of its members automatically"));
    }
    if (!far_.unseen.empty() && mtu != node.link->mtu) {
      leave(cat("links on ", node.label(),
                " in network namespaces that nettune cannot see keep the MTU that they get: ",
                far_.unseen));
    }
    return std::move(effects_);
  }

  void change(const Node& node, const NewMtu& mtu) {
    if (!seen_.emplace(node.netns, node.link->ifindex).second) return;
    ipv6(node, mtu);
    if (node.far == nullptr) change_own(*node.link, mtu);
    for (const FarLink& far : far_.links) {
      const Node other = node_of(far);
      if (other.link->link == node.link->ifindex && other.lower_netns == node.netns &&
          !is_same(other, node))
        above(other, mtu);
      if (node.far == nullptr || other.netns != node.netns || is_same(other, node)) continue;
      if (other.link->master == node.link->ifindex) member(*node.link, other, mtu);
      if (node.link->master == other.link->ifindex) master(other, mtu);
    }
    if (node.far == nullptr) return;
    for (const Link& link : own_.standing_elsewhere())
      if (link.link == node.link->ifindex && near(link).lower_netns == node.netns)
        above(near(link), mtu);
  }

  void change_own(const Link& link, const NewMtu& mtu) {
    // A bridge leaves its members alone, and may have thousands.
    if (link.kind == "bond" || link.kind == "team")
      for (const Link* const lower : own_.members_of(link)) member(link, near(*lower), mtu);
    for (const Link* const upper : own_.above(link)) above(near(*upper), mtu);
    if (const Link* const upper = own_.master_of(link)) master(near(*upper), mtu);
  }

  static bool is_same(const Node& left, const Node& right) {
    return left.netns == right.netns && left.link->ifindex == right.link->ifindex;
  }

  void touch(const Node& node, const NewMtu& mtu, std::string_view why) {
    if (seen_.contains({node.netns, node.link->ifindex})) return;
    add_mtu(node, mtu, why);
    change(node, mtu);
  }

  void add_mtu(const Node& node, const NewMtu& mtu, std::string_view why) {
    effects_.touches.push_back({node.far != nullptr
                                    ? far_address(node.netns, *node.link, FarProperty::mtu)
                                    : Address{cat("link:", node.link->name, ":mtu")},
                                "", text_of(mtu), why_of(node, why)});
    if (on_bus(*node.link)) effects_.impact = std::max(effects_.impact, Impact::queue_reopen);
  }

  /// The index in an address says little to people.
  static std::string why_of(const Node& node, std::string_view why) {
    return node.far != nullptr ? cat(node.label(), ": ", why) : std::string(why);
  }

  /// The interfaces above; VLANs and macvlans are lowered with it, never raised.
  void above(const Node& upper, const NewMtu& mtu) {
    const std::string& kind = upper.link->kind;
    const bool lowered = !mtu.value || upper.link->mtu > *mtu.value;
    if (kind == "vlan" && lowered) touch(upper, mtu, "vlan_device_event, net/8021q/vlan.c");
    if ((kind == "macvlan" || kind == "macvtap") && lowered) {
      touch(upper, mtu, "macvlan_device_event, drivers/net/macvlan.c");
    }
    // ipvlan_adjust_mtu() stores the number and reports no change: neither its IPv6 nor what stands
    // on it follows.
    if ((kind == "ipvlan" || kind == "ipvtap") &&
        seen_.emplace(upper.netns, upper.link->ifindex).second) {
      add_mtu(upper, mtu, "ipvlan_adjust_mtu, drivers/net/ipvlan/ipvlan_main.c");
    }
    if (kind == "macsec" && lowered) {
      touch(upper, {std::nullopt, mtu.at_most}, "macsec_notify, drivers/net/macsec.c");
    }
  }

  void member(const Link& link, const Node& lower, const NewMtu& mtu) {
    if (link.kind == "bond") {
      touch(lower, mtu, "bond_change_mtu, drivers/net/bonding/bond_main.c");
    }
    if (link.kind == "team") touch(lower, mtu, "team_change_mtu, drivers/net/team");
  }

  /// A bridge takes the smallest MTU of its members until somebody sets its own, which it does not
  /// show.
  void master(const Node& upper, const NewMtu& mtu) {
    if (upper.link->kind == "bridge") {
      touch(upper, {std::nullopt, mtu.at_most}, "br_mtu_auto_adjust, net/bridge/br_if.c");
    }
  }

  static std::optional<std::string> text_of(const NewMtu& mtu) {
    return mtu.value ? std::optional(std::to_string(*mtu.value)) : std::nullopt;
  }

  void ipv6(const Node& node, const NewMtu& mtu) {
    const Link& link = *node.link;
    const std::string conf = cat("net/ipv6/conf/", link.name);
    if (node.far != nullptr ? !node.far->ipv6 : !tree_.exists(conf)) {
      const bool enough = mtu.value && *mtu.value >= kMinMtu6;
      if (!enough || link.mtu >= kMinMtu6 || !tree_.exists("net/ipv6")) return;
      effects_.note =
          cat("IPv6, which starts on ", node.label(), " with the values of \"default\"");
      if (node.far == nullptr) add_key(cat(conf, "/mtu"), text_of(mtu));
      return;
    }
    if (mtu.at_most >= kMinMtu6) {
      if (node.far != nullptr)
        effects_.touches.push_back({far_address(node.netns, link, FarProperty::ipv6_mtu), "",
                                    text_of(mtu), why_of(node, kAddrconf)});
      else
        add_key(cat(conf, "/mtu"), text_of(mtu));
      return;
    }
    // addrconf_ifdown() with unregister: both directories disappear, and return with the values of
    // "default" when the MTU is large enough again.
    if (node.far == nullptr) {
      for (const std::string& directory : {conf, cat("net/ipv6/neigh/", link.name)}) {
        for (const std::string& name : tree_.list(directory)) {
          const std::string path = cat(directory, "/", name);
          if (tree_.read(path).error == 0) add_key(path, std::nullopt);
        }
      }
    }
    effects_.impact = Impact::may_cut;
    leave(cat("IPv6 addresses, routes and settings of ", node.label(),
              mtu.value ? " are" : ", if it follows, are",
              " removed by the kernel (MTU below 1280) and do not come back automatically"));
  }

  void add_key(const std::string& path, std::optional<std::string> predicted) {
    // In a key '.' and '/' are swapped; the swap is its own inverse.
    effects_.touches.push_back({Address{cat("sysctl:", kernel::sysctl_path(path))}, "",
                                std::move(predicted), std::string(kAddrconf)});
  }

  void leave(const std::string& residue) {
    effects_.undo = Undo::residue;
    if (!effects_.residue.empty()) effects_.residue += "; ";
    effects_.residue += residue;
  }

  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

  const LinkPicture& own_;
  const FarLinks& far_;
  kernel::SysctlTree tree_;
  Effects effects_;
  std::set<std::pair<std::uint64_t, int>> seen_;
};

}  // namespace

Effects mtu_effects(const AllLinks& links, const Link& link, std::uint32_t mtu,
                    const std::string& proc_sys) {
  return Walk(links, proc_sys).run(link, mtu);
}

Effects mtu_effects(const AllLinks& links, const FarLink& link, std::uint32_t mtu,
                    const std::string& proc_sys) {
  return Walk(links, proc_sys).run(link, mtu);
}

/// ipoib_set_mode() in drivers/infiniband/ulp/ipoib/ipoib_main.c (6.1): connected mode takes its
/// largest MTU, datagram mode at most that of the multicast group. Neither is known before; the
/// affected settings are known from the usual values.
Effects ipoib_mode_effects(const AllLinks& links, const Link& link, bool connected,
                           const std::string& proc_sys) {
  constexpr std::uint32_t kConnectedMtu = 65520;  // IPOIB_CM_MTU
  constexpr std::uint32_t kDatagramMtu = 2044;    // IB MTU 2048 less IPOIB_ENCAP_LEN
  Effects effects = mtu_effects(links, link, connected ? kConnectedMtu : kDatagramMtu, proc_sys);
  for (Witness& witness : effects.touches) witness.predicted.reset();
  effects.touches.push_back({Address{cat("link:", link.name, ":mtu")}, "", std::nullopt,
                             "ipoib_set_mode, drivers/infiniband/ulp/ipoib/ipoib_main.c"});
  return effects;
}

}  // namespace nettune::kinds::link
