// SPDX-License-Identifier: Apache-2.0
#include "kernel/reach.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <net/if.h>
#include <netdb.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {
namespace {

/// ICMP_FILTER of linux/icmp.h, which conflicts with net/if.h.
constexpr int kIcmpFilter = 1;

using Clock = std::chrono::steady_clock;

Failure socket_failed(std::string_view what, int error) {
  return fail(Errc::io, cat(what, ": ", std::strerror(error)), error);
}

struct Target {
  int family = AF_UNSPEC;
  sockaddr_storage address{};
  socklen_t size = 0;
};

Result<Target> target_of(const Peer& peer, std::uint16_t port) {
  Target target;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, peer.address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    target.family = AF_INET;
    target.size = sizeof v4;
    std::memcpy(&target.address, &v4, sizeof v4);
    return target;
  }
  if (inet_pton(AF_INET6, peer.address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (!peer.interface.empty() && IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr))
      v6.sin6_scope_id = if_nametoindex(peer.interface.c_str());
    target.family = AF_INET6;
    target.size = sizeof v6;
    std::memcpy(&target.address, &v6, sizeof v6);
    return target;
  }
  return fail(Errc::invalid,
              cat("\"", printable(peer.address), "\" is not an IPv4 or IPv6 address"));
}

Result<> set_option(int socket, int level, int name, int value, std::string_view what) {
  if (::setsockopt(socket, level, name, &value, sizeof value) == 0) return {};
  return socket_failed(what, errno);
}

Result<UniqueFd> open_socket(const Peer& peer, const Target& target, int type, int protocol) {
  UniqueFd socket(::socket(target.family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (!socket.valid()) return socket_failed("cannot open a socket", errno);
  if (peer.interface.empty()) return socket;
  const auto length = static_cast<socklen_t>(peer.interface.size());
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, peer.interface.data(), length) < 0)
    return socket_failed(cat("cannot send by ", printable(peer.interface)), errno);
  return socket;
}

Result<> connect_socket(int socket, const Target& target) {
  const auto* const address = reinterpret_cast<const sockaddr*>(&target.address);
  if (::connect(socket, address, target.size) == 0 || errno == EINPROGRESS) return {};
  return fail(Errc::io, std::strerror(errno), errno);
}

/// False if the deadline has passed.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd on{socket, events, 0};
    const int ready = ::poll(&on, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// One echo request of a family: how to make it, and how to recognize its answer.
class Echo {
 public:
  Echo(int family, std::size_t packet_bytes) : family_(family) {
    request_.resize(packet_bytes - (family == AF_INET ? kIpv4Header : kIpv6Header));
    for (std::size_t i = kIcmpHeader; i < request_.size(); ++i)
      request_[i] = static_cast<std::uint8_t>(i);
    request_[0] = family == AF_INET ? ICMP_ECHO : ICMP6_ECHO_REQUEST;
    put(4, static_cast<std::uint16_t>(::getpid()));
    // A late answer to an earlier request does not count.
    put(6, static_cast<std::uint16_t>(Clock::now().time_since_epoch().count() >> 10));
    // The kernel fills in the checksum of ICMPv6 (RFC 3542, 3.1), and not that of ICMP.
    if (family == AF_INET) put(2, checksum());
  }

  Result<> prepare(int socket) const {
    if (family_ == AF_INET) {
      const int others = ~(1 << ICMP_ECHOREPLY);
      TRY(set_option(socket, SOL_RAW, kIcmpFilter, others, "ICMP_FILTER"));
      TRY(set_option(socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE, "IP_MTU_DISCOVER"));
      TRY(set_option(socket, IPPROTO_IP, IP_RECVERR, 1, "IP_RECVERR"));
      return set_option(socket, IPPROTO_IP, IP_RECVFRAGSIZE, 1, "IP_RECVFRAGSIZE");
    }
    icmp6_filter others;
    ICMP6_FILTER_SETBLOCKALL(&others);
    ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &others);
    if (::setsockopt(socket, IPPROTO_ICMPV6, ICMP6_FILTER, &others, sizeof others) < 0)
      return socket_failed("ICMP6_FILTER", errno);
    TRY(set_option(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE,
                   "IPV6_MTU_DISCOVER"));
    TRY(set_option(socket, IPPROTO_IPV6, IPV6_DONTFRAG, 1, "IPV6_DONTFRAG"));
    TRY(set_option(socket, IPPROTO_IPV6, IPV6_RECVERR, 1, "IPV6_RECVERR"));
    return set_option(socket, IPPROTO_IPV6, IPV6_RECVFRAGSIZE, 1, "IPV6_RECVFRAGSIZE");
  }

  Result<> send(int socket, std::size_t packet_bytes) const {
    // ENOBUFS: dropped by this node's own device (veth does so). Then there is no answer, either.
    if (::send(socket, request_.data(), request_.size(), 0) >= 0 || errno == ENOBUFS) return {};
    return refused(errno, packet_bytes);
  }

  /// Nothing if that was not an answer to this request.
  Result<std::optional<std::size_t>> receive(int socket, std::size_t packet_bytes) {
    std::vector<std::uint8_t> answer(kLargestEcho);
    alignas(cmsghdr) std::array<char, 256> control{};
    iovec part{answer.data(), answer.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(socket, &message, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::optional<std::size_t>();
    if (size < 0) return refused(errno, packet_bytes);
    answer.resize(static_cast<std::size_t>(size));
    if (!is_answer(answer)) return std::optional<std::size_t>();
    std::optional<std::size_t> fragment = 0;
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
      const bool v4 = one->cmsg_level == IPPROTO_IP && one->cmsg_type == IP_RECVFRAGSIZE;
      const bool v6 = one->cmsg_level == IPPROTO_IPV6 && one->cmsg_type == IPV6_RECVFRAGSIZE;
      int bytes = 0;
      if (!v4 && !v6) continue;
      std::memcpy(&bytes, CMSG_DATA(one), sizeof bytes);
      fragment = static_cast<std::size_t>(std::max(bytes, 0));
    }
    return fragment;
  }

 private:
  static constexpr std::size_t kIcmpHeader = 8;
  static constexpr std::size_t kIpv4Header = 20;
  static constexpr std::size_t kIpv6Header = 40;

  static Failure refused(int error, std::size_t packet_bytes) {
    if (error == EMSGSIZE)
      return fail(Errc::conflict,
                  cat("a packet of ", packet_bytes, " bytes is larger than the path's MTU"), error);
    return fail(Errc::io, std::strerror(error), error);
  }

  void put(std::size_t at, std::uint16_t value) {
    std::memcpy(&request_[at], &value, sizeof value);
  }

  /// RFC 1071, over 16-bit words in memory order.
  std::uint16_t checksum() const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < request_.size(); i += 2) {
      std::uint16_t word = 0;
      std::memcpy(&word, &request_[i], std::min<std::size_t>(2, request_.size() - i));
      sum += word;
    }
    while (sum >> 16U != 0) sum = (sum & 0xFFFFU) + (sum >> 16U);
    return static_cast<std::uint16_t>(~sum);
  }

  bool is_answer(const std::vector<std::uint8_t>& bytes) const {
    // A raw socket of IPv4 delivers the IP header, one of IPv6 does not.
    std::size_t at = 0;
    if (family_ == AF_INET) at = bytes.empty() ? 0 : std::size_t{bytes[0] & 15U} * 4;
    if (bytes.size() != at + request_.size()) return false;
    const std::uint8_t reply = family_ == AF_INET ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY;
    constexpr std::size_t kBehindChecksum = 4;
    return bytes[at] == reply &&
           std::equal(request_.begin() + kBehindChecksum, request_.end(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(at + kBehindChecksum));
  }

  int family_;
  std::vector<std::uint8_t> request_;
};

}  // namespace

Result<std::string> resolve(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(name.c_str(), nullptr, &wanted, &found); error != 0)
    return fail(Errc::not_found,
                cat("no address found for '", printable(name), "': ", ::gai_strerror(error)));
  std::array<char, NI_MAXHOST> text{};
  const int error = ::getnameinfo(found->ai_addr, found->ai_addrlen, text.data(),
                                  static_cast<socklen_t>(text.size()), nullptr, 0, NI_NUMERICHOST);
  ::freeaddrinfo(found);
  if (error != 0) return fail(Errc::not_found, ::gai_strerror(error));
  return std::string(text.data());
}

Result<> echo(const Peer& peer, std::size_t packet_bytes, int timeout_ms) {
  packet_bytes = std::clamp(packet_bytes, kSmallestEcho, kLargestEcho);
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  TRY_ASSIGN(const Target target, target_of(peer, 0));
  const int protocol =
      target.family == AF_INET ? static_cast<int>(IPPROTO_ICMP) : static_cast<int>(IPPROTO_ICMPV6);
  TRY_ASSIGN(const UniqueFd socket, open_socket(peer, target, SOCK_RAW, protocol));
  Echo request(target.family, packet_bytes);
  TRY(request.prepare(socket.get()));
  TRY(connect_socket(socket.get(), target));
  TRY(request.send(socket.get(), packet_bytes));
  while (wait_for(socket.get(), POLLIN, deadline)) {
    TRY_ASSIGN(const auto fragment, request.receive(socket.get(), packet_bytes));
    if (!fragment) continue;
    if (*fragment == 0) return {};
    return fail(Errc::conflict, cat("a packet of ", packet_bytes,
                                    " bytes arrived, but its answer came back in fragments of ",
                                    *fragment, " bytes: the other side has a smaller MTU"));
  }
  return fail(Errc::io, cat("no answer to a packet of ", packet_bytes, " bytes"), ETIMEDOUT);
}

Result<> connect_tcp(const Peer& peer, std::uint16_t port, int timeout_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  TRY_ASSIGN(const Target target, target_of(peer, port));
  TRY_ASSIGN(const UniqueFd socket, open_socket(peer, target, SOCK_STREAM, 0));
  TRY(connect_socket(socket.get(), target));
  if (!wait_for(socket.get(), POLLOUT, deadline))
    return fail(Errc::io, "the connection was not answered", ETIMEDOUT);
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) < 0) error = errno;
  if (error != 0) return fail(Errc::io, std::strerror(error), error);
  return {};
}

}  // namespace nettune::kernel
