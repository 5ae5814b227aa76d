// SPDX-License-Identifier: Apache-2.0
#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::dcb {
namespace {

using namespace test;

class KindsDcbSection : public test::ProfileTest {
 protected:
  KindsDcbSection() {
    device("ens1");
    device("ens2");
  }
  const std::string set = "[devices.d]\nmatch = { name = \"ens*\" }\n[dcb.d]\n";
};

TEST_F(KindsDcbSection, EveryKeyBecomesASettingOfEachDevice) {
  const auto result = good(
      set +
      "dcbx = [\"ieee\", \"host\"]\npfc = [3]\npfc-delay = 7\nets-prio-tc = [0,0,0,3,0,0,6,0]\n"
      "ets-tsa = "
      "[\"ets\",\"strict\",\"strict\",\"ets\",\"strict\",\"strict\",\"strict\",\"strict\"]\n"
      "ets-bw = [50,0,0,50,0,0,0,0]\nmaxrate = [0,0,0,0,0,0,0,100000]\n"
      "buffer-prio = [0,0,0,1,0,0,0,0]\n"
      "buffer-size = { value = [1,2,0,0,0,0,0,0], optional = true, nearest = true }\n"
      "app = { dscp-26 = 3, dgram-4791 = { value = [3, 4], optional = true } }\n");
  EXPECT_EQ(value(result, "dcb:ens1:dcbx"), "host,ieee");
  EXPECT_EQ(value(result, "dcb:ens2:pfc"), "3");
  EXPECT_EQ(value(result, "dcb:ens1:pfc-delay"), "7");
  EXPECT_EQ(value(result, "dcb:ens1:ets-prio-tc"), "0,0,0,3,0,0,6,0");
  EXPECT_EQ(value(result, "dcb:ens1:ets-tsa"), "ets,strict,strict,ets,strict,strict,strict,strict");
  EXPECT_EQ(value(result, "dcb:ens1:ets-bw"), "50,0,0,50,0,0,0,0");
  EXPECT_EQ(value(result, "dcb:ens1:maxrate"), "0,0,0,0,0,0,0,100000");
  EXPECT_EQ(value(result, "dcb:ens1:buffer-prio"), "0,0,0,1,0,0,0,0");
  const Setting* const size = find(result, "dcb:ens1:buffer-size");
  ASSERT_NE(size, nullptr);
  EXPECT_TRUE(size->optional && size->nearest);
  EXPECT_EQ(size->device, "pci of ens1");
  EXPECT_EQ(value(result, "dcb:ens2:app#dscp-26"), "3");
  EXPECT_EQ(value(result, "dcb:ens2:app#dgram-4791"), "3,4");
  EXPECT_TRUE(find(result, "dcb:ens2:app#dgram-4791")->optional);
  EXPECT_FALSE(find(result, "dcb:ens2:app#dscp-26")->optional);
}

TEST_F(KindsDcbSection, NoneAndVariables) {
  const auto result =
      good("[vars]\nprio = { default = 3 }\n" + set +
           "pfc = []\ndcbx = { value = [], optional = true }\napp = { dscp-26 = \"${prio}\" }\n");
  EXPECT_EQ(value(result, "dcb:ens1:pfc"), "none");
  EXPECT_EQ(value(result, "dcb:ens1:dcbx"), "none");
  EXPECT_EQ(value(result, "dcb:ens1:app#dscp-26"), "3");
  EXPECT_EQ(value(good("[vars]\nprio = { default = 4 }\n" + set + "pfc = [\"${prio}\"]\n"),
                  "dcb:ens1:pfc"),
            "4");
}

TEST_F(KindsDcbSection, BadInputNamesItsLine) {
  bad(set + "pfc = [8]\n", 7, {"[dcb.d] pfc", "8", "0 to 7"});
  bad(set + "pfc = [3, 3]\n", 7, {"twice"});
  bad(set + "pfc = 3\n", 7, {"[dcb.d] pfc", "list of integers"});
  bad(set + "pfc-delay = 70000\n", 7, {"65535"});
  bad(set + "dcbx = [\"hosts\"]\n", 7, {"hosts", "host"});
  bad(set + "ets-prio-tc = [0, 1]\n", 7, {"2 members", "8"});
  bad(set + "ets-tsa = [\"wrr\"]\n", 7, {"wrr", "strict"});
  bad(set + "ets-bw = [50,0,0,40,0,0,0,0]\n", 7, {"sums to 90", "100"});
  bad(set + "maxrate = [-1,0,0,0,0,0,0,0]\n", 7, {"-1"});
  bad(set + "colour = 1\n", 7, {"colour", "[dcb.d]"});
  bad(set + "app = { dscp-64 = 3 }\n", 7, {"dscp-64", "dscp-0 to dscp-63"});
  bad(set + "app = { dscp-26 = 9 }\n", 7, {"dscp-26", "9"});
  bad(set + "app = { dscp-26 = [] }\n", 7, {"dscp-26"});
  bad(set + "app = { dscp-26 = { optional = true } }\n", 7, {"value"});
  bad("[dcb.nobody]\npfc = [3]\n", 5, {"nobody"});
  const std::string tsa =
      "ets-tsa = [\"ets\",\"strict\",\"strict\",\"strict\",\"strict\",\"strict\",\"strict\","
      "\"strict\"]\n";
  bad(set + tsa + "ets-bw = [50,0,0,50,0,0,0,0]\n", 8, {"class 3", "50"});
  bad(set + tsa + "ets-bw = [0,0,0,0,0,0,0,0]\n", 8, {"sums to 0"});
}

TEST_F(KindsDcbSection, EntriesAreInheritedAndRemovedOneByOne) {
  profile("a", set + "pfc = [3]\napp = { dscp-26 = 3, dscp-48 = 6 }\n");
  const auto result = good(
      "extends = [\"a\"]\nremove = [\"dcb:d:app#dscp-26\", \"dcb:d:pfc\"]\n[dcb.d]\n"
      "app = { dscp-10 = 1 }\n");
  EXPECT_EQ(value(result, "dcb:ens1:app#dscp-26"), "-");
  EXPECT_EQ(value(result, "dcb:ens1:app#dscp-48"), "6");
  EXPECT_EQ(value(result, "dcb:ens1:app#dscp-10"), "1");
  EXPECT_EQ(value(result, "dcb:ens1:pfc"), "-");
  const auto none = good("extends = [\"a\"]\nremove = [\"dcb:d:app\"]\n");
  EXPECT_EQ(value(none, "dcb:ens1:app#dscp-48"), "-");
  EXPECT_EQ(value(none, "dcb:ens1:pfc"), "3");
}

}  // namespace
}  // namespace nettune::kinds::dcb
