// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/came_by.hpp"

#include <algorithm>

namespace nettune::tools::measure::net {

void ask_for_way(int socket) {
  const int on = 1;
  if (::setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) != 0)
    (void)::setsockopt(socket, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
}

ssize_t receive_with(int socket, char* buffer, std::size_t size, CameBy& way) {
  iovec part{buffer, size};
  msghdr message{};
  message.msg_name = way.from.get();
  message.msg_namelen = sizeof way.from.storage;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = way.control.data();
  message.msg_controllen = way.control.size();
  const ssize_t got = ::recvmsg(socket, &message, MSG_DONTWAIT);
  way.from.size = message.msg_namelen;
  way.control_size = got < 0 ? 0 : message.msg_controllen;
  return got;
}

void answer_to(int socket, std::string_view bytes, const CameBy& way) {
  CameBy to = way;  // sendmsg(2) takes pointers to what it does not change
  std::string copy(bytes);
  iovec part{copy.data(), copy.size()};
  msghdr message{};
  message.msg_name = to.from.get();
  message.msg_namelen = to.from.size;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = to.control.data();
  message.msg_controllen = to.control_size;
  (void)::sendmsg(socket, &message, 0);
}

}  // namespace nettune::tools::measure::net
