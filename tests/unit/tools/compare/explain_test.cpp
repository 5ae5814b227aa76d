// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/explain.hpp"

#include <cmath>

#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare {
namespace {

// R: fisher.test(matrix(c(a, b, c, d), 2))$p.value; the first is Fisher's own tea (1935).
TEST(CompareExplain, FisherIsExact) {
  EXPECT_NEAR(fisher_exact(3, 1, 1, 3), 0.4857143, 1e-6);
  EXPECT_NEAR(fisher_exact(4, 0, 0, 4), 0.02857143, 1e-6);
  EXPECT_NEAR(fisher_exact(1, 9, 11, 3), 0.002759456, 1e-7);
  EXPECT_NEAR(fisher_exact(0, 5, 5, 0), 0.007936508, 1e-7);
  EXPECT_DOUBLE_EQ(fisher_exact(0, 0, 3, 4), 1);
  EXPECT_NEAR(std::log10(fisher_exact(14, 0, 0, 1010)), -31.3, 0.5);
}

TEST(CompareExplain, HolmCorrectsAndNeverFalls) {
  const std::vector<double> adjusted = holm({0.01, 0.02, 0.03, 0.9});
  EXPECT_NEAR(adjusted[0], 0.04, 1e-12);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.9, 1e-12);
  EXPECT_DOUBLE_EQ(holm({0.6, 0.7})[1], 1);
}

Fleet mixed() {
  return fleet_of(24, [](int i, Json& document) {
    if (i >= 18)
      for (Json& device : document["rdma"]) device["firmware"] = "28.36.1010";
    if (i % 2 == 0) document["node"]["kernel"] = "6.1.0-38-amd64";
  });
}

TEST(CompareExplain, WhatOnlySlowNodesHaveComesFirst) {
  const Fleet fleet = mixed();
  std::vector<std::string> slow;
  for (int i = 18; i < 24; ++i) slow.push_back(cat("gpu", i));
  slow.emplace_back("login1");
  const Explained explained = explain(fleet, slow);
  EXPECT_EQ(explained.slow, 6U);
  EXPECT_EQ(explained.unknown, std::vector<std::string>{"login1"});
  ASSERT_EQ(explained.found.size(), 1U);
  const Correlation& first = explained.found[0];
  // Both devices tell the same nodes apart: nothing says which it is.
  EXPECT_EQ(first.values, (std::vector<std::string>{"rdma[mlx5_0].firmware = 28.36.1010",
                                                    "rdma[mlx5_1].firmware = 28.36.1010"}));
  EXPECT_EQ(first.slow_with, 6U);
  EXPECT_EQ(first.others_with, 0U);
  EXPECT_LT(first.p_adjusted, 1e-4);
}

TEST(CompareExplain, ChanceIsNotExplained) {
  const Explained explained = explain(mixed(), {"gpu1", "gpu2", "gpu20"});
  EXPECT_TRUE(explained.found.empty());
  EXPECT_GT(explained.tested, 0U);
  EXPECT_TRUE(explain(mixed(), {}).found.empty());
}

TEST(CompareExplain, ALostDeviceIsAnExplanation) {
  const Fleet fleet = fleet_of(20, [](int i, Json& document) {
    if (i < 5) document["gpus"].erase(0);
  });
  const Explained explained = explain(fleet, {"gpu0", "gpu1", "gpu2", "gpu3", "gpu4"});
  ASSERT_FALSE(explained.found.empty());
  EXPECT_EQ(explained.found[0].values, std::vector<std::string>{"gpus[0000:40:00.0] is missing"});
  EXPECT_EQ(explained.found[0].slow_with, 5U);
}

}  // namespace
}  // namespace nettune::tools::compare
