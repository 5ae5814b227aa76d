// SPDX-License-Identifier: Apache-2.0
#include "checks/switch_half.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/support/lldp_bytes.hpp"

namespace nettune::checks {
namespace {

using namespace test;

/// A port that has what its switch says.
class ChecksSwitchHalf : public ::testing::Test {
 protected:
  ChecksSwitchHalf() {
    set("pfc", "3");
    set("ets-prio-tc", "0,0,0,1,0,0,2,0");
    set("ets-tsa", "ets,ets,strict,strict,strict,strict,strict,strict");
    set("ets-bw", "50,50,0,0,0,0,0,0");
    for (int dscp = 0; dscp < 64; ++dscp) set(cat("app#dscp-", dscp), std::to_string(dscp / 8));
    hear(leaf());
  }

  void set(const std::string& key, const std::string& text) {
    readings[{cat("dcb:fab0:", key)}] = {Presence::present, text, "", {}};
  }
  void lose(const std::string& key) {
    readings[{cat("dcb:fab0:", key)}] = {Presence::absent, "", "", {}};
  }
  void hear(const Buffer& unit) {
    heard.neighbour = checks::parse_lldp(unit);
    ASSERT_TRUE(heard.neighbour);
  }
  SwitchHalf judge() const { return judge_switch("fab0", heard, readings); }
  void differs(const std::string& where, const std::string& words) const {
    const SwitchHalf half = judge();
    ASSERT_EQ(half.findings.size(), 1U) << half.text;
    EXPECT_EQ(half.findings[0].where, where);
    EXPECT_NE(half.findings[0].problem.find(words), std::string::npos) << half.findings[0].problem;
    EXPECT_FALSE(half.findings[0].remedy.empty());
  }

  Heard heard{{}, 35, ""};
  std::map<Address, Reading> readings;
};

TEST_F(ChecksSwitchHalf, AgreesAndSaysInWhat) {
  const SwitchHalf half = judge();
  EXPECT_TRUE(half.findings.empty());
  EXPECT_TRUE(half.known);
  EXPECT_EQ(half.text, "the switch leaf1 (port to node 7) agrees in PFC, ETS, APP");
}

TEST_F(ChecksSwitchHalf, PausesSomethingElse) {
  set("pfc", "4");
  differs("dcb:fab0:pfc", "the switch leaf1 (port to node 7) pauses 3, and fab0 pauses 4");
  EXPECT_EQ(judge().text, "the switch leaf1 (port to node 7) agrees in ETS, APP; differs in PFC");
}

TEST_F(ChecksSwitchHalf, PausesNothing) {
  hear(who() + ieee8021(11, octets({8, 0})));
  differs("dcb:fab0:pfc", "pauses none");
}

TEST_F(ChecksSwitchHalf, HasOtherClasses) {
  set("ets-prio-tc", "0,0,0,3,0,0,2,0");
  differs("dcb:fab0:ets-prio-tc", "priority 3 class 1 at the switch, 3 here");
}

TEST_F(ChecksSwitchHalf, SharesOtherwise) {
  set("ets-bw", "20,80,0,0,0,0,0,0");
  differs("dcb:fab0:ets-bw",
          "class 0 50 % at the switch, 20 % here, class 1 50 % at the switch, 80 % here");
}

TEST_F(ChecksSwitchHalf, ServesAClassOtherwise) {
  set("ets-tsa", "ets,ets,ets,strict,strict,strict,strict,strict");
  differs("dcb:fab0:ets-bw", "class 2 strict at the switch, 0 % here");
}

TEST_F(ChecksSwitchHalf, WhatTheVendorDoesIsNotCompared) {
  set("ets-tsa", "vendor,vendor,vendor,vendor,vendor,vendor,vendor,vendor");
  EXPECT_TRUE(judge().findings.empty());
}

TEST_F(ChecksSwitchHalf, RecommendsWhereItDoesNotSayWhatItHas) {
  hear(who() + ieee8021(10, ets_info()));
  EXPECT_TRUE(judge().findings.empty());
  EXPECT_NE(judge().text.find("agrees in ETS; does not advertise PFC, APP"), std::string::npos)
      << judge().text;
  set("ets-prio-tc", "0,0,0,2,0,0,1,0");
  EXPECT_EQ(judge().findings.size(), 1U);
}

TEST_F(ChecksSwitchHalf, MapsADscpOtherwise) {
  set("app#dscp-26", "4");
  differs("dcb:fab0:app#dscp-26", "dscp-26 priority 3 at the switch, 4 here");
}

TEST_F(ChecksSwitchHalf, MapsADscpThatHasNoPriorityHere) {
  lose("app#dscp-48");
  differs("dcb:fab0:app#dscp-48", "dscp-48 priority 6 at the switch, none here");
}

TEST_F(ChecksSwitchHalf, ADscpWithoutAnEntryHasPriorityZero) {
  lose("app#dscp-5");
  hear(who() + ieee8021(12, octets({0, 0 << 5 | 5, 0, 5, 3 << 5 | 5, 0, 26})));
  EXPECT_TRUE(judge().findings.empty());
  EXPECT_NE(judge().text.find("agrees in APP"), std::string::npos) << judge().text;
}

TEST_F(ChecksSwitchHalf, AnEthertypeCountsWhereItIsMappedHere) {
  EXPECT_TRUE(judge().findings.empty());
  set("app#ethertype-0x8915", "5");
  differs("dcb:fab0:app#ethertype-0x8915", "ethertype-0x8915 priority 3 at the switch, 5 here");
}

TEST_F(ChecksSwitchHalf, ManyDifferencesAreOneLine) {
  Buffer table = octets({0});
  for (int dscp = 0; dscp < 64; ++dscp) table = table + octets({7 << 5 | 5, 0, dscp});
  hear(who() + ieee8021(12, table));
  differs("dcb:fab0:app#dscp-0", "and 50 more");
}

TEST_F(ChecksSwitchHalf, WithoutAMapOfDscpsNothingIsCompared) {
  for (int dscp = 0; dscp < 64; ++dscp) lose(cat("app#dscp-", dscp));
  EXPECT_TRUE(judge().findings.empty());
  EXPECT_NE(judge().text.find("could not be compared in APP"), std::string::npos) << judge().text;
}

TEST_F(ChecksSwitchHalf, WhatCannotBeReadHereIsNamed) {
  readings.clear();
  const SwitchHalf half = judge();
  EXPECT_TRUE(half.findings.empty());
  EXPECT_NE(half.text.find("could not be compared in PFC, ETS, APP"), std::string::npos)
      << half.text;
}

TEST_F(ChecksSwitchHalf, SaysNothingOfDcb) {
  hear(who() + tlv(5, characters("leaf1")));
  EXPECT_FALSE(judge().known);
  EXPECT_NE(judge().text.find("its settings are unknown"), std::string::npos);
  hear(who() + tlv(127, octets({0x00, 0x1b, 0x21, 2, 0})));
  EXPECT_NE(judge().text.find("only in CEE, which is not compared"), std::string::npos);
}

TEST_F(ChecksSwitchHalf, IsNotHeard) {
  heard.neighbour.reset();
  EXPECT_EQ(judge().text.find("no LLDP from a switch in 35 s: its settings are unknown"), 0U);
  EXPECT_FALSE(judge().known);
  heard.trouble = "no right";
  EXPECT_EQ(judge().text, "cannot listen to the switch: no right; its settings are unknown");
}

TEST_F(ChecksSwitchHalf, WhatIsReadCoversWhatIsCompared) {
  const auto addresses = switch_addresses("fab0", *heard.neighbour);
  const auto has = [&](const std::string& text) {
    return std::ranges::find(addresses, Address{text}) != addresses.end();
  };
  EXPECT_TRUE(has("dcb:fab0:pfc"));
  EXPECT_TRUE(has("dcb:fab0:ets-bw"));
  EXPECT_TRUE(has("dcb:fab0:app#dscp-26"));
  EXPECT_TRUE(has("dcb:fab0:app#ethertype-0x8915"));
}

}  // namespace
}  // namespace nettune::checks
