// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/netns_provider.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "kernel/sysctl_tree.hpp"
#include "kinds/common/privilege.hpp"
#include "kinds/link/mtu_effects.hpp"
#include "kinds/link/provider.hpp"

namespace nettune::kinds::link {
namespace {

std::string ipv6_mtu_path(const kernel::Link& link) {
  return cat("net/ipv6/conf/", link.name, "/mtu");
}

/// The link in the calling thread's namespace. Errc::not_found if it is another one now, or none.
Result<kernel::Link> link_here(const FarTarget& target) {
  TRY_ASSIGN(std::optional<kernel::Link> link, kernel::read_link_at(target.ifindex));
  if (!link || far_mac(*link) != target.mac)
    return fail(Errc::not_found,
                cat("link number ", target.ifindex, " with the address ", target.mac,
                    " is no longer in network namespace ", target.netns));
  return std::move(*link);
}

/// The reading of a link that cannot be reached.
Reading away(const Error& error) {
  Reading reading;
  reading.presence = error.code == Errc::not_found ? Presence::missing : Presence::not_permitted;
  reading.why = error.text;
  return reading;
}

Reading read_here(const FarTarget& target, const std::string& proc_sys) {
  const auto link = link_here(target);
  if (!link) return away(link.error());
  Reading reading;
  reading.presence = Presence::present;
  reading.text = cat(link->mtu);
  if (target.property == FarProperty::mtu) return reading;
  const kernel::SysctlTree::Raw raw = kernel::SysctlTree(proc_sys).read(ipv6_mtu_path(*link));
  reading.text = std::string(trim(raw.text));
  if (raw.error != 0) {
    reading.presence = Presence::not_applicable;
    reading.why = cat("IPv6 is off on ", printable(link->name), " there");
  }
  return reading;
}

Result<> write_here(const Write& write, const FarTarget& target, std::uint32_t value,
                    const std::string& proc_sys) {
  TRY_ASSIGN(const kernel::Link link, link_here(target));
  if (target.property == FarProperty::mtu) return kernel::set_mtu(link.ifindex, value);
  return kernel::SysctlTree(proc_sys).write(ipv6_mtu_path(link), write.address.text, cat(value));
}

}  // namespace

Result<Value> NetnsProvider::canonical(const Address& address, const Value& want) const {
  if (!far_target_of(address))
    return fail(Errc::invalid, cat(printable(address.text),
                                   " is not a setting of a link in another network namespace"));
  const auto number = want ? parse_int(*want) : std::nullopt;
  if (!number || *number < 0 || *number > INT32_MAX)
    return fail(Errc::invalid, cat(address.text, " needs a number of bytes"));
  return Value(cat(*number));
}

Result<> NetnsProvider::visit(std::uint64_t netns, const std::function<Result<>()>& work) {
  for (const bool again : {false, true}) {
    if (again) known_ = kernel::find_net_namespaces();
    const auto there = std::ranges::find(known_.others, netns, &kernel::NetNamespace::inode);
    if (there == known_.others.end()) continue;
    // The process that held it may have ended, and another one holds it.
    bool entered = false;
    auto done = kernel::in_net_namespace(*there, [&] {
      entered = true;
      return work();
    });
    if (done || entered || done.error().code != Errc::not_found) return done;
  }
  if (known_.unseen.empty())
    return fail(Errc::not_found, cat("network namespace ", netns, " has ended"));
  return fail(Errc::denied,
              cat("network namespace ", netns, " has ended, or cannot be seen: ", known_.unseen));
}

std::vector<Reading> NetnsProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings(addresses.size());
  std::map<std::uint64_t, std::vector<std::pair<std::size_t, FarTarget>>> by_netns;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (const auto target = far_target_of(addresses[i]))
      by_netns[target->netns].emplace_back(i, *target);
    else
      readings[i] = {Presence::not_applicable, "", "not a setting of a link", {}};
  }
  for (const auto& [netns, targets] : by_netns) {
    const auto done = visit(netns, [&, &there = targets]() -> Result<> {
      for (const auto& [i, target] : there) readings[i] = read_here(target, proc_sys_);
      return {};
    });
    if (done) continue;
    for (const auto& [i, target] : targets) readings[i] = away(done.error());
  }
  return readings;
}

const FarLinks& NetnsProvider::far() const {
  if (!far_) far_ = find_far_links();
  return *far_;
}

const FarLink* NetnsProvider::find(const FarTarget& target) const {
  const auto& links = far().links;
  const auto found = std::ranges::find_if(links, [&](const FarLink& one) {
    return one.netns == target.netns && one.link.ifindex == target.ifindex &&
           far_mac(one.link) == target.mac;
  });
  return found == links.end() ? nullptr : &*found;
}

/// A VLAN there may not have a larger MTU than the macvlan below it; setting an MTU sets that of
/// IPv6.
std::vector<Address> NetnsProvider::given_back_after(const Address& address) const {
  const auto target = far_target_of(address);
  const FarLink* const link = target ? find(*target) : nullptr;
  if (link == nullptr) return {};
  if (target->property == FarProperty::ipv6_mtu)
    return {far_address(link->netns, link->link, FarProperty::mtu)};
  for (const FarLink& lower : far().links)
    if (lower.netns == link->lower_netns && lower.link.ifindex == link->link.link && &lower != link)
      return {far_address(lower.netns, lower.link, FarProperty::mtu)};
  return {};
}

Effects NetnsProvider::effects(const Address& address, const Value&, const Value& after) {
  Effects effects;
  const auto target = far_target_of(address);
  const auto mtu = after ? parse_int(*after) : std::nullopt;
  const FarLink* const link = target && mtu ? find(*target) : nullptr;
  if (link != nullptr && target->property == FarProperty::mtu) {
    const LinkPicture none(shared({}));
    effects = mtu_effects({none, far()}, *link, static_cast<std::uint32_t>(*mtu), proc_sys_);
  }
  if (!common::may_administer_network())
    effects.not_permitted = cat("changing a link in network namespace ", target ? target->netns : 0,
                                " needs root (CAP_NET_ADMIN)");
  return effects;
}

Result<> NetnsProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    const auto target = far_target_of(write.address);
    const std::int64_t number = write.after ? parse_int(*write.after).value_or(-1) : -1;
    if (!target || number < 0 || number > INT32_MAX)
      return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
    const auto value = static_cast<std::uint32_t>(number);
    auto done = visit(target->netns, [&] { return write_here(write, *target, value, proc_sys_); });
    if (!done)
      return fail_in(cat("setting ", write.address.text, " to ", value), std::move(done).error());
  }
  return {};
}

}  // namespace nettune::kinds::link
