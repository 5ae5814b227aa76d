// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/path_mtu.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <poll.h>
#include <vector>

#include "base/text.hpp"
#include "tools/measure/net/wire.hpp"

namespace nettune::tools::measure::net {
namespace {

constexpr int kSmallest = 576;  // every path of IPv4 carries this (RFC 791)
constexpr int kTries = 3;

/// The largest of smallest..upper that passes; nothing if the smallest does not.
std::optional<int> largest(int upper, const std::function<bool(int)>& passes) {
  if (passes(upper)) return upper;
  if (upper <= kSmallest || !passes(kSmallest)) return {};
  int good = kSmallest;
  int bad = upper;
  while (bad - good > 1) {
    const int middle = (good + bad) / 2;
    (passes(middle) ? good : bad) = middle;
  }
  return good;
}

class Prober {
 public:
  Prober(UniqueFd socket, const Tokens& tokens, bool ipv6, double patience_s)
      : socket_(std::move(socket)), tokens_(tokens), ipv6_(ipv6), patience_s_(patience_s) {}

  bool passes(wire::Datagram::Kind kind, int packet_bytes) {
    using Kind = wire::Datagram::Kind;
    for (int i = 0; i < kTries; ++i) {
      const wire::Datagram ask{kind, static_cast<std::uint32_t>(packet_bytes), ++number_};
      const std::size_t size = kind == Kind::probe ? payload_of(ask.packet_bytes, ipv6_) : 0;
      const std::string bytes = ask.encode(tokens_.caller, size);
      if (::send(socket_.get(), bytes.data(), bytes.size(), 0) < 0 && errno == EMSGSIZE)
        return false;
      if (is_answered(kind == Kind::probe ? Kind::seen : Kind::ordered)) return true;
    }
    return false;
  }

 private:
  bool is_answered(wire::Datagram::Kind kind) {
    const auto deadline = in_seconds(patience_s_);
    while (Clock::now() < deadline) {
      pollfd one{socket_.get(), POLLIN, 0};
      if (::poll(&one, 1, 10) <= 0) continue;
      const ssize_t got = ::recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (got < 0) continue;
      const auto seen =
          wire::Datagram::decode({buffer_.data(), static_cast<std::size_t>(got)}, tokens_.listener);
      if (seen && seen->kind == kind && seen->number == number_) return true;
    }
    return false;
  }

  UniqueFd socket_;
  const Tokens& tokens_;
  bool ipv6_;
  double patience_s_;
  std::uint32_t number_ = 0;
  std::vector<char> buffer_ = std::vector<char>(65536);
};

}  // namespace

void forbid_fragments(int socket) {
  const int probe = IP_PMTUDISC_PROBE;
  const int probe6 = IPV6_PMTUDISC_PROBE;
  (void)::setsockopt(socket, IPPROTO_IP, IP_MTU_DISCOVER, &probe, sizeof probe);
  (void)::setsockopt(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe6, sizeof probe6);
}

bool is_ipv6(const SocketAddress& address) {
  if (!address.ipv6()) return false;
  return !IN6_IS_ADDR_V4MAPPED(&reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr);
}

std::size_t payload_of(std::uint32_t packet_bytes, bool ipv6) {
  const std::uint32_t headers = ipv6 ? 48 : 28;
  return packet_bytes > headers ? packet_bytes - headers : 0;
}

Result<PathMtu> path_mtu(const Target& target, int our_mtu, int their_mtu, double round_trip_s) {
  const SocketAddress& peer = target.address;
  UniqueFd socket(::socket(peer.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid())
    return fail(Errc::io, cat("cannot make a socket: ", std::strerror(errno)), errno);
  if (!target.device.empty()) TRY(bind_to_device(socket.get(), target.device));
  if (target.from) {
    SocketAddress source = *target.from;
    source.set_port(0);
    (void)::bind(socket.get(), source.get(), source.size);
  }
  if (::connect(socket.get(), peer.get(), peer.size) != 0)
    return fail(Errc::io, cat("cannot send to ", peer.host(), ": ", std::strerror(errno)), errno);
  forbid_fragments(socket.get());
  Prober prober(std::move(socket), target.tokens, is_ipv6(peer), 0.1 + 2 * round_trip_s);
  using Kind = wire::Datagram::Kind;
  // A packet of 65535 bytes is the largest that IP has.
  const auto upper = [](int mtu) { return std::clamp(mtu, kSmallest, 65535); };
  PathMtu out;
  out.to_peer = largest(upper(our_mtu), [&](int size) { return prober.passes(Kind::probe, size); });
  if (!out.to_peer) return out;
  out.from_peer =
      largest(upper(their_mtu), [&](int size) { return prober.passes(Kind::order, size); });
  return out;
}

}  // namespace nettune::tools::measure::net
