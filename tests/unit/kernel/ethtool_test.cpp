// SPDX-License-Identifier: Apache-2.0
#include "kernel/ethtool.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "unit/kernel/fixture.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

TEST(KernelEthtool, SpeedStandsInFrontOfBase) {
  EXPECT_EQ(mode_speed_mbps("200000baseCR4/Full"), 200000);
  EXPECT_EQ(mode_speed_mbps("10baseT/Half"), 10);
  EXPECT_FALSE(mode_speed_mbps("Autoneg"));
  EXPECT_FALSE(mode_speed_mbps("FIBRE"));
  EXPECT_FALSE(mode_speed_mbps("1000"));
  EXPECT_FALSE(mode_speed_mbps("base"));
  EXPECT_FALSE(mode_speed_mbps("99999999999999999999999999base"));
  EXPECT_FALSE(mode_speed_mbps("0baseT/Full"));
}

TEST(KernelEthtool, TheFastestOfTheReply) {
  const Buffer modes =
      attribute(ETHTOOL_A_BITSET_BITS, mode("Autoneg") + mode("100000baseSR4/Full") +
                                           mode("200000baseCR4/Full") + mode("25000baseCR/Full"));
  const Buffer reply = raw_bytes(genlmsghdr{ETHTOOL_MSG_LINKMODES_GET_REPLY, 1, 0}) +
                       attribute(ETHTOOL_A_LINKMODES_OURS, modes) +
                       attribute(ETHTOOL_A_LINKMODES_SPEED, raw_bytes(100000U));
  const LinkModes parsed = parse_link_modes(reply);
  EXPECT_EQ(parsed.max_speed_mbps, 200000);
  EXPECT_EQ(parsed.speed_mbps, 100000);
}

TEST(KernelEthtool, UnknownStaysUnknown) {
  const Buffer reply =
      raw_bytes(genlmsghdr{}) + attribute(ETHTOOL_A_LINKMODES_SPEED, raw_bytes(0xffffffffU));
  EXPECT_FALSE(parse_link_modes(reply).speed_mbps);
  EXPECT_FALSE(parse_link_modes(reply).max_speed_mbps);
  EXPECT_FALSE(parse_link_modes({}).max_speed_mbps);
}

}  // namespace
}  // namespace nettune::kernel
