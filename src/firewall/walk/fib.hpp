// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firewall/walk/packets.hpp"
#include "firewall/walk/routes.hpp"

namespace nettune::firewall::walk {

/// Some packets, and the route lookup of one of their addresses.
struct RoutedPackets {
  Packets packets;
  std::optional<RouteAnswer> answer;  ///< nothing: not known
};

/// The lookup of a rule: which address, by which interface only (0: any), with the packet's mark.
struct RouteQuestion {
  Field field = Field::source;
  std::uint32_t interface = 0;
  bool by_mark = false;
};

/// Divides packets by the route lookup of one of their addresses, with the other as the source.
std::vector<RoutedPackets> divide_by_routes(Routes* routes, const Shape& shape,
                                            const Packets& packets, const RouteQuestion& question);

/// Whether packets to an address leave by that interface; nothing if that is not known.
std::optional<bool> leaves_by(const std::optional<RouteAnswer>& answer, bool ipv6,
                              std::uint32_t interface);

/// Whether an address is link-local (fe80::/10): its routes are those of the interface.
bool is_link_local(bool ipv6, const rules::Ranges& addresses);

/// The value of "fib saddr type" or "fib daddr type", RTN_*; nothing if it is not known.
std::optional<std::uint32_t> address_type(const std::optional<RouteAnswer>& answer, bool ipv6);

}  // namespace nettune::firewall::walk
