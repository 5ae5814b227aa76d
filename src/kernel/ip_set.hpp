// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// An element of an ipset; what its type does not have is zero.
struct IpSetElement {
  std::array<std::byte, 16> address{};
  int prefix = 0;  ///< the bits of `address` that count
  std::uint16_t port = 0;
  std::uint8_t protocol = 0;  ///< of the port
};

/// A set of ipset(8), which rules of iptables look addresses and ports up in.
struct IpSet {
  std::string name;
  std::string type;  ///< "hash:ip", "hash:net,port", ...
  std::uint8_t family = 0;
  std::uint16_t index = 0;  ///< its number in the rules of the kernel
  /// Whether the elements say all: none has a timeout, a counter or an exception, and the set
  /// compares whole addresses.
  bool is_plain = true;
  std::vector<IpSetElement> elements;
};

/// Reads the set with that number. Needs CAP_NET_ADMIN.
Result<IpSet> read_ip_set(std::uint16_t index);
/// The same, without the reason why not.
std::optional<IpSet> find_ip_set(std::uint16_t index);

/// Adds what one IPSET_CMD_LIST message says. A set has several if it is large; the first has its
/// properties. Pure, for any bytes: what is not known makes the set not plain.
void parse_ip_set(Bytes payload, IpSet& set);

}  // namespace nettune::kernel
