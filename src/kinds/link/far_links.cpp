// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/far_links.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "core/foreign.hpp"
#include "kernel/sysctl_tree.hpp"

namespace nettune::kinds::link {
namespace {

using kernel::NetNamespace;
using kernel::NetNamespaces;

constexpr std::string_view kMtu = "mtu";
constexpr std::string_view kIpv6Mtu = "ipv6-mtu";

/// A namespace's numbers for the others.
Result<std::map<int, std::uint64_t>> numbers_for(std::span<const NetNamespace> others) {
  TRY_ASSIGN(const auto known, kernel::nsids_of(others));
  std::map<int, std::uint64_t> numbers;
  for (std::size_t i = 0; i < others.size(); ++i)
    if (known[i]) numbers.emplace(*known[i], others[i].inode);
  return numbers;
}

/// The links of the calling thread's namespace, which is `there`.
Result<std::vector<FarLink>> far_links_here(const NetNamespace& there, const NetNamespaces& all) {
  TRY_ASSIGN(const std::vector<int> known, kernel::known_nsids());
  // A namespace without a number for any other has no link that stands on another one's: the kernel
  // gives the number when it reports such a link as made or moved (rtmsg_ifinfo_build_skb(),
  // net/core/rtnetlink.c, 6.1).
  if (known.empty()) return std::vector<FarLink>();
  TRY_ASSIGN(std::vector<kernel::Link> links, kernel::stacked_links());
  TRY_ASSIGN(auto numbers, numbers_for({&all.own, 1}));
  const auto is_unknown = [&](const kernel::Link& link) {
    return link.link_netns && !numbers.contains(*link.link_netns);
  };
  if (std::ranges::any_of(links, is_unknown)) {
    TRY_ASSIGN(auto more, numbers_for(all.others));
    numbers.merge(std::move(more));
  }
  kernel::SysctlTree tree("/proc/sys");  // /proc/sys/net is that of the thread which opens it
  std::vector<FarLink> far;
  for (kernel::Link& link : links) {
    const auto number = link.link_netns ? numbers.find(*link.link_netns) : numbers.end();
    FarLink one;
    one.netns = there.inode;
    one.lower_netns = !link.link_netns ? there.inode : number != numbers.end() ? number->second : 0;
    one.user = there.user;
    one.ipv6 = tree.exists(cat("net/ipv6/conf/", link.name));
    one.link = std::move(link);
    far.push_back(std::move(one));
  }
  return far;
}

/// Reads this namespace's numbers for others. How many have one and were not found.
Result<std::size_t> hidden_ones(const NetNamespaces& all, std::map<int, std::uint64_t>& numbers) {
  TRY_ASSIGN(numbers, numbers_for(all.others));
  TRY_ASSIGN(const auto own, numbers_for({&all.own, 1}));
  TRY_ASSIGN(const std::vector<int> known, kernel::known_nsids());
  return static_cast<std::size_t>(std::ranges::count_if(
      known, [&](int number) { return !numbers.contains(number) && !own.contains(number); }));
}

}  // namespace

std::string FarLink::label() const { return cat(printable(link.name), " in ", user); }

FarLinks find_far_links() {
  const NetNamespaces all = kernel::find_net_namespaces();
  FarLinks far;
  far.own = all.own.inode;
  std::vector<std::string> unseen;
  if (!all.unseen.empty()) unseen.push_back(all.unseen);
  std::size_t closed = 0;
  for (const NetNamespace& there : all.others) {
    std::vector<FarLink> links;
    const auto looked = kernel::in_net_namespace(there, [&]() -> Result<> {
      TRY_ASSIGN(links, far_links_here(there, all));
      return {};
    });
    for (const FarLink& link : links)
      if (link.lower_netns == 0)
        unseen.push_back(
            cat("the link below ", link.label(), " is in a namespace that was not found"));
    std::ranges::move(links, std::back_inserter(far.links));
    // One that has ended meanwhile has no links.
    if (looked || looked.error().code == Errc::not_found) continue;
    if (closed++ == 0) unseen.push_back(looked.error().text);
  }
  if (const auto hidden = hidden_ones(all, far.numbers); !hidden)
    unseen.push_back(hidden.error().text);
  else if (*hidden > 0)
    unseen.push_back(cat(*hidden, *hidden == 1 ? " namespace that was" : " namespaces that were",
                         " connected with this one (ip netns list-id) ",
                         *hidden == 1 ? "is" : "are",
                         " not found in any process, mount or open file"));
  if (closed > 1) unseen.push_back(cat(closed - 1, " more may not be entered"));
  far.unseen = join(unseen, "; ");
  return far;
}

std::optional<FarTarget> far_target_of(const Address& address) {
  if (!is_foreign(address) || address.body() != address.rest()) return std::nullopt;
  const auto parts = split(address.object(), '/');
  if (parts.size() != 3 || parts[2].empty()) return std::nullopt;
  const auto netns = parse_int(parts[0]);
  const auto ifindex = parse_int(parts[1]);
  if (!netns || *netns <= 0 || !ifindex || *ifindex <= 0 || *ifindex > INT32_MAX)
    return std::nullopt;
  FarTarget target;
  target.netns = static_cast<std::uint64_t>(*netns);
  target.ifindex = static_cast<int>(*ifindex);
  target.mac = parts[2];
  if (address.key() == kIpv6Mtu)
    target.property = FarProperty::ipv6_mtu;
  else if (address.key() != kMtu)
    return std::nullopt;
  return target;
}

std::string far_mac(const kernel::Link& link) {
  std::string mac = link.mac.text();
  std::erase(mac, ':');
  return mac.empty() ? "none" : mac;
}

Address far_address(std::uint64_t netns, const kernel::Link& link, FarProperty property) {
  return Address{cat(kForeignKind, ":", netns, "/", link.ifindex, "/", far_mac(link), ":",
                     property == FarProperty::mtu ? kMtu : kIpv6Mtu)};
}

}  // namespace nettune::kinds::link
