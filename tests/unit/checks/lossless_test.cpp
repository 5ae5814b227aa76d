// SPDX-License-Identifier: Apache-2.0
#include "checks/lossless.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace nettune::checks {
namespace {

/// A port on which all layers agree: DSCP 26, priority 3.
class ChecksLossless : public ::testing::Test {
 protected:
  ChecksLossless() {
    set("nccl.conf:NCCL_IB_TC", "106");
    absent("nccl.conf:NCCL_IB_GID_INDEX");
    set("link:fab0:mtu", "9000");
    set("ethtool:fab0:pause-rx", "off");
    set("ethtool:fab0:pause-tx", "off");
    set("dcb:fab0:pfc", "3");
    set("dcb:fab0:ets-prio-tc", "0,0,0,1,0,0,2,0");
    set("dcb:fab0:ets-tsa", "ets,ets,strict,strict,strict,strict,strict,strict");
    set("dcb:fab0:ets-bw", "50,50,0,0,0,0,0,0");
    for (int dscp = 0; dscp < 64; ++dscp)
      set(cat("dcb:fab0:app#dscp-", dscp), std::to_string(dscp / 8));
    facts::NetDevice net;
    net.name = "fab0";
    net.rdma_devices = {"mlx5_0"};
    facts.net.push_back(net);
    facts::RdmaDevice rdma;
    rdma.name = "mlx5_0";
    rdma.ports.push_back({});
    rdma.ports[0].netdev = "fab0";
    rdma.ports[0].gids = {{0, "fe80:0000:0000:0000:0000:0000:0000:0001", "IB/RoCE v1", "fab0"},
                          {3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "fab0"}};
    facts.rdma.push_back(rdma);
  }

  void set(const std::string& address, const std::string& text) {
    readings[{address}] = {Presence::present, text, "", {}};
  }
  void absent(const std::string& address) { readings[{address}] = {Presence::absent, "", "", {}}; }
  Chain judge() const { return judge_chain("fab0", readings, facts); }
  /// Exactly one link is broken, there, and the sentence has these words.
  void breaks(const std::string& where, const std::string& words) const {
    const Chain chain = judge();
    ASSERT_EQ(chain.findings.size(), 1U) << chain.text;
    EXPECT_EQ(chain.findings[0].where, where);
    EXPECT_NE(chain.findings[0].problem.find(words), std::string::npos)
        << chain.findings[0].problem;
    EXPECT_FALSE(chain.findings[0].remedy.empty());
  }

  std::map<Address, Reading> readings;
  facts::Facts facts;
};

TEST_F(ChecksLossless, AgreesAndSaysHow) {
  const Chain chain = judge();
  EXPECT_TRUE(chain.findings.empty());
  EXPECT_EQ(chain.text,
            "NCCL_IB_TC 106 is DSCP 26; priority 3; paused by PFC; class 1 with 50 %; the switch's "
            "settings are unknown");
}

TEST_F(ChecksLossless, AsksForAllThatItJudges) {
  const auto asked = chain_addresses("fab0");
  EXPECT_EQ(asked.size(), readings.size());
  for (const Address& address : asked) EXPECT_TRUE(readings.contains(address)) << address.text;
}

TEST_F(ChecksLossless, EveryBrokenLinkIsNamed) {
  set("dcb:fab0:pfc", "4");
  breaks("dcb:fab0:pfc", "pauses 4, but data has priority 3");
  set("dcb:fab0:pfc", "none");
  breaks("dcb:fab0:pfc", "pauses none");
  set("dcb:fab0:pfc", "3,4");
  EXPECT_TRUE(judge().findings.empty());
}

TEST_F(ChecksLossless, ATrafficClassThatNobodySetsIsClassZero) {
  absent("nccl.conf:NCCL_IB_TC");
  breaks("dcb:fab0:pfc", "data has priority 0");
  set("nccl.conf:NCCL_IB_TC", "256");
  breaks("nccl.conf:NCCL_IB_TC", "not a valid traffic class");
}

TEST_F(ChecksLossless, ADscpWithoutAPriority) {
  absent("dcb:fab0:app#dscp-26");
  breaks("dcb:fab0:app#dscp-26", "DSCP 26 has no priority");
  for (int dscp = 0; dscp < 64; ++dscp) absent(cat("dcb:fab0:app#dscp-", dscp));
  breaks("dcb:fab0:app#dscp-26", "does not use DSCPs");
}

TEST_F(ChecksLossless, ClassesAndBandwidths) {
  set("dcb:fab0:ets-bw", "100,0,0,0,0,0,0,0");
  breaks("dcb:fab0:ets-bw", "no bandwidth");
  set("dcb:fab0:ets-bw", "50,50,0,0,0,0,0,0");
  set("dcb:fab0:ets-prio-tc", "0,0,0,1,0,0,1,0");
  breaks("dcb:fab0:ets-prio-tc", "share class");
  set("dcb:fab0:ets-prio-tc", "0,0,0,0,0,0,0,0");
  EXPECT_TRUE(judge().findings.empty()) << "one class for all is no decision";
  set("dcb:fab0:app#dscp-48", "3");
  breaks("dcb:fab0:app#dscp-48", "congestion notifications");
}

TEST_F(ChecksLossless, PauseAndMtu) {
  set("ethtool:fab0:pause-rx", "on");
  breaks("ethtool:fab0:pause-rx", "global pause (rx) is on");
  set("ethtool:fab0:pause-rx", "off");
  set("link:fab0:mtu", "4191");
  breaks("link:fab0:mtu", "2048");
  set("link:fab0:mtu", "1500");
  breaks("link:fab0:mtu", "1024 or less");
}

TEST_F(ChecksLossless, TheGidThatNcclTakes) {
  set("nccl.conf:NCCL_IB_GID_INDEX", "3");
  EXPECT_TRUE(judge().findings.empty());
  set("nccl.conf:NCCL_IB_GID_INDEX", "0");
  breaks("nccl.conf:NCCL_IB_GID_INDEX", "IB/RoCE v1");
  set("nccl.conf:NCCL_IB_GID_INDEX", "7");
  breaks("nccl.conf:NCCL_IB_GID_INDEX", "not a GID");
  absent("nccl.conf:NCCL_IB_GID_INDEX");
  facts.rdma[0].ports[0].gids.pop_back();
  breaks("fab0", "no RoCE v2 GID");
}

TEST_F(ChecksLossless, ThePortOfABondIsThatOfItsMember) {
  facts.rdma[0].ports[0].netdev = "bond0";
  EXPECT_TRUE(judge().findings.empty());
}

TEST_F(ChecksLossless, WhatCannotBeSeenBreaksNothing) {
  for (auto& [address, reading] : readings)
    reading = {Presence::not_applicable, "", "a virtual function has no DCB", {}};
  facts.rdma.clear();
  const Chain chain = judge();
  EXPECT_TRUE(chain.findings.empty());
  EXPECT_NE(chain.text.find("not readable: nccl.conf:NCCL_IB_TC"), std::string::npos) << chain.text;
}

}  // namespace
}  // namespace nettune::checks
