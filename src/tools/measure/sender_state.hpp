// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace nettune::tools::measure {

/// What held a sender's TCP connections back, over all of them since they began (TCP_INFO,
/// Linux 4.19; net/ipv4/tcp.c, tcp_get_info_chrono_stats()).
struct SenderState {
  std::uint64_t retransmits = 0;  ///< segments that were sent again
  std::uint64_t segments = 0;     ///< with data, sent again or not
  double busy_s = 0;              ///< there was something to send
  double receiver_limited_s = 0;  ///< of this: the receiver's window was full
  double buffer_limited_s = 0;    ///< of this: the send buffer was full

  SenderState& operator+=(const SenderState& other);
};

nlohmann::ordered_json to_json(const SenderState& state);
SenderState sender_state_from(const nlohmann::ordered_json& json);

}  // namespace nettune::tools::measure
