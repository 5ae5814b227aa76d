// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/tcp_info.hpp"

#include <linux/tcp.h>  // glibc's tcp_info ends before what counts here
#include <netinet/in.h>
#include <sys/socket.h>

namespace nettune::tools::measure::net {
namespace {

tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  (void)::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info;
}

}  // namespace

SenderState sender_state(int socket) {
  const tcp_info info = info_of(socket);
  const auto seconds = [](std::uint64_t microseconds) {
    return static_cast<double>(microseconds) * 1e-6;
  };
  return {info.tcpi_total_retrans, info.tcpi_data_segs_out, seconds(info.tcpi_busy_time),
          seconds(info.tcpi_rwnd_limited), seconds(info.tcpi_sndbuf_limited)};
}

std::uint32_t out_of_order(int socket) { return info_of(socket).tcpi_rcv_ooopack; }

}  // namespace nettune::tools::measure::net
