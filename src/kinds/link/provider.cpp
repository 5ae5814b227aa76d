// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/provider.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/interface_name.hpp"
#include "base/text.hpp"
#include "kernel/attribute_file.hpp"
#include "kinds/common/privilege.hpp"
#include "kinds/link/mtu_effects.hpp"

namespace nettune::providers {
namespace {

using kernel::Link;

/// Below this inetdev_valid_mtu() in net/ipv4/devinet.c removes IPv4 (RFC 791).
constexpr std::int64_t kMinMtu = 68;
/// The kernel has an MTU in an int; the driver's limit is in Link::max_mtu.
constexpr std::int64_t kMaxMtu = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxQueue = std::numeric_limits<std::uint32_t>::max();

/// In datagram mode the MTU is the smaller of the requested one and that of the broadcast group
/// less 4. No attribute, file or netlink message shows the group's (ipoib_change_mtu(),
/// ipoib_mcast_carrier_on_task(), drivers/infiniband/ulp/ipoib, 6.1). So the write succeeds, and
/// the read-back shows the result.
constexpr std::string_view kGroupNote =
    "at most the MTU of the subnet's broadcast group less 4, which the kernel does not show in "
    "advance; the subnet manager sets it (opensm: mtu=5 in partitions.conf)";

const Link* find(const std::vector<Link>& links, std::string_view name) {
  const auto found = std::ranges::find(links, name, &Link::name);
  return found == links.end() ? nullptr : &*found;
}

Reading reading_of(const Link& link, LinkProperty property) {
  Reading reading;
  reading.presence = Presence::present;
  if (property == LinkProperty::mtu) {
    reading.text = std::to_string(link.mtu);
  } else if (property == LinkProperty::txqueuelen) {
    reading.text = std::to_string(link.txqueuelen);
  } else if (link.ipoib_connected) {
    reading.text = *link.ipoib_connected ? "connected" : "datagram";
  } else {
    reading.presence = Presence::not_applicable;
    reading.why = cat(link.name, " is not an IPoIB interface");
  }
  return reading;
}

}  // namespace

Links shared(std::vector<Link> links) {
  return std::make_shared<const std::vector<Link>>(std::move(links));
}

// It uses sysfs: set_mode() in ipoib_cm.c (6.1) takes care of a released lock. ipoib_changelink()
// behind RTM_NEWLINK answers EBUSY then and leaves the caller without its lock.
LinkCalls::LinkCalls()
    : set_ipoib_mode([](const std::string& interface, const std::string& mode) {
        return kernel::write_attribute(cat("/sys/class/net/", interface, "/mode"), mode);
      }) {}

Result<Links> dump_shared() {
  TRY_ASSIGN(std::vector<Link> links, kernel::dump_links());
  return shared(std::move(links));
}

Result<Value> LinkProvider::canonical(const Address& address, const Value& want) const {
  const auto target = link_target_of(address);
  if (!target) {
    return fail(Errc::invalid, cat(printable(address.text),
                                   " is not a link setting; write link:IF:mtu, "
                                   "link:IF:txqueuelen or link:IF:ipoib-mode"));
  }
  TRY(check_interface_name(target->interface));
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  if (target->property == LinkProperty::ipoib_mode) {
    if (*want == "datagram" || *want == "connected") return want;
    return fail(Errc::invalid, cat(address.text, ": \"", printable(want->substr(0, 80)),
                                   "\" is not \"datagram\" or \"connected\""));
  }
  const bool is_mtu = target->property == LinkProperty::mtu;
  const std::int64_t min = is_mtu ? kMinMtu : 0;
  const std::int64_t max = is_mtu ? kMaxMtu : kMaxQueue;
  const auto number = parse_int(trim(*want));
  if (!number || *number < min || *number > max) {
    return fail(Errc::invalid, cat(address.text, ": \"", printable(want->substr(0, 80)),
                                   "\" is not a number from ", min, " to ", max));
  }
  return Value(std::to_string(*number));
}

std::vector<Reading> LinkProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings(addresses.size());
  auto links = calls_.dump();
  if (!links) {
    for (Reading& reading : readings) {
      reading.presence = Presence::not_permitted;
      reading.why = links.error().text;
    }
    return readings;
  }
  links_ = std::move(*links);
  std::unordered_map<std::string_view, const Link*> by_name;
  for (const Link& link : *links_) by_name.emplace(link.name, &link);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto target = link_target_of(addresses[i]);
    const auto link = target ? by_name.find(target->interface) : by_name.end();
    if (!target)
      readings[i] = {Presence::not_applicable, "", "there is no such link setting", {}};
    else if (link == by_name.end())
      readings[i] = {Presence::missing, "", cat("there is no interface ", target->interface), {}};
    else
      readings[i] = reading_of(*link->second, target->property);
  }
  return readings;
}

/// Upper interfaces come after lower ones: a VLAN cannot have a larger MTU than its lower device
/// (vlan_dev_change_mtu, net/8021q/vlan_dev.c). A bond comes before its members: it sets theirs.
/// The mode of IPoIB comes first: changing it sets the MTU.
std::vector<Address> LinkProvider::needs(const Address& address) const {
  const auto target = link_target_of(address);
  if (!target || target->property != LinkProperty::mtu) return {};
  const Link* const link = find(*links_, target->interface);
  if (!link) return {};
  std::vector<Address> first;
  if (link->ipoib_connected) first.push_back(Address{cat("link:", link->name, ":ipoib-mode")});
  for (const Link& other : *links_) {
    const bool stands_on = link->link == other.ifindex && !link->link_netns;
    const bool is_bond = other.kind == "bond" || other.kind == "team";
    if (other.ifindex != link->ifindex &&
        (stands_on || (link->master == other.ifindex && is_bond))) {
      first.push_back(Address{cat("link:", other.name, ":mtu")});
    }
  }
  return first;
}

Effects LinkProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  const auto target = link_target_of(address);
  const Link* const link = target ? find(*links_, target->interface) : nullptr;
  if (!link || !after) return effects;
  if (target->property == LinkProperty::mtu) {
    const auto mtu = parse_int(*after);
    effects = mtu_effects(*links_, *link, static_cast<std::uint32_t>(mtu.value_or(0)), proc_sys_);
    effects.cuts = link->name;
    if (link->ipoib_connected == false && mtu && *mtu > link->mtu) {
      effects.note = kGroupNote;
      // ipoib_change_mtu() keeps the request (admin_mtu) if the group's MTU is smaller.
      effects.undo = Undo::residue;
      effects.residue =
          cat("if the group's MTU is smaller today, ", link->name, " grows with it up to ", *mtu);
    }
  }
  if (target->property == LinkProperty::ipoib_mode) {
    effects = ipoib_mode_effects(*links_, *link, *after == "connected", proc_sys_);
    effects.cuts = link->name;
  }
  check_way_back(effects, *this, address, before);
  // dev_validate_mtu() in net/core/dev.c; the initial value may be outside of the driver's bounds.
  if (const auto old = before ? parse_int(*before) : std::nullopt;
      old && target->property == LinkProperty::mtu &&
      (*old < link->min_mtu || (link->max_mtu != 0 && *old > link->max_mtu)))
    set_no_way_back(effects, before,
                    cat(link->name, " accepts only ", link->min_mtu, " to ", link->max_mtu));
  if (!may_administer_network()) {
    effects.not_permitted = cat("changing ", link->name, " needs root (CAP_NET_ADMIN)");
  }
  return effects;
}

Result<> LinkProvider::write_one(const Write& write) {
  const auto target = link_target_of(write.address);
  const auto number = write.after ? parse_int(*write.after) : std::nullopt;
  const bool is_mode = target && target->property == LinkProperty::ipoib_mode;
  if (!target || !write.after || (!number && !is_mode)) {
    return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
  }
  const Link* const link = find(*links_, target->interface);
  if (!link) {
    return fail(Errc::not_found, cat("setting ", write.address.text, " to ", *write.after,
                                     ": the interface no longer exists"));
  }
  if (is_mode) {
    auto done = calls_.set_ipoib_mode(link->name, *write.after);
    if (done) return {};
    const bool refused = done.error().sys == EINVAL && *write.after == "connected";
    return fail_in(cat("setting ", write.address.text, " to ", *write.after,
                       refused ? " (enhanced IPoIB of mlx5 and hfi1 has only datagram mode)" : ""),
                   std::move(done).error());
  }
  const auto value = static_cast<std::uint32_t>(*number);
  auto done = target->property == LinkProperty::mtu ? calls_.set_mtu(link->ifindex, value)
                                                    : calls_.set_txqueuelen(link->ifindex, value);
  if (done) return {};
  std::string hint;
  if (target->property == LinkProperty::mtu && link->max_mtu != 0 &&
      (value > link->max_mtu || value < link->min_mtu)) {
    hint = cat(" (", link->name, " accepts only ", link->min_mtu, " to ", link->max_mtu, ")");
  }
  return fail_in(cat("setting ", write.address.text, " to ", *write.after, hint), done.error());
}

Result<> LinkProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  // Names may have changed since the last read(): a write must not reach another card.
  TRY_ASSIGN(links_, calls_.dump());
  for (const Write& write : unit) TRY(write_one(write));
  return {};
}

}  // namespace nettune::providers
