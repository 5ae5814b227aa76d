// SPDX-License-Identifier: Apache-2.0
#include "kernel/rtnl.hpp"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nettune::kernel {
namespace {

Link named(const std::string& name, const std::string& parent) {
  Link link;
  link.name = name;
  link.parent_device = parent;
  return link;
}

TEST(KernelRtnlLinkToken, DependsOnWhatDevicesAreAndNotOnTheirState) {
  std::vector<Link> links = {named("eth0", "0000:01:00.0"), named("eth1", "0000:02:00.0")};
  const std::string token = link_token(links);

  std::swap(links[0], links[1]);
  links[0].mtu = 9000;
  links[0].carrier = false;
  links[0].ifindex = 99;
  EXPECT_EQ(link_token(links), token);

  std::vector<Link> renamed = links;
  renamed[0].name = "fabric0";
  EXPECT_NE(link_token(renamed), token);
  std::vector<Link> fewer = {links[0]};
  EXPECT_NE(link_token(fewer), token);
  // "a" + "bc" is not "ab" + "c".
  EXPECT_NE(link_token({named("a", "bc")}), link_token({named("ab", "c")}));
}

/// Runs `body` in a network namespace of its own, in a process of its own; true when it could.
template <class Body>
bool in_namespace(Body body, int& result) {
  constexpr int kNoDevices = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) ::_exit(kNoDevices);
    ::_exit(body());
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return false;
  result = WEXITSTATUS(status);
  return result != kNoDevices;
}

const Link* find(const std::vector<Link>& links, const std::string& name) {
  const auto found =
      std::find_if(links.begin(), links.end(), [&](const Link& link) { return link.name == name; });
  return found == links.end() ? nullptr : &*found;
}

int set_and_read_back() {
  const auto before = dump_links();
  if (!before) return 1;
  const Link* loopback = find(*before, "lo");
  if (loopback == nullptr) return 2;
  if (!set_mtu(loopback->ifindex, 9000)) return 3;
  if (!set_txqueuelen(loopback->ifindex, 5000)) return 4;
  const auto after = dump_links();
  if (!after) return 5;
  const Link* now = find(*after, "lo");
  if (now == nullptr || now->mtu != 9000 || now->txqueuelen != 5000) return 6;
  const auto nobody = set_mtu(123456, 1500);
  if (nobody || nobody.error().sys != ENODEV || nobody.error().code != Errc::not_found) return 7;
  const auto routes = dump_routes();
  if (!routes || !routes->empty()) return 8;
  const auto addresses = dump_addresses();
  if (!addresses || !addresses->empty()) return 9;
  const auto nowhere = route_device("192.0.2.1");
  if (!nowhere || *nowhere != 0) return 10;
  return 0;
}

TEST(KernelRtnl, SetsAndReadsBackInANamespace) {
  int result = -1;
  if (!in_namespace(set_and_read_back, result)) {
    GTEST_SKIP() << "no user and network namespaces here";
  }
  EXPECT_EQ(result, 0);
}

TEST(KernelRtnl, RefusesWhatIsNoAddress) {
  for (const char* text : {"", "10.0.0", "server.example", "10.0.0.1\n", "::g"}) {
    const auto device = route_device(text);
    ASSERT_FALSE(device) << text;
    EXPECT_EQ(device.error().code, Errc::invalid);
  }
}

}  // namespace
}  // namespace nettune::kernel
