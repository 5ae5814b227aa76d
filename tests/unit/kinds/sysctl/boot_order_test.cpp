// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/boot_order.hpp"

#include <gtest/gtest.h>

#include "kinds/sysctl/sysctl_d.hpp"

namespace nettune::kinds::sysctl {
namespace {

/// The keys of a boot file, in order.
std::vector<std::string> booted(std::vector<SysctlLine> lines) {
  order_for_boot(lines);
  std::vector<std::string> keys;
  for (const SysctlLine& line : lines) keys.push_back(line.key);
  return keys;
}

TEST(KindsSysctlBootOrder, IsThatOfNamesWhereNothingElseCounts) {
  EXPECT_EQ(booted({{"vm.swappiness", "1"}, {"net.core.somaxconn", "1"}, {"fs.nr_open", "1"}}),
            (std::vector<std::string>{"fs.nr_open", "net.core.somaxconn", "vm.swappiness"}));
}

TEST(KindsSysctlBootOrder, WhatIsChangedAlongComesAfterItsCause) {
  EXPECT_EQ(booted({{"net.ipv4.conf.all.accept_redirects", "1"},
                    {"net.ipv4.conf.eth0.forwarding", "0"},
                    {"net.ipv4.ip_forward", "1"}}),
            (std::vector<std::string>{"net.ipv4.ip_forward", "net.ipv4.conf.all.accept_redirects",
                                      "net.ipv4.conf.eth0.forwarding"}));
  EXPECT_EQ(
      booted({{"net.ipv6.conf.bond0.forwarding", "0"}, {"net.ipv6.conf.all.forwarding", "1"}}),
      (std::vector<std::string>{"net.ipv6.conf.all.forwarding", "net.ipv6.conf.bond0.forwarding"}));
  EXPECT_EQ(booted({{"net.ipv4.conf.bond0/100.rp_filter", "1"},
                    {"net.ipv4.conf.default.rp_filter", "1"}}),
            (std::vector<std::string>{"net.ipv4.conf.default.rp_filter",
                                      "net.ipv4.conf.bond0/100.rp_filter"}));
  // From key to key: all.disable_ipv6 starts the IPv6 of eth0, which then has its device's MTU.
  EXPECT_EQ(booted({{"net.ipv6.conf.eth0.mtu", "1400"}, {"net.ipv6.conf.all.disable_ipv6", "0"}}),
            (std::vector<std::string>{"net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.eth0.mtu"}));
}

TEST(KindsSysctlBootOrder, WhatProtectsComesFirstAndWhatEndsThatLast) {
  EXPECT_EQ(
      booted({{"net.ipv6.conf.all.forwarding", "1"}, {"net.ipv6.conf.eth0.accept_ra", "2"}}),
      (std::vector<std::string>{"net.ipv6.conf.eth0.accept_ra", "net.ipv6.conf.all.forwarding"}));
  EXPECT_EQ(
      booted({{"net.ipv4.conf.all.rp_filter", "1"}, {"net.ipv4.conf.eth0.rp_filter", "2"}}),
      (std::vector<std::string>{"net.ipv4.conf.eth0.rp_filter", "net.ipv4.conf.all.rp_filter"}));
  EXPECT_EQ(
      booted({{"net.ipv6.conf.eth0.disable_ipv6", "0"},
              {"net.ipv6.conf.eth0.use_tempaddr", "2"},
              {"net.ipv6.conf.eth0.mtu", "1400"}}),
      (std::vector<std::string>{"net.ipv6.conf.eth0.use_tempaddr",
                                "net.ipv6.conf.eth0.disable_ipv6", "net.ipv6.conf.eth0.mtu"}));
  EXPECT_EQ(
      booted({{"kernel.modules_disabled", "1"}, {"net.ipv4.tcp_congestion_control", "bbr"}}),
      (std::vector<std::string>{"net.ipv4.tcp_congestion_control", "kernel.modules_disabled"}));
}

TEST(KindsSysctlBootOrder, OfTwoAlternativesOnlyTheEffectiveOneIsThere) {
  EXPECT_EQ(booted({{"vm.dirty_bytes", "0"}, {"vm.dirty_ratio", "20"}}),
            std::vector<std::string>{"vm.dirty_ratio"});
  EXPECT_EQ(booted({{"vm.dirty_bytes", "0"}}), std::vector<std::string>{"vm.dirty_bytes"});
  // One variable under two names: neither comes first.
  EXPECT_EQ(booted({{"net.ipv4.ip_forward", "1"}, {"net.ipv4.conf.all.forwarding", "1"}}),
            (std::vector<std::string>{"net.ipv4.conf.all.forwarding", "net.ipv4.ip_forward"}));
}

}  // namespace
}  // namespace nettune::kinds::sysctl
