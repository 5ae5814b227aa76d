// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::link {
namespace {

class KindsLinkSection : public test::ProfileTest {};

TEST_F(KindsLinkSection, LinksOfASet) {
  device("ens1").max_mtu = 9978;
  device("ens2").min_mtu = 68;
  const std::string set = "[devices.d]\nmatch = { name = \"ens*\" }\n[link.d]\n";
  const auto result = good(set + "mtu = 9000\ntxqueuelen = { value = 2000, optional = true }\n");
  EXPECT_EQ(test::value(result, "link:ens1:mtu"), "9000");
  EXPECT_EQ(test::find(result, "link:ens2:mtu")->device, "pci of ens2");
  EXPECT_EQ(test::value(result, "link:ens2:txqueuelen"), "2000");
  EXPECT_TRUE(test::find(result, "link:ens2:txqueuelen")->optional);
  bad(set + "mtu = 67\n", 7, {"[link.d] mtu", "67", "68 to 65535"});
  bad(set + "mtu = 65536\n", 7, {"65536"});
  bad(set + "mtu = \"9000\"\n", 7, {"an integer", "a string"});
  bad(set + "mtv = 9000\n", 7, {"mtv", "\"mtu\""});
  bad(set + "mtu = 10000\n", 7, {"10000", "ens1", "at most 9978"});
  facts.net[1].min_mtu = 1280;
  bad(set + "mtu = 1000\n", 7, {"1000", "ens2", "at least 1280"});
  const auto left = good(set + "mtu = { value = 10000, optional = true }\n");
  EXPECT_EQ(test::value(left, "link:ens1:mtu"), "-");
  EXPECT_EQ(test::value(left, "link:ens2:mtu"), "10000");
  EXPECT_TRUE(test::any_has(left.desired.notes, "ens1 supports at most 9978"));
}

TEST_F(KindsLinkSection, TheModeOfIpoib) {
  device("ib0");
  const std::string set = "[devices.d]\nmatch = { name = \"ib0\" }\n[link.d]\n";
  EXPECT_EQ(test::value(good(set + "ipoib-mode = \"connected\"\n"), "link:ib0:ipoib-mode"),
            "connected");
  const auto table = good("[vars]\nm = { default = \"datagram\" }\n" + set +
                          "ipoib-mode = { value = \"${m}\", optional = true }\n");
  EXPECT_EQ(test::value(table, "link:ib0:ipoib-mode"), "datagram");
  EXPECT_TRUE(test::find(table, "link:ib0:ipoib-mode")->optional);
  bad(set + "ipoib-mode = \"ud\"\n", 7, {"[link.d] ipoib-mode", "ud", "connected"});
  bad(set + "ipoib-mode = 1\n", 7, {"ipoib-mode", "a string"});
}

}  // namespace
}  // namespace nettune::kinds::link
