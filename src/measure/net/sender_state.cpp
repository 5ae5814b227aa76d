// SPDX-License-Identifier: Apache-2.0
#include "measure/net/sender_state.hpp"

#include <linux/tcp.h>  // glibc's tcp_info ends before what counts here
#include <sys/socket.h>

#include "measure/json_fields.hpp"

namespace nettune::measure {
namespace {

tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  (void)::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info;
}

}  // namespace

SenderState& SenderState::operator+=(const SenderState& other) {
  retransmits += other.retransmits;
  segments += other.segments;
  busy_s += other.busy_s;
  receiver_limited_s += other.receiver_limited_s;
  buffer_limited_s += other.buffer_limited_s;
  return *this;
}

SenderState sender_state(int socket) {
  const tcp_info info = info_of(socket);
  const auto seconds = [](std::uint64_t microseconds) {
    return static_cast<double>(microseconds) * 1e-6;
  };
  return {info.tcpi_total_retrans, info.tcpi_data_segs_out, seconds(info.tcpi_busy_time),
          seconds(info.tcpi_rwnd_limited), seconds(info.tcpi_sndbuf_limited)};
}

std::uint32_t out_of_order(int socket) { return info_of(socket).tcpi_rcv_ooopack; }

nlohmann::ordered_json to_json(const SenderState& state) {
  return {{"retransmits", state.retransmits},
          {"segments", state.segments},
          {"busy_s", state.busy_s},
          {"receiver_limited_s", state.receiver_limited_s},
          {"buffer_limited_s", state.buffer_limited_s}};
}

SenderState sender_state_from(const nlohmann::ordered_json& json) {
  return {fields::count(json, "retransmits"), fields::count(json, "segments"),
          fields::number(json, "busy_s"), fields::number(json, "receiver_limited_s"),
          fields::number(json, "buffer_limited_s")};
}

}  // namespace nettune::measure
