// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/names.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kinds/sysctl/table.hpp"

namespace nettune::kinds::sysctl {
namespace {

TEST(KindsSysctlNames, WhatNettuneItselfSpeaksOfIsKnown) {
  const auto key = [](std::string_view pattern) {
    std::string text(pattern);
    for (const std::string_view variable : {"$if", "$dev"})
      if (const std::size_t at = text.find(variable); at != std::string::npos)
        text.replace(at, variable.size(), "eth0");
    return text;
  };
  for (const SideEffect& row : side_effects())
    for (const std::string_view name : {row.key, row.touches})
      EXPECT_TRUE(name.find("$key") != std::string_view::npos || is_known_sysctl(key(name)))
          << name;
  for (const Caution& row : cautions()) EXPECT_TRUE(is_known_sysctl(key(row.key))) << row.key;
  for (const std::string_view name :
       {"net.core.rmem_max", "net.core.wmem_max", "kernel.numa_balancing",
        "net.ipv4.neigh.default.gc_thresh3", "net.ipv6.neigh.default.gc_thresh1",
        "net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_mtu_probing",
        "net.ipv4.conf.eth0/100.arp_announce"})
    EXPECT_TRUE(is_known_sysctl(name)) << name;
  EXPECT_FALSE(is_known_sysctl("net"));
  EXPECT_FALSE(is_known_sysctl("net.core"));
  EXPECT_FALSE(is_known_sysctl("net.core.rmem_max.deeper"));
}

// Which one is missing depends on the kernel and on the namespace: neither may pass for the other.
TEST(KindsSysctlNames, DirectionsAreNoSlip) {
  EXPECT_FALSE(is_one_slip("rmem_max", "wmem_max"));
  EXPECT_FALSE(is_one_slip("udp_rmem_min", "udp_wmem_min"));
  EXPECT_FALSE(is_one_slip("dev_weight_rx_bias", "dev_weight_tx_bias"));
  EXPECT_FALSE(is_one_slip("same", "same"));
  EXPECT_FALSE(is_one_slip("abcd", "badc"));
  EXPECT_TRUE(is_one_slip("abcd", "acbd"));
  EXPECT_TRUE(is_one_slip("abcd", "abc"));
  EXPECT_TRUE(is_one_slip("bcd", "abcd"));
  EXPECT_TRUE(is_one_slip("abxd", "abcd"));
}

}  // namespace
}  // namespace nettune::kinds::sysctl
