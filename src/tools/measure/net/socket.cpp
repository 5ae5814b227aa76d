// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/socket.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::tools::measure::net {
namespace {

constexpr int kBacklog = 512;

Failure sys_fail(const std::string& what, int error) {
  return fail(Errc::io, cat(what, ": ", std::strerror(error)), error);
}

int left_ms(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

/// True when ready, false at the deadline.
Result<bool> wait_for(int fd, short events, Clock::time_point deadline) {
  while (true) {
    pollfd one{fd, events, 0};
    const int ready = ::poll(&one, 1, left_ms(deadline));
    if (ready > 0) return true;
    if (ready == 0 && Clock::now() >= deadline) return false;
    if (ready < 0 && errno != EINTR) return sys_fail("cannot wait", errno);
  }
}

Result<SocketAddress> look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0 || found == nullptr)
    return fail(Errc::not_found,
                cat("the address of ", printable(host), " is not known: ", ::gai_strerror(error)));
  SocketAddress out;
  std::memcpy(&out.storage, found->ai_addr, found->ai_addrlen);
  out.size = found->ai_addrlen;
  ::freeaddrinfo(found);
  out.set_port(port);
  return out;
}

SocketAddress any_address(std::uint16_t port) {
  SocketAddress out;
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_addr = in6addr_any;
  any.sin6_port = htons(port);
  std::memcpy(&out.storage, &any, sizeof any);
  out.size = sizeof any;
  return out;
}

/// For both families if there is IPv6, otherwise for IPv4. With a device: beside a listener of this
/// process on the same port.
Result<UniqueFd> bound(int type, std::uint16_t port, const std::string& device = {}) {
  UniqueFd socket(::socket(AF_INET6, type | SOCK_CLOEXEC, 0));
  const int off = 0;
  const int on = 1;
  const auto prepare = [&]() -> Result<> {
    if (type == SOCK_STREAM)  // connections of an earlier run may be in TIME_WAIT
      (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (device.empty()) return {};
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    return bind_to_device(socket.get(), device);
  };
  if (socket.valid()) {
    TRY(prepare());
    (void)::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    const SocketAddress any = any_address(port);
    if (::bind(socket.get(), any.get(), any.size) == 0) return socket;
    if (errno != EADDRNOTAVAIL) return sys_fail(cat("port ", port), errno);
  }
  socket = UniqueFd(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return sys_fail("cannot make a socket", errno);
  TRY(prepare());
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(port);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0)
    return sys_fail(cat("port ", port), errno);
  return socket;
}

Failure cannot_connect(const SocketAddress& to, int error) {
  const std::string name = cat(to.host(), " port ", to.port());
  switch (error) {
    case ECONNREFUSED:
      return fail(Errc::io,
                  cat(name,
                      " refuses the connection: nothing listens there, or a firewall rejects it; "
                      "open this port to the peers"),
                  error);
    case ENETUNREACH:
    case EHOSTUNREACH:
      return fail(Errc::io,
                  cat("there is no route to ", name, ", or no such neighbour (",
                      std::strerror(error), "); see ip route get ", to.host()),
                  error);
    case ETIMEDOUT:
      return fail(
          Errc::io,
          cat(name,
              " does not answer: a firewall in between drops it; open this port to the peers"),
          error);
    default:
      return sys_fail(cat("cannot connect to ", name), error);
  }
}

}  // namespace

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::uint16_t SocketAddress::port() const {
  return ntohs(ipv6() ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                      : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

void SocketAddress::set_port(std::uint16_t port) {
  if (ipv6())
    reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port = htons(port);
  else
    reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
}

std::string SocketAddress::host() const {
  std::array<char, 128> text{};
  if (::getnameinfo(get(), size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "?";
  const std::string out = text.data();
  return out.starts_with("::ffff:") && out.find('.') != out.npos ? out.substr(7) : out;
}

Result<SocketAddress> numeric_address(const std::string& host, std::uint16_t port) {
  return look_up(host, port, AI_NUMERICHOST);
}

Result<SocketAddress> resolve_address(const std::string& host, std::uint16_t port) {
  return look_up(host, port, 0);
}

SocketAddress local_address(int socket) {
  SocketAddress out;
  out.size = sizeof out.storage;
  if (::getsockname(socket, out.get(), &out.size) != 0) out.size = 0;
  return out;
}

Result<PortRange> parse_port_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_int(text.substr(0, dash));
  const auto last = dash == text.npos ? first : parse_int(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last > 65535 || *first > *last)
    return fail(Errc::invalid,
                cat("'", printable(text), "' is not a range of ports; write 29400-29410"));
  return PortRange{static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

Result<UniqueFd> listen_tcp(const PortRange& ports) {
  for (std::uint32_t port = ports.first; port <= ports.last; ++port) {
    auto socket = bound(SOCK_STREAM, static_cast<std::uint16_t>(port));
    if (!socket && socket.error().sys == EADDRINUSE) continue;
    if (!socket) return fail_in("cannot listen", std::move(socket).error());
    if (::listen(socket->get(), kBacklog) == 0) return socket;
    if (errno != EADDRINUSE) return sys_fail("cannot listen", errno);
  }
  return fail(Errc::busy, cat("all ports from ", ports.first, " to ", ports.last, " are in use"));
}

Result<UniqueFd> listen_on_device(const UniqueFd& first, const std::string& device) {
  const int on = 1;
  if (::setsockopt(first.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0)
    return sys_fail("cannot share the port", errno);
  TRY_ASSIGN(UniqueFd socket, bound(SOCK_STREAM, local_address(first.get()).port(), device));
  if (::listen(socket.get(), kBacklog) != 0)
    return sys_fail(cat("cannot listen on ", printable(device)), errno);
  return socket;
}

Result<UniqueFd> bind_udp(std::uint16_t port) { return bound(SOCK_DGRAM, port); }

Result<> bind_to_device(int socket, const std::string& device) {
  if (::setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, device.c_str(),
                   static_cast<socklen_t>(device.size() + 1)) == 0)
    return {};
  return sys_fail(cat("cannot use ", printable(device)), errno);
}

Result<UniqueFd> connect_tcp(const SocketAddress& to, const std::optional<SocketAddress>& from,
                             Clock::time_point deadline, const std::string& device) {
  UniqueFd socket(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return sys_fail("cannot make a socket", errno);
  if (!device.empty()) TRY(bind_to_device(socket.get(), device));
  if (from) {
    SocketAddress source = *from;
    source.set_port(0);
    const int on = 1;
    (void)::setsockopt(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (::bind(socket.get(), source.get(), source.size) != 0)
      return sys_fail(cat("cannot use the address ", source.host()), errno);
  }
  if (::connect(socket.get(), to.get(), to.size) != 0) {
    if (errno != EINPROGRESS) return cannot_connect(to, errno);
    TRY_ASSIGN(const bool ready, wait_for(socket.get(), POLLOUT, deadline));
    if (!ready) return cannot_connect(to, ETIMEDOUT);
    int error = 0;
    socklen_t size = sizeof error;
    (void)::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return cannot_connect(to, error);
  }
  (void)::fcntl(socket.get(), F_SETFL, 0);
  return socket;
}

void set_timeouts(int socket, double seconds) {
  timeval time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(time.tv_sec)) * 1e6);
  (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

void set_nodelay(int socket) {
  const int on = 1;
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Result<bool> wait_readable(int fd, Clock::time_point deadline) {
  return wait_for(fd, POLLIN, deadline);
}

Result<std::string> read_line(int fd, std::size_t limit, Clock::time_point deadline) {
  std::string line;
  while (true) {
    TRY_ASSIGN(const bool ready, wait_for(fd, POLLIN, deadline));
    if (!ready) return fail(Errc::io, "no answer in time", ETIMEDOUT);
    char c = 0;
    const ssize_t got = ::read(fd, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return sys_fail("cannot read", errno);
    if (got == 0) return fail(Errc::io, "the other side has ended");
    if (c == '\n') return line;
    if (line.size() >= limit)
      return fail(Errc::invalid, "the other side sent a line that is too long");
    line.push_back(c);
  }
}

Result<> write_all(int fd, std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    TRY_ASSIGN(const bool ready, wait_for(fd, POLLOUT, deadline));
    if (!ready) return fail(Errc::io, "the other side does not read", ETIMEDOUT);
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return sys_fail("cannot write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

}  // namespace nettune::tools::measure::net
