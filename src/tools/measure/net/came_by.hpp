// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <sys/types.h>

#include "tools/measure/net/socket.hpp"

namespace nettune::tools::measure::net {

/// How a datagram came: who sent it, and the device and local address that it reached.
struct CameBy {
  SocketAddress from;
  std::array<std::byte, 64> control{};  ///< of recvmsg(2), which sendmsg(2) takes as it is
  std::size_t control_size = 0;
};

/// From now on the kernel says of each datagram where it arrived (ip(7), ipv6(7): PKTINFO; a socket
/// of both families says it in IPv6's form for both).
void ask_for_way(int socket);
/// As recv(2), without waiting.
ssize_t receive_with(int socket, char* buffer, std::size_t size, CameBy& way);
/// Sends an answer by the device, and from the address, that the question reached.
void answer_to(int socket, std::string_view bytes, const CameBy& way);

}  // namespace nettune::tools::measure::net
