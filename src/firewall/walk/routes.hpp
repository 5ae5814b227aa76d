// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "firewall/rules/ranges.hpp"

namespace nettune::firewall::walk {

/// The kernel's route for one address.
struct RouteAnswer {
  bool found = false;     ///< false also for unreachable, blackhole and prohibit
  std::uint8_t type = 0;  ///< RTN_*
  std::vector<std::uint32_t> interfaces = {};  ///< of every nexthop

  bool operator==(const RouteAnswer&) const = default;
};

/// The routes and routing rules of this node; the kernel itself looks them up.
class Routes {
 public:
  struct Query {
    bool ipv6 = false;
    rules::U128 address = 0;
    std::optional<rules::U128> source = {};  ///< an address of this node
    std::uint32_t mark = 0;
    std::uint32_t interface = 0;  ///< the index of the only outgoing interface; 0: any
  };
  Routes() = default;
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;
  virtual ~Routes() = default;

  /// The addresses at which a route or a rule begins, or after which it ends, sorted: all addresses
  /// between two of them have the same answer.
  virtual std::span<const rules::U128> borders(bool ipv6) = 0;
  /// Nothing if the kernel cannot be asked.
  virtual std::optional<RouteAnswer> ask(const Query& query) = 0;
};

/// Addresses with the same answer.
struct RoutedPart {
  rules::Ranges addresses;
  std::optional<RouteAnswer> answer;  ///< nothing: not known
};
/// Divides addresses by their routes. `like` is the lookup to do for each.
std::vector<RoutedPart> divide_by_routes(Routes& routes, const rules::Ranges& addresses,
                                         const Routes::Query& like);

}  // namespace nettune::firewall::walk
