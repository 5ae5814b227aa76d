// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/signed_rank.hpp"

#include <array>
#include <gtest/gtest.h>

namespace nettune::tools::measure {
namespace {

TEST(MeasureSignedRank, TheIntervalHasTheRanksOfTheTables) {
  // Confidence intervals of 95 % for the signed-rank test: n, k.
  const std::vector<std::pair<std::size_t, std::size_t>> table = {
      {5, 0},   {6, 1},   {7, 3},   {8, 4},   {9, 6},    {10, 9},
      {12, 14}, {16, 30}, {20, 53}, {24, 82}, {30, 138}, {40, 265}};
  for (const auto& [n, k] : table) EXPECT_EQ(interval_rank(n, 0.05), k) << n;
}

TEST(MeasureSignedRank, TheDistributionIsOneAndSymmetric) {
  for (const std::size_t n : {1U, 8U, 64U}) {
    const auto chances = signed_rank_distribution(n);
    double sum = 0;
    for (const double chance : chances) sum += chance;
    EXPECT_NEAR(sum, 1, 1e-12);
    for (std::size_t i = 0; i < chances.size(); ++i)
      EXPECT_DOUBLE_EQ(chances[i], chances[chances.size() - 1 - i]);
  }
}

TEST(MeasureSignedRank, SmallestPAndTiesAreExact) {
  EXPECT_NEAR(signed_rank_p(std::array{1., 2., 3., 4., 5., 6.}), 2.0 / 64, 1e-12);
  EXPECT_NEAR(signed_rank_p(std::array{-1., 2., 3., 4., 5., 6.}), 4.0 / 64, 1e-12);
  // Four equal ones: only their number of signs counts. P(at most 0 or at least 4 of 4) = 2/16.
  EXPECT_NEAR(signed_rank_p(std::array{1., 1., 1., 1., 0., 0.}), 2.0 / 16, 1e-12);
  EXPECT_DOUBLE_EQ(signed_rank_p(std::array<double, 0>{}), 1);
  EXPECT_DOUBLE_EQ(signed_rank_p(std::array{0., 0., 0.}), 1);
}

TEST(MeasureSignedRank, HodgesLehmannIsTheMedianOfWalshAverages) {
  const auto six = hodges_lehmann(std::array{1., 2., 3., 4., 5., 6.}, 1);
  ASSERT_TRUE(six);
  EXPECT_DOUBLE_EQ(six->estimate, 3.5);
  EXPECT_DOUBLE_EQ(six->low, 1);
  EXPECT_DOUBLE_EQ(six->high, 6);
  // The depression scores of Hollander and Wolfe (R, ?wilcox.test): estimate 0.46, CI 0.010..0.786.
  const auto scores =
      hodges_lehmann(std::array{0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010},
                     interval_rank(9, 0.05));
  ASSERT_TRUE(scores);
  EXPECT_NEAR(scores->estimate, 0.46, 1e-9);
  EXPECT_NEAR(scores->low, 0.010, 1e-9);
  EXPECT_NEAR(scores->high, 0.786, 1e-9);
  EXPECT_FALSE(hodges_lehmann(std::array{1., 2.}, interval_rank(2, 0.05)));
}

TEST(MeasureSignedRankFisher, HasTheValuesOfTextbooks) {
  EXPECT_NEAR(fisher_p(3, 4, 1, 4), 0.4857, 1e-4);  // the lady tasting tea, two-sided
  EXPECT_NEAR(fisher_p(1, 10, 11, 14), 0.0028, 1e-4);
  EXPECT_EQ(fisher_p(0, 24, 0, 24), 1);
  EXPECT_EQ(fisher_p(0, 0, 0, 0), 1);
  EXPECT_NEAR(fisher_p(24, 24, 0, 24), fisher_p(0, 24, 24, 24), 1e-15);
  EXPECT_LT(fisher_p(24, 24, 0, 24), 1e-12);
}

}  // namespace
}  // namespace nettune::tools::measure
