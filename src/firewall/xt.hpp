// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "firewall/expressions.hpp"
#include "firewall/packets.hpp"
#include "firewall/routes.hpp"

namespace nettune::firewall {

/// What a match may look at beside the packet.
struct XtContext {
  const Shape& shape;
  std::uint32_t connection = 0;  ///< NF_CT_STATE_*; 0: not known
  Routes* routes = nullptr;      ///< null: not known
};
/// How packets stand to a match of iptables; unknown where it is not modelled. For any bytes.
Split divide_by_match(const XtContext& context, const Packets& packets, const XtMatch& match);

/// What a target of iptables does to a packet.
enum class TargetEffect { none, reject, notrack, diversion };
TargetEffect effect_of(const XtTarget& target);

/// The mark that packets have behind a MARK or a CONNMARK; nothing for another target.
std::optional<Mark> mark_of(const XtTarget& target, const Packets& packets);
/// Whether it changes the mark of packets, and of their connection.
bool marks(const XtTarget& target);
bool marks_connections(const XtTarget& target);

}  // namespace nettune::firewall
