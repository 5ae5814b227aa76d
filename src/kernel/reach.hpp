// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace nettune::kernel {

/// The destination, as numbers: never a name to look up.
struct Peer {
  std::string address;    ///< IPv4 or IPv6, without a zone
  std::string interface;  ///< the outgoing interface; "" for the route's
};

/// The first address of a host; numeric addresses stay. May ask name servers and take their time.
Result<std::string> resolve(const std::string& name);

/// Sends one ICMP echo request that must not be fragmented, in an IP packet of `packet_bytes`
/// (headers included, at least kSmallestEcho), and waits for the answer. The cached path MTU is
/// ignored (IP_PMTUDISC_PROBE, ip(7)). An answer in fragments is also an error: then the MTU of the
/// other side, or of the way back, is smaller. Needs CAP_NET_RAW.
Result<> echo(const Peer& peer, std::size_t packet_bytes, int timeout_ms);
/// The size of an IPv6 header, an ICMP header and a few bytes.
constexpr std::size_t kSmallestEcho = 84;
constexpr std::size_t kLargestEcho = 65535;

/// Makes a TCP connection, and closes it.
Result<> connect_tcp(const Peer& peer, std::uint16_t port, int timeout_ms);

}  // namespace nettune::kernel
