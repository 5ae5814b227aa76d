// SPDX-License-Identifier: Apache-2.0
// The side-effect table against the running kernel, in a network namespace of the test's own.
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kinds/sysctl/provider.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::sysctl {
namespace {

using namespace test;

constexpr int kNoNamespace = 77;

/// Every readable file below /proc/sys/net, as text.
std::map<std::string, std::string> snapshot() {
  std::map<std::string, std::string> all;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry("/proc/sys/net", error), end;
       entry != end && !error; entry.increment(error)) {
    if (!entry->is_regular_file()) continue;
    const int file = ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC);
    char text[4096];
    const ssize_t size = file < 0 ? -1 : ::read(file, text, sizeof text);
    if (file >= 0) ::close(file);
    if (size < 0) continue;
    all[entry->path().string().substr(std::string("/proc/sys/").size())] =
        std::string(text, static_cast<std::size_t>(size));
  }
  return all;
}

/// Runs `body` in a process and namespace of its own; its result is that of `body`.
int in_namespace(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool root = ::geteuid() == 0;
    const uid_t uid = ::geteuid();
    if (::unshare(CLONE_NEWNET | (root ? 0 : CLONE_NEWUSER)) != 0) ::_exit(kNoNamespace);
    if (!root) std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1\n";
    const int probe = ::open("/proc/sys/net/ipv4/ip_forward", O_WRONLY | O_CLOEXEC);
    if (probe < 0) ::_exit(kNoNamespace);
    ::close(probe);
    try {
      body();
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Writes, compares all that moved with what was said before, and takes it back.
void check_write(SysctlProvider& provider, const std::string& key, const std::string& typed) {
  const std::string address = "sysctl:" + key;
  const Reading before = read_one(provider, address);
  if (before.presence != Presence::present) return;
  const auto wanted = provider.canonical(Address{address}, typed);
  ASSERT_TRUE(wanted) << key;
  const auto effects = provider.effects(Address{address}, before.value(), *wanted);
  if (!effects.not_permitted.empty()) return;
  std::map<std::string, Value> witnesses_before;
  for (const Witness& witness : effects.touches) {
    witnesses_before[witness.address.text] = read_one(provider, witness.address.text).value();
  }

  const auto old = snapshot();
  const auto written = write_one(provider, address, before.value(), *wanted);
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(read_one(provider, address).value(), *wanted) << key;
  const auto now = snapshot();
  for (const auto& [path, text] : now) {
    const auto was = old.find(path);
    if (was != old.end() && was->second == text) continue;
    std::string changed = "sysctl:" + path;
    for (char& c : changed) c = c == '/' ? '.' : c == '.' ? '/' : c;
    EXPECT_TRUE(changed == address || find_witness(effects, changed))
        << key << " moved " << changed << " and nobody said so";
  }
  for (const Witness& witness : effects.touches) {
    if (!witness.predicted) continue;
    EXPECT_EQ(read_one(provider, witness.address.text).value(), witness.predicted)
        << key << " " << witness.address.text;
  }

  ASSERT_TRUE(write_one(provider, address, *wanted, before.value()));
  for (const auto& [witness, value] : witnesses_before) {
    if (read_one(provider, witness).value() != value) {
      (void)write_one(provider, witness, {}, value);
    }
  }
  EXPECT_EQ(snapshot(), old) << key << " was not undone";
}

TEST(KindsSysctlProviderKernel, TheTableIsTrueHere) {
  const int result = in_namespace([] {
    SysctlProvider provider("/proc/sys", "/sys");
    const std::pair<const char*, const char*> writes[] = {
        {"net.ipv4.ip_forward", "1"},
        {"net.ipv4.conf.all.forwarding", "1"},
        {"net.ipv4.conf.lo.forwarding", "1"},
        {"net.ipv4.conf.default.forwarding", "1"},
        {"net.ipv4.conf.default.rp_filter", "2"},
        {"net.ipv4.conf.default.arp_announce", "1"},
        {"net.ipv4.conf.default.promote_secondaries", "1"},
        {"net.ipv4.conf.default.route_localnet", "1"},
        {"net.ipv4.conf.all.rp_filter", "1"},
        {"net.ipv6.conf.all.forwarding", "1"},
        {"net.ipv6.conf.default.forwarding", "1"},
        {"net.ipv6.conf.all.disable_ipv6", "1"},
        {"net.ipv6.conf.lo.disable_ipv6", "1"},
        {"net.ipv6.conf.all.force_forwarding", "1"},
        {"net.ipv6.conf.all.ignore_routes_with_linkdown", "1"},
        {"net.ipv6.conf.all.addr_gen_mode", "1"},
        {"net.ipv6.route.gc_min_interval", "3"},
        {"net.ipv6.route.gc_min_interval_ms", "2000"},
        {"net.mptcp.pm_type", "1"},
        {"net.mptcp.path_manager", "userspace"},
        {"net.ipv4.neigh.lo.base_reachable_time_ms", "20000"},
        {"net.ipv4.neigh.lo.retrans_time_ms", "2000"},
        {"net.ipv4.neigh.lo.unres_qlen", "50"},
        {"net.ipv4.neigh.lo.unres_qlen_bytes", "100000"},
        {"net.ipv4.tcp_congestion_control", "reno"},
        {"net.ipv4.ip_local_reserved_ports", "5,6,7, 29400"},
        {"net.ipv4.ip_local_port_range", "040000 0xefff"},
        {"net.ipv4.tcp_rmem", "0x1000 131072 33554432"},
        {"net.ipv4.tcp_mtu_probing", "1"},
    };
    for (const auto& [key, value] : writes) check_write(provider, key, value);
  });
  if (result == kNoNamespace) GTEST_SKIP() << "no network namespace of our own to be had here";
  EXPECT_EQ(result, 0) << "see the lines of the child above";
}

TEST(KindsSysctlProviderKernel, TakesBoundsInTheOrderOfTheirWrites) {
  const int result = in_namespace([] {
    SysctlProvider provider("/proc/sys", "/sys");
    struct Pair {
      const char* lower;
      const char* upper;
      std::array<const char*, 2> low;
      std::array<const char*, 2> high;
    };
    const Pair pairs[] = {
        {"net.ipv4.ipfrag_low_thresh",
         "net.ipv4.ipfrag_high_thresh",
         {"1000", "2000"},
         {"90000000", "100000000"}},
        {"net.ipv6.ip6frag_low_thresh",
         "net.ipv6.ip6frag_high_thresh",
         {"1000", "2000"},
         {"90000000", "100000000"}},
        {"net.ipv4.ip_unprivileged_port_start",
         "net.ipv4.ip_local_port_range",
         {"500", "600 700"},
         {"61000", "61000 65535"}},
        {"net.ipv4.tcp_reordering", "net.ipv4.tcp_max_reordering", {"2", "2"}, {"500", "500"}},
    };
    for (const Pair& pair : pairs) {
      const Address lower{std::string("sysctl:") + pair.lower};
      const Address upper{std::string("sysctl:") + pair.upper};
      if (read_one(provider, upper.text).presence != Presence::present) continue;
      for (const auto& wanted : {pair.low, pair.high, pair.low}) {
        const std::vector<Write> writes = {
            {lower, read_one(provider, lower.text).value(), wanted[0]},
            {upper, read_one(provider, upper.text).value(), wanted[1]}};
        const auto written = provider.write(writes, test::TestContents(), "");
        EXPECT_TRUE(written) << written.error().text;
        EXPECT_EQ(read_one(provider, lower.text).value(), wanted[0]);
        EXPECT_EQ(read_one(provider, upper.text).value(), wanted[1]);
      }
      const auto crossed = write_one(provider, lower.text, pair.low[0], "65535000");
      if (!crossed && crossed.error().sys == EINVAL) {
        EXPECT_NE(crossed.error().text.find(cat("; its bound ", pair.upper, " is ")),
                  std::string::npos)
            << crossed.error().text;
      }
    }
  });
  if (result == kNoNamespace) GTEST_SKIP() << "no network namespace of our own to be had here";
  EXPECT_EQ(result, 0) << "see the lines of the child above";
}

TEST(KindsSysctlProviderKernel, ReadOnlyKeysAreSaidToBe) {
  SysctlProvider provider("/proc/sys", "/sys");
  const Address address{"sysctl:kernel.osrelease"};
  const Reading now = read_one(provider, address.text);
  if (now.presence != Presence::present) GTEST_SKIP() << now.why;
  EXPECT_FALSE(provider.effects(address, now.value(), "x").not_permitted.empty());
}

}  // namespace
}  // namespace nettune::kinds::sysctl
