// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "firewall/expressions.hpp"
#include "firewall/packets.hpp"
#include "firewall/routes.hpp"

namespace nettune::firewall {

/// What a match may depend on besides the packet.
struct XtContext {
  const Shape& shape;
  std::uint32_t connection = 0;  ///< NF_CT_STATE_*; 0: not known
  Routes* routes = nullptr;      ///< null: not known
};
/// The result of an iptables match for packets; unknown if it is not modelled. Accepts any bytes.
Split divide_by_match(const XtContext& context, const Packets& packets, const XtMatch& match);

/// The effect of an iptables target on a packet.
enum class TargetEffect { none, reject, notrack, zone, diversion };
TargetEffect effect_of(const XtTarget& target);

/// The mark of packets after a target that sets it; nothing for another target.
std::optional<Mark> mark_of(const XtTarget& target, const Packets& packets);
/// Whether it changes the mark of packets, and of their connection.
bool marks(const XtTarget& target);
bool marks_connections(const XtTarget& target);

}  // namespace nettune::firewall
