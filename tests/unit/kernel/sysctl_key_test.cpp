// SPDX-License-Identifier: Apache-2.0
#include "kernel/sysctl_key.hpp"

#include <gtest/gtest.h>

namespace nettune::kernel {
namespace {

TEST(KernelSysctlKey, HasOneSpelling) {
  const auto canonical = [](std::string_view typed) {
    return canonical_sysctl_key(typed).value_or("refused");
  };
  EXPECT_EQ(canonical("net.core.rmem_max"), "net.core.rmem_max");
  EXPECT_EQ(canonical("net/core/rmem_max"), "net.core.rmem_max");
  EXPECT_EQ(canonical("net/ipv4/conf/eth0.100/rp_filter"), "net.ipv4.conf.eth0/100.rp_filter");
  EXPECT_EQ(canonical("net.ipv4.conf.eth0/100.rp_filter"), "net.ipv4.conf.eth0/100.rp_filter");
  EXPECT_EQ(canonical("sunrpc"), "sunrpc");
  EXPECT_EQ(sysctl_path("net.ipv4.conf.eth0/100.rp_filter"), "net/ipv4/conf/eth0.100/rp_filter");
}

TEST(KernelSysctlKey, CanonicalIsIdempotent) {
  for (const std::string_view typed :
       {"net.core.rmem_max", "net/ipv4/conf/a.b.c/x", "net.ipv4.conf.a/b/c.x", "vm/x"}) {
    const auto once = canonical_sysctl_key(typed);
    ASSERT_TRUE(once);
    EXPECT_EQ(*canonical_sysctl_key(*once), *once);
  }
}

TEST(KernelSysctlKey, RefusesWhatLeadsElsewhere) {
  using namespace std::string_view_literals;
  for (const std::string_view typed :
       {""sv, "."sv, ".."sv, "/"sv, "/etc/passwd"sv, "net/../../etc/passwd"sv, "net..core"sv,
        "net/./core"sv, "net//core"sv, ".net"sv, "net."sv, "net/core/"sv, "a b"sv, "a\tb"sv,
        "a\nb"sv, "a\0b"sv, "a.//.b"sv, "a./.b"sv, "\x7fnet"sv}) {
    EXPECT_FALSE(canonical_sysctl_key(typed)) << typed;
  }
  EXPECT_FALSE(canonical_sysctl_key(std::string(100000, 'a')));
  EXPECT_FALSE(canonical_sysctl_key("a." + std::string(300, 'b')));
}

}  // namespace
}  // namespace nettune::kernel
