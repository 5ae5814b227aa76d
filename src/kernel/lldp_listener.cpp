// SPDX-License-Identifier: Apache-2.0
#include "kernel/lldp_listener.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>

#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {
namespace {

using Clock = std::chrono::steady_clock;

/// Nearest bridge, nearest non-TPMR bridge, nearest customer bridge: the last octet of
/// 01:80:c2:00:00:xx.
constexpr std::array<std::uint8_t, 3> kGroups = {0x0e, 0x03, 0x00};
/// The largest Ethernet frame that a switch could send.
constexpr std::size_t kFrameLimit = std::size_t{64} * 1024;

Failure not_heard(std::string_view what) {
  const int sys = errno;
  const Errc code = sys == EPERM || sys == EACCES ? Errc::denied : Errc::io;
  return fail(code, cat(what, ": ", std::generic_category().message(sys)), sys);
}

struct Ear {
  std::string interface;
  UniqueFd socket;
};

Result<Ear> open(const std::string& interface) {
  const unsigned index = ::if_nametoindex(interface.c_str());
  if (index == 0) return fail(Errc::not_found, "there is no such interface", ENODEV);
  // Without a protocol it receives nothing until it is bound to its interface.
  Ear ear{interface, UniqueFd(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))};
  if (!ear.socket.valid()) return not_heard("a socket for frames needs CAP_NET_RAW");
  for (const std::uint8_t group : kGroups) {
    packet_mreq member{};
    member.mr_ifindex = static_cast<int>(index);
    member.mr_type = PACKET_MR_MULTICAST;
    member.mr_alen = ETH_ALEN;
    const std::array<std::uint8_t, ETH_ALEN> address = {0x01, 0x80, 0xc2, 0x00, 0x00, group};
    std::memcpy(member.mr_address, address.data(), address.size());
    if (::setsockopt(ear.socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &member,
                     sizeof(member)) != 0)
      return not_heard("it does not accept LLDP frames");
  }
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_LLDP);
  address.sll_ifindex = static_cast<int>(index);
  if (::bind(ear.socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return not_heard("listening is not possible");
  return ear;
}

/// The frames of one interface that are taken before the others have their turn and the time is
/// checked: a flooding neighbour must not delay others.
constexpr int kFramesAtATime = 64;

/// True if one of the waiting frames was enough. An interface that goes down is only silent.
bool drain(const Ear& ear, std::vector<std::byte>& buffer, const LldpFrame& take) {
  for (int i = 0; i < kFramesAtATime; ++i) {
    sockaddr_ll from{};
    socklen_t from_size = sizeof(from);
    const ssize_t got = ::recvfrom(ear.socket.get(), buffer.data(), buffer.size(), 0,
                                   reinterpret_cast<sockaddr*>(&from), &from_size);
    if (got < 0 && (errno == EINTR || errno == ENETDOWN)) continue;
    if (got < 0) return false;
    // A daemon of this node also sends there.
    if (from.sll_pkttype == PACKET_OUTGOING) continue;
    if (take(ear.interface, {buffer.data(), static_cast<std::size_t>(got)})) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, Error> listen_for_lldp(const std::vector<std::string>& interfaces,
                                             int time_ms, const LldpFrame& take) {
  std::map<std::string, Error> deaf;
  std::vector<Ear> ears;
  for (const std::string& interface : interfaces) {
    auto ear = open(interface);
    if (ear)
      ears.push_back(std::move(*ear));
    else
      deaf.emplace(interface, std::move(ear).error());
  }
  std::vector<std::byte> buffer(kFrameLimit);
  const auto end = Clock::now() + std::chrono::milliseconds(time_ms);
  while (!ears.empty()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) break;
    std::vector<pollfd> on;
    for (const Ear& ear : ears) on.push_back({ear.socket.get(), POLLIN, 0});
    // Whatever the return value, each socket is read, and the deadline ends the loop.
    (void)::poll(on.data(), on.size(), static_cast<int>(left));
    std::erase_if(ears, [&](const Ear& ear) { return drain(ear, buffer, take); });
  }
  return deaf;
}

}  // namespace nettune::kernel
