// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "firewall/rules/expressions.hpp"
#include "firewall/walk/packets.hpp"
#include "kernel/ip_set.hpp"

namespace nettune::firewall::walk {

/// An ipset prepared for lookups: a packet is in it if its address and its port are in one of the
/// groups.
struct ReadyIpSet {
  struct Group {
    rules::Ranges addresses;  ///< empty: any
    rules::Ranges ports;      ///< empty: any
    std::uint8_t protocol = 0;
  };
  std::uint8_t family = 0;    ///< NFPROTO_*; NFPROTO_UNSPEC: of both
  std::size_t dimension = 0;  ///< how many values of a packet it compares
  bool has_address = false;
  std::vector<Group> groups;
};
/// Nothing if the set has a type that is not modelled, or if more than its elements decides.
std::optional<ReadyIpSet> make_ready(const kernel::IpSet& set);

/// Finds a set by its index; null if what it holds is not known.
using FindIpSet = std::function<const ReadyIpSet*(std::uint16_t index)>;
/// The result of the iptables match "set" for packets. Accepts any bytes.
Split divide_by_ip_set(const Shape& shape, const Packets& packets, const rules::XtMatch& match,
                       const FindIpSet& find);

}  // namespace nettune::firewall::walk
