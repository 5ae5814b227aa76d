// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstring>
#include <netinet/in.h>

#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

constexpr std::string_view kEstablished = "01";  // TCP_ESTABLISHED

template <class T>
std::optional<T> parse_hex(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, 16);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

std::string address_text(int family, const void* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(family, bytes, text.data(), text.size()) != nullptr ? text.data() : "";
}

/// The kernel prints an address as one or four 32-bit words in the order of the host
/// (get_tcp4_sock, get_tcp6_sock).
std::string parse_address(std::string_view hex) {
  std::array<std::uint32_t, 4> words{};
  if (hex.size() != 8 && hex.size() != 32) return {};
  for (std::size_t i = 0; i < hex.size() / 8; ++i) {
    const auto word = parse_hex<std::uint32_t>(hex.substr(i * 8, 8));
    if (!word) return {};
    words[i] = *word;
  }
  if (hex.size() == 8) return address_text(AF_INET, words.data());
  in6_addr address{};
  std::memcpy(&address, words.data(), sizeof(address));
  if (IN6_IS_ADDR_V4MAPPED(&address)) return address_text(AF_INET, &words[3]);
  return address_text(AF_INET6, &address);
}

std::optional<TcpConnection> parse_line(std::string_view line) {
  // "0: LOCAL:PORT REMOTE:PORT STATE tx:rx timer:when retransmits uid timeout inode ..."
  const auto fields = words(line);
  if (fields.size() < 10 || fields[3] != kEstablished) return std::nullopt;
  const std::size_t local = fields[1].find(':');
  const std::size_t remote = fields[2].find(':');
  if (local == std::string_view::npos || remote == std::string_view::npos) return std::nullopt;
  const auto port = parse_hex<std::uint16_t>(fields[1].substr(local + 1));
  const auto inode = parse_int(fields[9]);
  TcpConnection connection;
  connection.local = parse_address(fields[1].substr(0, local));
  connection.remote = parse_address(fields[2].substr(0, remote));
  if (!port || !inode || *inode < 0 || connection.local.empty() || connection.remote.empty()) {
    return std::nullopt;
  }
  connection.local_port = *port;
  connection.inode = static_cast<std::uint64_t>(*inode);
  return connection;
}

}  // namespace

std::vector<TcpConnection> parse_tcp_table(std::string_view text) {
  std::vector<TcpConnection> connections;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (auto connection = parse_line(text.substr(0, end))) {
      connections.push_back(std::move(*connection));
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return connections;
}

}  // namespace nettune::facts
