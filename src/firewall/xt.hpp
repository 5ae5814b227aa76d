// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "firewall/expressions.hpp"
#include "firewall/packets.hpp"

namespace nettune::firewall {

/// How packets stand to a match of iptables; unknown where it is not modelled. Pure, for any bytes.
Split divide_by_match(const Shape& shape, const Packets& packets, const XtMatch& match);

/// What a target of iptables does to a packet.
enum class TargetEffect { none, reject, notrack, diversion };
TargetEffect effect_of(const XtTarget& target);

}  // namespace nettune::firewall
