// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/netlink.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::kernel {

// These parse the payload of one rtnetlink message. Pure; nothing if the fixed header is cut off.
// Attributes that are too short for their type count as absent.

/// RTM_NEWLINK.
std::optional<Link> parse_link(Bytes payload);
/// Parses into an existing link; on false it is unchanged.
bool parse_link_into(Link& link, Bytes payload);

/// RTM_NEWADDR; nothing for families other than IPv4 and IPv6.
std::optional<InterfaceAddress> parse_address(Bytes payload);

struct RouteMessage {
  Route route;
  std::uint8_t type = 0;  ///< RTN_*
  bool cloned = false;    ///< a cached exception, not a route that somebody set
  /// The nexthop object, if the kernel does not report its devices
  /// (net.ipv4.nexthop_compat_mode=0).
  std::uint32_t nexthop = 0;
};
/// RTM_NEWROUTE.
std::optional<RouteMessage> parse_route(Bytes payload);

struct Nexthop {
  std::uint32_t id = 0;
  int ifindex = 0;
  std::vector<std::uint32_t> group;  ///< ids of its members
};
/// RTM_NEWNEXTHOP.
std::optional<Nexthop> parse_nexthop(Bytes payload);

}  // namespace nettune::kernel
