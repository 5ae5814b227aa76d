// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// IPv4 uses the first four bytes.
using RouteAddress = std::array<std::uint8_t, 16>;

/// The destinations of a route or of a routing rule.
struct RoutedPrefix {
  RouteAddress address{};
  int length = 0;
};

struct RouteRequest {
  bool ipv6 = false;
  RouteAddress destination{};
  std::optional<RouteAddress> source = {};  ///< an address of this node
  std::uint32_t mark = 0;
  std::uint32_t ifindex = 0;  ///< the only outgoing one; 0: any
};

/// The matching entry of the routing tables for an address.
struct MatchedRoute {
  bool found = false;                         ///< false also for unreachable or prohibited entries
  std::uint8_t type = 0;                      ///< RTN_*
  std::vector<std::uint32_t> ifindexes = {};  ///< of every nexthop
};

/// Looks up routes one by one, over one socket. Needs no privilege.
class RouteLookup {
 public:
  static Result<RouteLookup> open();

  /// The destinations of all routes of all tables and of all rules of a family.
  Result<std::vector<RoutedPrefix>> prefixes(bool ipv6);
  /// RTM_GETROUTE with RTM_F_FIB_MATCH: rules and tables are searched as for a packet that this
  /// node sends.
  Result<MatchedRoute> find(const RouteRequest& request);

 private:
  explicit RouteLookup(NetlinkSession session) : session_(std::move(session)) {}

  NetlinkSession session_;
};

/// Parses RTM_NEWROUTE and RTM_NEWRULE; for any bytes.
std::optional<RoutedPrefix> parse_route_prefix(Bytes payload);
std::optional<RoutedPrefix> parse_rule_prefix(Bytes payload);

}  // namespace nettune::kernel
