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

namespace nettune::measure {

using Clock = std::chrono::steady_clock;
inline Clock::time_point in_seconds(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}
double seconds_since(Clock::time_point begin);

/// An address with a port, of IPv4 or IPv6.
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
/// Of a number; with "%eth1" for a link-local one. Never asks a name server.
Result<SocketAddress> numeric_address(const std::string& host, std::uint16_t port);
/// The first address of a name, asking name servers where need be.
Result<SocketAddress> resolve_address(const std::string& host, std::uint16_t port);
SocketAddress local_address(int socket);

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< both 0: any that the kernel gives
};
/// "29400-29410", "29400".
Result<PortRange> parse_port_range(std::string_view text);

/// Listens on the first free port of the range, on all addresses of both families.
Result<UniqueFd> listen_tcp(const PortRange& ports);
/// A datagram socket on all addresses, on this very port.
Result<UniqueFd> bind_udp(std::uint16_t port);
/// `from` is the local address, where it matters. The error tells refused from dropped from no
/// route.
Result<UniqueFd> connect_tcp(const SocketAddress& to, const std::optional<SocketAddress>& from,
                             Clock::time_point deadline);

/// Reads and writes give up after so long (SO_RCVTIMEO, SO_SNDTIMEO).
void set_timeouts(int socket, double seconds);
void set_nodelay(int socket);
/// tcpi_total_retrans; 0 where the kernel does not say.
std::uint32_t retransmits_of(int socket);

/// True once there is something to read, or the other side has ended; false at the deadline.
Result<bool> wait_readable(int fd, Clock::time_point deadline);
/// A line without its end, of a socket or a pipe. Reads no byte beyond it. Errc::invalid above
/// `limit` bytes, Errc::io at the end or the deadline.
Result<std::string> read_line(int fd, std::size_t limit, Clock::time_point deadline);
Result<> write_all(int fd, std::string_view bytes, Clock::time_point deadline);

}  // namespace nettune::measure
