// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/netfilter.h>
#include <optional>

#include "firewall/rules/expressions.hpp"
#include "firewall/walk/packets.hpp"
#include "firewall/walk/routes.hpp"

namespace nettune::firewall::walk {

/// An address in a structure of iptables, as a number.
rules::U128 number_of(const nf_inet_addr& address, bool ipv6);

/// What a match may depend on besides the packet.
struct XtContext {
  const Shape& shape;
  std::uint32_t connection = 0;  ///< NF_CT_STATE_*; 0: not known
  Routes* routes = nullptr;      ///< null: not known
};
/// The result of an iptables match for packets; unknown if it is not modelled. Accepts any bytes.
Split divide_by_match(const XtContext& context, const Packets& packets,
                      const rules::XtMatch& match);

/// The mark of packets after a target that sets it; nothing for another target.
std::optional<Mark> mark_of(const rules::XtTarget& target, const Packets& packets);
}  // namespace nettune::firewall::walk
