// SPDX-License-Identifier: Apache-2.0
#include "node/check/dscp_rows.hpp"

#include <gtest/gtest.h>

namespace nettune::node::check {
namespace {

SettingRow entry(int dscp, std::string now, std::string wanted) {
  return {"dcb:ens1:app#dscp-" + std::to_string(dscp), std::move(now), std::move(wanted), {}, {}};
}

TEST(NodeCheckDscpRows, OneRowTellsEveryValue) {
  std::vector<SettingRow> rows;
  for (int dscp = 63; dscp >= 0; --dscp)
    rows.push_back(entry(dscp, "absent", std::to_string(dscp == 34 ? 3 : dscp >> 3)));
  const auto folded = fold_dscps(rows);
  ASSERT_EQ(folded.size(), 1U);
  EXPECT_EQ(folded[0].setting, "dcb:ens1:app#dscp-0..63 (64 entries)");
  EXPECT_EQ(folded[0].now, "absent");
  EXPECT_EQ(folded[0].wanted,
            "0..7: 0, 8..15: 1, 16..23: 2, 24..31: 3, 32..33: 4, 34: 3, 35..39: 4, 40..47: 5, "
            "48..55: 6, 56..63: 7");
}

TEST(NodeCheckDscpRows, GapsAreNotFilled) {
  const auto folded = fold_dscps({entry(26, "0", "3"), entry(48, "0", "3"), entry(49, "0", "3")});
  ASSERT_EQ(folded.size(), 1U);
  EXPECT_EQ(folded[0].setting, "dcb:ens1:app#dscp-26,48..49 (3 entries)");
  EXPECT_EQ(folded[0].wanted, "3");
}

TEST(NodeCheckDscpRows, OneAloneKeepsItsAddress) {
  EXPECT_EQ(fold_dscps({entry(26, "0", "3")}).at(0).setting, "dcb:ens1:app#dscp-26");
}

TEST(NodeCheckDscpRows, WhatDiffersIsAnotherRow) {
  std::vector<SettingRow> rows = {{"dcb:ens1:pfc", "none", "3", {}, {}},
                                  {"dcb:ens1:app#dgram-4791", "absent", "3", {}, {}},
                                  entry(26, "absent", "3"),
                                  {"dcb:ens2:app#dscp-27", "absent", "3", {}, {}},
                                  {"dcb:ens2:app#dscp-28", "absent", "3", {"refused"}, {}},
                                  {"dcb:ens2:app#dscp-29", "absent", "3", {"refused"}, {"why"}},
                                  {"dcb:ens2:app#dscp-64", "absent", "3", {}, {}}};
  const auto folded = fold_dscps(rows);
  ASSERT_EQ(folded.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(folded[i].setting, rows[i].setting);
}

TEST(NodeCheckDscpRows, AWholeMapIsSaidByWhatIsUnusual) {
  const std::string usual = "0..7: 0, 8..15: 1, 16..23: 2, 24..31: 3, 32..39: 4, ";
  EXPECT_EQ(short_dscp_map(usual + "40..47: 5, 48..55: 6, 56..63: 7"),
            "each DSCP by its upper three bits");
  EXPECT_EQ(short_dscp_map(usual + "40..45: 5, 46: 3, 47: 5, 48..55: 6, 56..63: 7"),
            "46: 3, others by their upper three bits");
  for (const std::string& other :
       {usual + "40..47: 5", std::string("26: 3"), std::string("absent")})
    EXPECT_EQ(short_dscp_map(other), other);
}

}  // namespace
}  // namespace nettune::node::check
