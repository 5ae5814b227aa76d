// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/word_table.hpp"

namespace nettune::firewall::rules {

/// A range of addresses, as a prefix. IPv4 uses the first four bytes.
struct Network {
  bool ipv6 = false;
  std::array<std::uint8_t, 16> address{};  ///< network byte order; host bits are zero
  int prefix = 0;

  auto operator<=>(const Network&) const = default;
};
/// Parses "10.10.0.0/16", "10.1.2.3", "fd00:10::/64". Host bits and anything else are invalid.
Result<Network> parse_network(std::string_view text);
std::string text_of(const Network& network);
/// Sorted, without networks that are in another one, with neighbours joined.
std::vector<Network> merged(std::vector<Network> networks);

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  auto operator<=>(const PortRange&) const = default;
};
/// Parses "29500", "29500-29510"; 0 is not a port.
Result<PortRange> parse_port_range(std::string_view text);
/// Sorted, with overlapping and adjacent ranges joined.
std::vector<PortRange> merged(std::vector<PortRange> ranges);

enum class Protocol { tcp, udp, icmp, icmpv6 };
inline constexpr auto kProtocols = word_table<Protocol>({
    {Protocol::tcp, "tcp"},
    {Protocol::udp, "udp"},
    {Protocol::icmp, "icmp"},
    {Protocol::icmpv6, "icmpv6"},
});
std::uint8_t number_of(Protocol protocol);  ///< IPPROTO_*

/// One rule that nettune wants in a firewall, for one family and one protocol.
struct Opening {
  enum class Effect {
    accept,       ///< from the peers
    drop_others,  ///< from all but the peers: TCP SYN, and all UDP
  };
  Effect effect = Effect::accept;
  bool ipv6 = false;
  Protocol protocol = Protocol::tcp;
  std::vector<PortRange> ports;         ///< none for icmp
  std::vector<Network> peers;           ///< of this family; at least one for accept
  std::vector<std::string> interfaces;  ///< sorted; at least one
  bool outgoing = false;                ///< accept: to the peers, out by the interfaces
  bool answers = false;                 ///< accept with ports: they are source ports

  bool operator==(const Opening&) const = default;
};

/// The canonical text: "accept tcp 29400,32768-60999 from 10.10.0.0/16 in eth1,eth2",
/// "drop tcp 29400 from all but 10.10.0.0/16 in eth1", "drop udp 4791 from all IPv6 in eth1",
/// "accept icmpv6 from fd00:10::/64 in eth1", "accept tcp 29400 to 10.10.0.0/16 out eth1",
/// "accept tcp answers of 29400 to 10.10.0.0/16 out eth1".
std::string text_of(const Opening& opening);
Result<Opening> parse_opening(std::string_view text);

}  // namespace nettune::firewall::rules
