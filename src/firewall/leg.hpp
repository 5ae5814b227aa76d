// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nettune::firewall {

/// Where a packet stands in its conversation: what begins it, the answer to that, and what goes on
/// in the direction of the first.
enum class Leg : std::uint8_t { first, answer, later };

}  // namespace nettune::firewall
