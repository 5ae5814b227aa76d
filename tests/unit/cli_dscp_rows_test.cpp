// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/dscp_rows.hpp"

namespace nettune::cli {
namespace {

Address entry(int dscp, const std::string& interface = "ens1") {
  return {"dcb:" + interface + ":app#dscp-" + std::to_string(dscp)};
}

TEST(DscpRows, OneRowTellsEveryValue) {
  DscpRows rows;
  for (int dscp = 63; dscp >= 0; --dscp)
    ASSERT_TRUE(rows.take(entry(dscp), "absent", std::to_string(dscp == 34 ? 3 : dscp >> 3), {}));
  EXPECT_EQ(rows.setting(), "dcb:ens1:app#dscp-0..63 (64 entries)");
  EXPECT_EQ(rows.now(), "absent");
  EXPECT_EQ(rows.wanted(),
            "0..7: 0, 8..15: 1, 16..23: 2, 24..31: 3, 32..33: 4, 34: 3, 35..39: 4, 40..47: 5, "
            "48..55: 6, 56..63: 7");
}

TEST(DscpRows, GapsAreNotFilled) {
  DscpRows rows;
  for (const int dscp : {26, 48, 49}) ASSERT_TRUE(rows.take(entry(dscp), "0", "3", {}));
  EXPECT_EQ(rows.setting(), "dcb:ens1:app#dscp-26,48..49 (3 entries)");
  EXPECT_EQ(rows.wanted(), "3");
}

TEST(DscpRows, WhatDiffersIsAnotherRow) {
  DscpRows rows;
  EXPECT_FALSE(rows.take(Address{"dcb:ens1:pfc"}, "none", "3", {}));
  EXPECT_FALSE(rows.take(Address{"dcb:ens1:app#dgram-4791"}, "absent", "3", {}));
  EXPECT_TRUE(rows.empty());
  ASSERT_TRUE(rows.take(entry(26), "absent", "3", {{"change"}, {}}));
  EXPECT_FALSE(rows.take(entry(27, "ens2"), "absent", "3", {{"change"}, {}}));
  EXPECT_FALSE(rows.take(entry(27), "absent", "3", {{"refused"}, {}}));
  EXPECT_FALSE(rows.take(entry(27), "absent", "3", {{"change"}, {"because"}}));
  EXPECT_EQ(rows.setting(), "dcb:ens1:app#dscp-26");
}

}  // namespace
}  // namespace nettune::cli
