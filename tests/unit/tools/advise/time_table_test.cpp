// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/time_table.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::advise {
namespace {

TEST(AdviseTimeTable, InterpolatesBetweenWhatWasMeasured) {
  // aws/aws-ofi-nccl issue 65, 16 ranks.
  const TimeTable table({{46.14e6, 2550e-6}, {33.55e6, 1965e-6}, {41.94e6, 2354e-6}});
  EXPECT_DOUBLE_EQ(table.at(41.94e6), 2354e-6);
  EXPECT_GT(table.at(38e6), 1965e-6);
  EXPECT_LT(table.at(38e6), 2354e-6);
  EXPECT_NEAR(table.latency(), 409.5e-6, 1e-6);
  EXPECT_NEAR(table.at(1000), 409.5e-6, 1e-6);
  EXPECT_NEAR(table.at(38e6), 1965e-6 + (38 - 33.55) / (41.94 - 33.55) * 389e-6, 1e-9);
  // Two points of a line are the line.
  EXPECT_NEAR(TimeTable({{1e6, 2e-3}, {1e9, 1.001}}).at(25e6), 26e-3, 1e-9);
  EXPECT_NEAR(table.at(92.28e6), 5100e-6, 1e-9);
  EXPECT_EQ(TimeTable().at(1e6), 0);
  // It never falls with the size, and the shortest of one size counts.
  const TimeTable dip({{1e6, 100e-6}, {2e6, 80e-6}, {2e6, 90e-6}, {0, 5}, {4e6, 300e-6}});
  EXPECT_DOUBLE_EQ(dip.at(2e6), 100e-6);
  EXPECT_EQ(dip.points().size(), 3U);
}

TEST(AdviseTimeTable, ScalesByTheStepsOfARing) {
  // EFA, 8 bytes: 163, 319 and 628 us on 16, 32 and 64 ranks (jacobkahn's measurements).
  const TimeTable of_16({{8, 163e-6}, {1e9, 163e-6 + 0.1}});
  EXPECT_NEAR(of_16.scaled(16, 32).at(8), 319e-6, 0.06 * 319e-6);
  EXPECT_NEAR(of_16.scaled(16, 64).at(8), 628e-6, 0.1 * 628e-6);
  EXPECT_NEAR(of_16.scaled(16, 64).at(1e9), .1 * (63.0 / 64) / (15.0 / 16) + 685e-6, 1e-4);
}

}  // namespace
}  // namespace nettune::tools::advise
