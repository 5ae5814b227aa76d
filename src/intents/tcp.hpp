// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nettune::intents {

/// The largest buffer of a TCP socket for a rate and a round-trip time. It is twice the
/// bandwidth-delay product, since the kernel counts its own overhead per packet into the buffer,
/// rounded up to a power of two; at least `floor_bytes`, at most what tcp_rmem and tcp_wmem can
/// hold (INT_MAX).
std::int64_t tcp_buffer_bytes(double rate_gbps, double rtt_ms, std::int64_t floor_bytes);

}  // namespace nettune::intents
