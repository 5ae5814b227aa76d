// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "unit/support/profile_fixture.hpp"

namespace nettune::intents {
namespace {

using namespace test;

const std::string kLosslessSet = "[devices.fabric]\nmatch = { name = \"fab*\" }\n";
const std::string kClass = "[lossless.fabric]\ndscp = 26\npriority = 3\n";
const std::string kNotifications = "cnp_dscp = 48\ncnp_priority = 6\n";

class IntentsLossless : public test::ProfileTest {
 protected:
  void port(const std::string& name, const std::string& driver) {
    auto& device = this->device(name);
    device.driver = driver;
    device.link_layer = "Ethernet";
  }
  static long entries(const profile::Resolved& result) {
    return std::ranges::count_if(result.desired.settings, [](const Setting& setting) {
      return setting.address.text.find(":app#") != std::string::npos;
    });
  }
};

TEST_F(IntentsLossless, BecomesAllTheLayersOfMlx5) {
  port("fab0", "mlx5_core");
  const auto result = good(kLosslessSet + kClass + kNotifications + "cable_m = 7\n");
  EXPECT_TRUE(result.misfits.empty());
  EXPECT_EQ(test::value(result, "ethtool:fab0:pause-autoneg"), "off");
  EXPECT_EQ(test::value(result, "ethtool:fab0:pause-rx"), "off");
  EXPECT_EQ(test::value(result, "ethtool:fab0:pause-tx"), "off");
  EXPECT_EQ(test::value(result, "dcb:fab0:dcbx"), "host,ieee");
  EXPECT_EQ(entries(result), 64);
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dscp-26"), "3");
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dscp-48"), "6");
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dscp-0"), "0");
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dscp-63"), "7");
  EXPECT_EQ(test::value(result, "dcb:fab0:pfc"), "3");
  EXPECT_EQ(test::value(result, "dcb:fab0:pfc-delay"), "7");
  EXPECT_EQ(test::find(result, "dcb:fab0:ets-bw"), nullptr)
      << "ETS is written only where it is asked for";
  EXPECT_EQ(test::find(result, "dcb:fab0:pfc")->device, "pci of fab0");
  EXPECT_EQ(test::find(result, "dcb:fab0:pfc")->origin.line, 7);
}

TEST_F(IntentsLossless, GivesTheClassItsShareWhereThatIsAsked) {
  port("fab0", "mlx5_core");
  const auto result = good(kLosslessSet + kClass + kNotifications + "bandwidth_pct = 60\n");
  EXPECT_EQ(test::value(result, "dcb:fab0:ets-prio-tc"), "0,0,0,1,0,0,2,0");
  EXPECT_EQ(test::value(result, "dcb:fab0:ets-tsa"),
            "ets,ets,strict,strict,strict,strict,strict,strict");
  EXPECT_EQ(test::value(result, "dcb:fab0:ets-bw"), "40,60,0,0,0,0,0,0");
  const auto priority_zero =
      good(kLosslessSet + "[lossless.fabric]\ndscp = 1\npriority = 0\nbandwidth_pct = 1\n");
  EXPECT_EQ(test::value(priority_zero, "dcb:fab0:ets-prio-tc"), "1,0,0,0,0,0,0,0");
  EXPECT_EQ(test::value(priority_zero, "dcb:fab0:app#dscp-1"), "0");
}

TEST_F(IntentsLossless, FollowsTheHabitsOfOtherCards) {
  port("fab0", "bnxt_en");
  port("fab1", "ice");
  const auto result =
      good(kLosslessSet + kClass + kNotifications + "cable_m = 7\nbandwidth_pct = 50\n");
  EXPECT_TRUE(result.misfits.empty());
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dgram-4791"), "3");
  EXPECT_EQ(entries(result), 3 + 2);
  EXPECT_EQ(test::find(result, "dcb:fab0:pfc-delay"), nullptr);
  EXPECT_EQ(test::value(result, "ethtool:fab1:flag-fw-lldp-agent"), "off");
  EXPECT_EQ(test::find(result, "ethtool:fab1:pause-autoneg"), nullptr);
  EXPECT_EQ(test::value(result, "dcb:fab1:pfc"), "3");
}

TEST_F(IntentsLossless, DoesNotFitWhatCannotHaveIt) {
  port("fab0", "bnxt_en");
  port("fab1", "virtio_net");
  port("fab2", "mlx5_core");
  facts.net.back().link_layer = "InfiniBand";
  const auto result = good(kLosslessSet + kClass);
  ASSERT_EQ(result.misfits.size(), 3U);
  EXPECT_TRUE(test::any_has(result.misfits, "bandwidth_pct in [lossless.fabric]"));
  EXPECT_TRUE(test::any_has(result.misfits, "fab1 (virtio_net)"));
  EXPECT_TRUE(test::any_has(result.misfits, "mlx5_core, bnxt_en, ice"));
  EXPECT_TRUE(test::any_has(result.misfits, "fab2 is InfiniBand"));
}

TEST_F(IntentsLossless, TellsOthersItsTrafficClass) {
  port("fab0", "mlx5_core");
  const auto result = good("[vars]\ndscp = { default = 34, min = 0, max = 63 }\n" + kLosslessSet +
                           "[lossless.fabric]\ndscp = \"${dscp}\"\npriority = 4\n[env]\n"
                           "NCCL_IB_TC = { value = \"${fabric.traffic_class}\", "
                           "same_on_all_nodes = true }\n");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_IB_TC"), "138");
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dscp-34"), "4");
  bad(kLosslessSet + "[env]\nNCCL_IB_TC = \"${fabric.traffic_class}\"\n", 7,
      {"traffic_class", "[lossless.fabric]"});
}

TEST_F(IntentsLossless, IsInheritedKeyByKey) {
  port("fab0", "mlx5_core");
  profile("parent", kLosslessSet + kClass + kNotifications + "bandwidth_pct = 50\n");
  const auto result = good(
      "extends = [\"parent\"]\nremove = [\"lossless:fabric:bandwidth_pct\"]\n"
      "[lossless.fabric]\npriority = 2\n");
  EXPECT_EQ(test::value(result, "dcb:fab0:pfc"), "2");
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dscp-26"), "2");
  EXPECT_EQ(test::value(result, "dcb:fab0:app#dscp-48"), "6");
  EXPECT_EQ(test::find(result, "dcb:fab0:ets-bw"), nullptr);
}

TEST_F(IntentsLossless, RefusesWhatCannotBe) {
  port("fab0", "mlx5_core");
  bad(kLosslessSet + "[lossless.fabric]\npriority = 3\n", 7, {"both dscp and priority"});
  bad(kLosslessSet + "[lossless.fabric]\ndscp = 64\npriority = 3\n", 7, {"64", "0 to 63"});
  bad(kLosslessSet + "[lossless.fabric]\ndscp = 26\npriority = 8\n", 8, {"8", "0 to 7"});
  bad(kLosslessSet + "[lossless.fabric]\ndscp = \"26\"\npriority = 3\n", 7, {"must be an integer"});
  bad(kLosslessSet + kClass + "cnp_dscp = 48\n", 7, {"both cnp_dscp and cnp_priority"});
  bad(kLosslessSet + kClass + "cnp_dscp = 26\ncnp_priority = 6\n", 7, {"the same DSCP, 26"});
  bad(kLosslessSet + kClass + "cnp_dscp = 48\ncnp_priority = 3\n", 7, {"the paused priority 3"});
  bad(kLosslessSet + kClass + "cable_m = 0\n", 9, {"1 to 999"});
  bad(kLosslessSet + kClass + "bandwidth_pct = 100\n", 9, {"0 to 99"});
  bad(kLosslessSet + kClass + "priorities = 3\n", 9, {"priorities", "\"priority\""});
  bad("[lossless.nosuch]\ndscp = 26\npriority = 3\n", 5, {"nosuch"});
}

TEST_F(IntentsLossless, AnEmptySetIsANote) {
  const auto result = good(kLosslessSet + kClass);
  EXPECT_TRUE(result.desired.settings.empty());
  EXPECT_TRUE(test::any_has(result.desired.notes, "device set fabric is empty"));
}

}  // namespace
}  // namespace nettune::intents
