// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::ethtool {
namespace {

class KindsEthtoolSection : public test::ProfileTest {};

TEST_F(KindsEthtoolSection, EthtoolOfASet) {
  device("ens1");
  device("ens2");
  const std::string set = "[devices.d]\nmatch = { name = \"ens*\" }\n[ethtool.d]\n";
  const auto result =
      good(set + "pause-rx = false\nring-rx = { value = 8000, nearest = true }\n" +
           "feature-rx-gro-hw = true\nflag-fw-lldp-agent = { value = false, optional = true }\n");
  EXPECT_EQ(test::value(result, "ethtool:ens1:pause-rx"), "off");
  EXPECT_EQ(test::value(result, "ethtool:ens2:feature-rx-gro-hw"), "on");
  EXPECT_EQ(test::value(result, "ethtool:ens2:ring-rx"), "8000");
  EXPECT_TRUE(test::find(result, "ethtool:ens2:ring-rx")->nearest);
  EXPECT_FALSE(test::find(result, "ethtool:ens2:pause-rx")->nearest);
  EXPECT_EQ(test::find(result, "ethtool:ens2:ring-rx")->device, "pci of ens2");
  EXPECT_TRUE(test::find(result, "ethtool:ens1:flag-fw-lldp-agent")->optional);
  const auto variable =
      good("[vars]\nn = { default = 4 }\n" + set + "channels-combined = \"${n}\"\n");
  EXPECT_EQ(test::value(variable, "ethtool:ens1:channels-combined"), "4");
  bad(set + "ring-rz = 1\n", 7, {"[ethtool.d]", "ring-rz", "'ring-rx'"});
  bad(set + "colour = 1\n", 7, {"colour", "keys are"});
  bad(set + "feature- = true\n", 7, {"feature-", "a valid name"});
  bad(set + "ring-rx = true\n", 7, {"[ethtool.d] ring-rx", "integer from 0 to 4294967295"});
  bad(set + "ring-rx = -1\n", 7, {"-1"});
  bad(set + "ring-rx = 4294967296\n", 7, {"4294967296"});
  bad(set + "pause-rx = 1\n", 7, {"[ethtool.d] pause-rx", "true or false"});
  bad(set + "pause-rx = \"off\"\n", 7, {"a ${variable}", "a string"});
  bad(set + "pause-rx = { optional = true }\n", 7, {"value", "missing"});
  facts.net.clear();
  const auto none = good(set + "ring-rx = 1\n");
  EXPECT_TRUE(none.desired.settings.empty());
  EXPECT_TRUE(test::any_has(none.desired.notes, "device set d"));
}

TEST_F(KindsEthtoolSection, InheritedEthtoolIsRemovedByItsKey) {
  device("ens1");
  profile("a", "[devices.d]\nmatch = { name = \"ens*\" }\n[ethtool.d]\nring-rx = 1\nring-tx = 2\n");
  profile("x", "extends = [\"a\"]\nremove = [\"ethtool:d:ring-rx\"]\n[ethtool.d]\nring-tx = 3\n");
  const auto result = good_profile("x");
  EXPECT_EQ(test::value(result, "ethtool:ens1:ring-rx"), "-");
  EXPECT_EQ(test::value(result, "ethtool:ens1:ring-tx"), "3");
}

}  // namespace
}  // namespace nettune::kinds::ethtool
