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

namespace nettune::kinds::link {
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

/// `found` is null if there is no link with that name.
Reading reading_of(const Link* found, const LinkTarget& target) {
  if (found == nullptr)
    return {Presence::missing, "", cat("there is no interface ", target.interface), {}};
  const Link& link = *found;
  const LinkProperty property = target.property;
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

Reading no_setting() { return {Presence::not_applicable, "", "not a setting of a link", {}}; }

Reading unreadable(const Error& error) { return {Presence::not_permitted, "", error.text, {}}; }

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

LinkCalls LinkCalls::of(const Links& links) {
  LinkCalls calls;
  calls.dump = [links] { return Result<Links>(links); };
  // Made when somebody asks: a check does not.
  const auto known = std::make_shared<std::optional<LinkPicture>>();
  calls.one = [links, known](const std::string& name) -> Result<std::optional<Link>> {
    if (!*known) known->emplace(links);
    const Link* const link = (*known)->find(name);
    return link == nullptr ? std::optional<Link>() : std::optional<Link>(*link);
  };
  return calls;
}

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

Result<> LinkProvider::take_dump() const {
  TRY_ASSIGN(Links links, calls_.dump());
  picture_ = LinkPicture(std::move(links));
  is_old_ = false;
  return {};
}

/// One question costs about as much as a few links in a dump.
bool LinkProvider::is_few(std::size_t asked) const {
  constexpr std::size_t kLinksOfAQuestion = 4;
  return asked * kLinksOfAQuestion <= picture_.size();
}

const LinkPicture& LinkProvider::picture() const {
  // Without a dump the last one is the best there is; what is wrong then comes with the write.
  if (is_old_) static_cast<void>(take_dump().has_value());
  return picture_;
}

std::vector<Reading> LinkProvider::read_each(std::span<const Address> addresses) {
  is_old_ = true;
  std::vector<Reading> readings(addresses.size());
  std::string name;
  Result<std::optional<Link>> link = std::optional<Link>();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto target = link_target_of(addresses[i]);
    if (!target) {
      readings[i] = no_setting();
      continue;
    }
    // The properties of one link are adjacent.
    if (name != target->interface) {
      name = target->interface;
      link = calls_.one(name);
    }
    readings[i] = link ? reading_of(*link ? &**link : nullptr, *target) : unreadable(link.error());
  }
  return readings;
}

std::vector<Reading> LinkProvider::read(std::span<const Address> addresses) {
  if (is_few(addresses.size())) return read_each(addresses);
  std::vector<Reading> readings(addresses.size());
  if (const auto taken = take_dump(); !taken) {
    std::ranges::fill(readings, unreadable(taken.error()));
    return readings;
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto target = link_target_of(addresses[i]);
    readings[i] = target ? reading_of(picture_.find(target->interface), *target) : no_setting();
  }
  return readings;
}

/// Upper interfaces come after lower ones: a VLAN cannot have a larger MTU than its lower device
/// (vlan_dev_change_mtu, net/8021q/vlan_dev.c). A bond comes before its members: it sets theirs.
/// The mode of IPoIB comes first: changing it sets the MTU.
std::vector<Address> LinkProvider::needs(const Address& address) const {
  const auto target = link_target_of(address);
  if (!target || target->property != LinkProperty::mtu) return {};
  const LinkPicture& links = picture();  // one: it may be made anew by each call
  const Link* const link = links.find(target->interface);
  if (!link) return {};
  std::vector<Address> first;
  if (link->ipoib_connected) first.push_back(Address{cat("link:", link->name, ":ipoib-mode")});
  const Link* const lower = links.below(*link);
  if (lower != nullptr) first.push_back(Address{cat("link:", lower->name, ":mtu")});
  const Link* const master = links.master_of(*link);
  const bool is_bond = master != nullptr && (master->kind == "bond" || master->kind == "team");
  if (is_bond && master != lower) first.push_back(Address{cat("link:", master->name, ":mtu")});
  return first;
}

const FarLinks& LinkProvider::far() {
  if (!far_) far_ = calls_.find_far();
  return *far_;
}

Effects LinkProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  const auto target = link_target_of(address);
  const LinkPicture& links = picture();
  const Link* const link = target ? links.find(target->interface) : nullptr;
  if (!link || !after) return effects;
  if (target->property == LinkProperty::mtu) {
    const auto mtu = parse_int(*after);
    effects =
        mtu_effects({links, far()}, *link, static_cast<std::uint32_t>(mtu.value_or(0)), proc_sys_);
    effects.cuts = link->name;
    if (link->ipoib_connected == false && mtu && *mtu > link->mtu) {
      effects.note = kGroupNote;
      // ipoib_change_mtu() keeps the request (admin_mtu) if the group's MTU is smaller.
      effects.undo = Undo::residue;
      effects.residue =
          cat(effects.residue, effects.residue.empty() ? "" : "; ",
              "if the group's MTU is smaller today, ", link->name, " grows with it up to ", *mtu);
    }
  }
  if (target->property == LinkProperty::ipoib_mode) {
    effects = ipoib_mode_effects({links, far()}, *link, *after == "connected", proc_sys_);
    effects.cuts = link->name;
  }
  check_way_back(effects, *this, address, before);
  // dev_validate_mtu() in net/core/dev.c; the initial value may be outside of the driver's bounds.
  if (const auto old = before ? parse_int(*before) : std::nullopt;
      old && target->property == LinkProperty::mtu &&
      (*old < link->min_mtu || (link->max_mtu != 0 && *old > link->max_mtu)))
    set_no_way_back(effects, before,
                    cat(link->name, " accepts only ", link->min_mtu, " to ", link->max_mtu));
  if (!common::may_administer_network()) {
    effects.not_permitted = cat("changing ", link->name, " needs root (CAP_NET_ADMIN)");
  }
  return effects;
}

Result<> LinkProvider::write_one(const Write& write) const {
  const auto target = link_target_of(write.address);
  const auto number = write.after ? parse_int(*write.after) : std::nullopt;
  const bool is_mode = target && target->property == LinkProperty::ipoib_mode;
  if (!target || !write.after || (!number && !is_mode)) {
    return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
  }
  // Names may have changed since the last read(): a write must not reach another card.
  TRY_ASSIGN(const std::optional<Link> link, calls_.one(std::string(target->interface)));
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
  for (const Write& write : unit) TRY(write_one(write));
  return {};
}

}  // namespace nettune::kinds::link
