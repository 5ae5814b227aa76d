// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "tools/measure/net/data_client.hpp"

namespace nettune::tools::measure::net {

/// Datagrams of this socket are sent unfragmented or not at all, whatever the kernel knows of the
/// path (IP_PMTUDISC_PROBE).
void forbid_fragments(int socket);
/// Whether it is an IPv6 address that does not map IPv4.
bool is_ipv6(const SocketAddress& address);
/// The payload of a UDP datagram in an IP packet of this size.
std::size_t payload_of(std::uint32_t packet_bytes, bool ipv6);

struct PathMtu {
  std::optional<int> to_peer;  ///< nothing: no datagram arrives
  std::optional<int> from_peer;
};
/// The largest IP packet that arrives unfragmented in each direction, up to the MTUs of both
/// interfaces.
Result<PathMtu> path_mtu(const Target& target, int our_mtu, int their_mtu, double round_trip_s);

}  // namespace nettune::tools::measure::net
