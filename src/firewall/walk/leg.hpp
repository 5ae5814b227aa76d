// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nettune::firewall::walk {

/// The position of a packet in its conversation: the first packet, the answer to it, and what
/// follows in the direction of the first, and in that of the answer.
enum class Leg : std::uint8_t { first, answer, later, later_answer };

/// Whether it goes to the one who began the conversation.
constexpr bool goes_back(Leg leg) { return leg == Leg::answer || leg == Leg::later_answer; }

}  // namespace nettune::firewall::walk
