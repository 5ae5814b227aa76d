// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nettune::firewall {

/// The position of a packet in its conversation: the first packet, the answer to it, and what
/// follows in the direction of the first.
enum class Leg : std::uint8_t { first, answer, later };

}  // namespace nettune::firewall
