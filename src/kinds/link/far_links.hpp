// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.hpp"
#include "kernel/net_namespace.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::kinds::link {

/// A link in another network namespace that stands on others or follows its members.
struct FarLink {
  std::uint64_t netns = 0;
  kernel::Link link;
  std::uint64_t lower_netns = 0;  ///< of the index in Link::link; 0: unknown
  std::string user;               ///< as kernel::NetNamespace::user
  bool ipv6 = false;

  std::string label() const;  ///< "eth0 in docker container 3f2a1b0c4d5e (nginx)"
};

/// The stacked links of other network namespaces.
struct FarLinks {
  std::uint64_t own = 0;  ///< this namespace
  std::vector<FarLink> links;
  std::map<int, std::uint64_t> numbers;  ///< this namespace's numbers for others (Link::link_netns)
  std::string unseen;                    ///< why there may be more; "" if every namespace was seen
};

/// Looks into every network namespace. Gives out no number for one (kernel::nsids_of()).
FarLinks find_far_links();

enum class FarProperty { mtu, ipv6_mtu };

/// The parts of an address netns:INODE/IFINDEX/MAC:PROPERTY. A device there is its namespace, its
/// index and its address: names in containers are all alike.
struct FarTarget {
  std::uint64_t netns = 0;
  int ifindex = 0;
  std::string_view mac;  ///< hex digits without colons; "none" without an address
  FarProperty property = FarProperty::mtu;
};
/// Nothing for another address.
std::optional<FarTarget> far_target_of(const Address& address);
Address far_address(std::uint64_t netns, const kernel::Link& link, FarProperty property);
/// The link's address as in FarTarget::mac.
std::string far_mac(const kernel::Link& link);

}  // namespace nettune::kinds::link
