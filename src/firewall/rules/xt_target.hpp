// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firewall/rules/expressions.hpp"

namespace nettune::firewall::rules {

/// The effect of an iptables target on a packet.
enum class TargetEffect { none, reject, notrack, zone, diversion };
TargetEffect effect_of(const XtTarget& target);

/// The sets that packets change, by a SET target; nothing if that is not known.
std::optional<std::vector<std::uint16_t>> changed_ip_sets(const XtTarget& target);
/// Whether a SET target may put a mark from a set on packets.
bool marks_by_ip_set(const XtTarget& target);
/// Whether it changes the mark of packets, and of their connection.
bool marks(const XtTarget& target);
bool marks_connections(const XtTarget& target);

}  // namespace nettune::firewall::rules
