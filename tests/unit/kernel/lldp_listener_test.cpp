// SPDX-License-Identifier: Apache-2.0
#include "kernel/lldp_listener.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "unit/support/lldp_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

using Clock = std::chrono::steady_clock;

constexpr int kNoNamespace = 77;

/// Puts a frame on the wire at an interface.
bool send_by(const UniqueFd& socket, const std::string& interface, std::uint8_t group,
             std::uint16_t type, const Buffer& unit) {
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
  const Buffer frame = octets({0x01, 0x80, 0xc2, 0, 0, group, 2, 0, 0, 0, 0, 9}) +
                       octets({type >> 8, type & 0xff}) + unit;
  return ::sendto(socket.get(), frame.data(), frame.size(), 0,
                  reinterpret_cast<const sockaddr*>(&to),
                  sizeof(to)) == static_cast<ssize_t>(frame.size());
}
bool send(const std::string& interface, std::uint8_t group, std::uint16_t type,
          const Buffer& unit) {
  const UniqueFd socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  return send_by(socket, interface, group, type, unit);
}

/// Puts this process into a network namespace with two pairs of linked interfaces.
bool make_world() {
  const uid_t me = ::getuid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  // ip keeps its rights over execve() only as root of the namespace.
  std::ofstream("/proc/self/uid_map") << "0 " << me << " 1\n";
  return std::system(
             "ip link add a0 type veth peer name a1 && ip link add b0 type veth peer name b1 "
             "&& for i in a0 a1 b0 b1; do ip link set $i up; done") == 0;
}

/// The body of a test; its exit status.
int listen() {
  if (!make_world()) return kNoNamespace;
  std::vector<std::string> from;
  Buffer last;
  int frames = 0;
  // Sent only when the sockets are open: from a second process, a moment later.
  const pid_t sender = ::fork();
  if (sender == 0) {
    ::usleep(300'000);
    bool sent = send("a0", 0x0e, ETH_P_LLDP, octets({1}));     // of this node: to be passed over
    sent = sent && send("a1", 0x0e, ETH_P_IP, octets({2}));    // no LLDP
    sent = sent && send("a1", 0x55, ETH_P_LLDP, octets({3}));  // another group
    sent = sent && send("a1", 0x0e, ETH_P_LLDP, octets({4}));
    sent = sent && send("a1", 0x03, ETH_P_LLDP, octets({5}));
    sent = sent && send("a1", 0x00, ETH_P_LLDP, leaf());
    sent = sent && send("a1", 0x0e, ETH_P_LLDP, octets({6}));  // a0 has had enough
    ::_exit(sent ? 0 : 1);
  }
  const auto deaf =
      listen_for_lldp({"a0", "b0", "nobody"}, 1500,
                      [&](const std::string& interface, std::span<const std::byte> unit) {
                        from.push_back(interface);
                        last.assign(unit.begin(), unit.end());
                        ++frames;
                        return unit.size() > 40;
                      });
  int status = 1;
  if (::waitpid(sender, &status, 0) != sender || status != 0) return 2;
  if (deaf.size() != 1 || deaf.at("nobody").code != Errc::not_found) return 3;
  for (const std::string& interface : from)
    if (interface != "a0") return 4;
  // A veth takes frames of every group; a card would have passed the third one over.
  if (frames != 3 && frames != 4) return 10 + frames;
  if (last != leaf()) return 5;
  // Membership ends with the listener: nothing of the three groups is left behind.
  if (std::system("! ip maddress show dev a0 | grep -q '01:80:c2'") != 0) return 6;
  return 0;
}

/// A neighbour sends faster than its frames are taken: the time ends it, and the other interface is
/// heard.
int be_flooded() {
  if (!make_world()) return kNoNamespace;
  const pid_t sender = ::fork();
  if (sender == 0) {
    ::usleep(100'000);
    // To close such a socket takes longer than to send.
    const UniqueFd socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (Clock::now() < end) {
      (void)send_by(socket, "a1", 0x0e, ETH_P_LLDP, octets({1}));
      (void)send_by(socket, "b1", 0x0e, ETH_P_LLDP, octets({2}));
    }
    ::_exit(0);
  }
  bool other = false;
  const auto deaf = listen_for_lldp({"a0", "b0"}, 1000,
                                    [&](const std::string& interface, std::span<const std::byte>) {
                                      ::usleep(1000);
                                      other = other || interface == "b0";
                                      return false;
                                    });
  const bool flood_goes_on = ::waitpid(sender, nullptr, WNOHANG) == 0;
  if (!flood_goes_on) return 3;
  (void)::kill(sender, SIGKILL);
  (void)::waitpid(sender, nullptr, 0);
  if (!deaf.empty()) return 2;
  return other ? 0 : 4;
}

/// Runs it in a process of its own, as it leaves its namespaces.
void expect_success(int (*body)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoNamespace)
    GTEST_SKIP() << "no user and network namespaces here, or no ip to make a veth";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(KernelLldpListener, HearsWhatArrivesAtItsInterfaces) { expect_success(listen); }

TEST(KernelLldpListener, EndsInTimeWhateverFloodsIt) { expect_success(be_flooded); }

}  // namespace
}  // namespace nettune::kernel
