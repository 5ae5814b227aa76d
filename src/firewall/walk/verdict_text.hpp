// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/forks.hpp"
#include "firewall/walk/packets.hpp"

namespace nettune::firewall::walk {

/// An example of these packets: "10.10.0.1 -> tcp 29500 on eth1".
std::string packet_text(const Packets& packets, const Traffic& traffic, const Shape& shape);
/// Where the finding is, whose table that is, and an example of its packets.
Verdict verdict_at(Passage passage, const WalkFinding& finding, const kernel::NfRuleset& ruleset,
                   const Traffic& traffic, const Shape& shape);

}  // namespace nettune::firewall::walk
