// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tools/measure/sender_state.hpp"

namespace nettune::tools::measure::net {

/// All 0 if the kernel does not report it.
SenderState sender_state(int socket);
/// Segments that arrived before an earlier one did, since the connection began; 0 likewise.
std::uint32_t out_of_order(int socket);

}  // namespace nettune::tools::measure::net
