// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::tools::measure::net {

using Clock = std::chrono::steady_clock;
inline Clock::time_point in_seconds(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}
double seconds_since(Clock::time_point begin);

/// An IPv4 or IPv6 address with a port.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  bool ipv6() const { return storage.ss_family == AF_INET6; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  std::string host() const;  ///< "10.0.0.1"
};
/// Parses a numeric address, with "%eth1" if it is link-local. Never queries a name server.
Result<SocketAddress> numeric_address(const std::string& host, std::uint16_t port);
/// The first address of a name; queries name servers if necessary.
Result<SocketAddress> resolve_address(const std::string& host, std::uint16_t port);
SocketAddress local_address(int socket);

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< both 0: the kernel chooses
};
/// "29400-29410", "29400".
Result<PortRange> parse_port_range(std::string_view text);

/// Listens on the first free port of the range, on all addresses of both families.
Result<UniqueFd> listen_tcp(const PortRange& ports);
/// A second listener on the port of `first`, which takes what arrives at this device; the sockets
/// that it accepts send by the same one. `first` alone claimed the port: it was bound without
/// SO_REUSEPORT, so no other process of this user shares it (net/ipv4/inet_connection_sock.c,
/// Linux 6.1: the flags of both sockets count when the second one is bound).
Result<UniqueFd> listen_on_device(const UniqueFd& first, const std::string& device);
/// A datagram socket on all addresses and exactly this port.
Result<UniqueFd> bind_udp(std::uint16_t port);
/// Binds a socket to a device: what it sends leaves by it, and only what arrives there is for it.
/// No privilege is needed (Linux 5.7).
Result<> bind_to_device(int socket, const std::string& device);
/// `from` is the local address, if it matters, and so is `device` unless it is "". The error
/// distinguishes refused, dropped and no route.
Result<UniqueFd> connect_tcp(const SocketAddress& to, const std::optional<SocketAddress>& from,
                             Clock::time_point deadline, const std::string& device = {});

/// Reads and writes fail after this time (SO_RCVTIMEO, SO_SNDTIMEO).
void set_timeouts(int socket, double seconds);
void set_nodelay(int socket);

/// True when there is data, or the other side has ended; false at the deadline.
Result<bool> wait_readable(int fd, Clock::time_point deadline);
/// Reads a line from a socket or a pipe, without its newline, and no byte after it. Errc::invalid
/// above `limit` bytes, Errc::io at the end or the deadline.
Result<std::string> read_line(int fd, std::size_t limit, Clock::time_point deadline);
Result<> write_all(int fd, std::string_view bytes, Clock::time_point deadline);

}  // namespace nettune::tools::measure::net
