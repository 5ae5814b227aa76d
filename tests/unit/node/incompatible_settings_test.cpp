// SPDX-License-Identifier: Apache-2.0
#include "node/incompatible_settings.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nettune::node {
namespace {

/// bond0 with the members ens1 and ens2, and bond0.40 on top of it; all have 1500.
class NodeIncompatibleSettings : public testing::Test {
 protected:
  NodeIncompatibleSettings() {
    for (const char* const name : {"ens1", "ens2", "bond0", "bond0.40"}) {
      facts::NetDevice device;
      device.name = name;
      device.mtu = 1500;
      facts.net.push_back(device);
    }
    facts.net[0].max_mtu = 9978;
    facts.net[1].max_mtu = 9000;
    facts.net[2].kind = "bond";
    facts.net[2].lowers = {"ens1", "ens2"};
    facts.net[3].kind = "vlan";
    facts.net[3].lowers = {"bond0"};
  }

  void want(const std::string& name, const std::string& mtu, Verdict verdict = Verdict::different) {
    PlanItem item;
    item.setting.address = Address{"link:" + name + ":mtu"};
    item.setting.want = mtu;
    item.setting.origin = {"p.toml", 7};
    item.verdict = verdict;
    item.after = mtu;
    plan.items.push_back(std::move(item));
  }

  std::string mistake() {
    const auto found = find_incompatible_settings(plan, providers, facts);
    return found ? "" : found.error().text;
  }

  facts::Facts facts;
  Plan plan;
  Providers providers;
};

TEST_F(NodeIncompatibleSettings, AMemberAloneIsAMistake) {
  want("ens1", "9000");
  EXPECT_NE(mistake().find("ens1 is a member of bond0"), std::string::npos) << mistake();
  EXPECT_NE(mistake().find("has 1500; set the MTU of bond0"), std::string::npos) << mistake();
}

TEST_F(NodeIncompatibleSettings, AMemberLikeItsBondIsNone) {
  want("ens1", "9000");
  want("bond0", "9000");
  EXPECT_EQ(mistake(), "");
  plan.items[1].setting.want = "4000";
  EXPECT_NE(mistake().find("contradict"), std::string::npos) << mistake();
}

TEST_F(NodeIncompatibleSettings, WhatHoldsAlreadyIsLeftAlone) {
  want("ens1", "9000", Verdict::in_sync);
  EXPECT_EQ(mistake(), "");
}

TEST_F(NodeIncompatibleSettings, ABondTakesNoMoreThanEachMember) {
  want("bond0", "9500");
  EXPECT_NE(mistake().find("ens2 supports at most 9000"), std::string::npos) << mistake();
}

TEST_F(NodeIncompatibleSettings, AVlanNeedsItsBond) {
  want("bond0.40", "9000");
  EXPECT_NE(mistake().find("bond0.40 is on top of bond0"), std::string::npos) << mistake();
  want("bond0", "9000");
  EXPECT_EQ(mistake(), "");
}

TEST_F(NodeIncompatibleSettings, ALowerDeviceThatIsRestoredCounts) {
  facts.net[2].mtu = 9000;
  want("bond0.40", "9000", Verdict::in_sync);
  EXPECT_EQ(mistake(), "");
  want("bond0", "1500");
  plan.items[1].role = PlanItem::Role::give_back;
  EXPECT_NE(mistake().find("which has 1500"), std::string::npos) << mistake();
}

}  // namespace
}  // namespace nettune::node
