// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/explain.hpp"

#include <cmath>

#include "base/node_set.hpp"
#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare {
namespace {

using namespace test;

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
namespace {

TEST(CompareNodeSet, FoldsOneNumberOfAName) {
  const auto fold = [](std::vector<std::string> names) { return fold_names(names); };
  EXPECT_EQ(fold({"gpu003", "gpu117", "gpu118", "gpu119"}), "gpu[003,117-119]");
  EXPECT_EQ(fold({"gpu8", "gpu9", "gpu10"}), "gpu[8-10]");
  EXPECT_EQ(fold({"gpu08", "gpu9"}), "gpu08,gpu9");
  EXPECT_EQ(fold({"gpu1"}), "gpu1");
  EXPECT_EQ(fold({"a", "b", "a"}), "a,b");
  EXPECT_EQ(fold({"gpu1.dc1.local", "gpu2.dc1.local"}), "gpu[1-2].dc1.local");
  EXPECT_EQ(fold({"r1n4", "r2n4", "r3n4"}), "r[1-3]n4");
  EXPECT_EQ(fold({"login", "gpu2", "gpu1"}), "gpu[1-2],login");
  EXPECT_EQ(fold({"rdma[mlx5_0].mtu", "rdma[mlx5_1].mtu"}), "rdma[mlx5_[0-1]].mtu");
  EXPECT_EQ(fold({}), "");
}

TEST(CompareNodeSet, ExpandsWhatItFolds) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"gpu003", "gpu117", "gpu118"},
        {"gpu8", "gpu9", "gpu10"},
        {"a", "b"},
        {"gpu1.dc1", "gpu2.dc1"}}) {
    const auto expanded = expand_names(fold_names(names));
    ASSERT_TRUE(expanded);
    EXPECT_EQ(*expanded, names);
  }
  EXPECT_EQ(*expand_names("r[1-2]n[1-2] x\ny"),
            (std::vector<std::string>{"r1n1", "r1n2", "r2n1", "r2n2", "x", "y"}));
  for (const char* const wrong : {"gpu[1-", "gpu[5-1]", "gpu[a]", "gpu[1-999999999]", "gpu[-3]"})
    EXPECT_FALSE(expand_names(wrong)) << wrong;
}

TEST(CompareNodeSet, NumbersSortAsNumbers) {
  EXPECT_TRUE(name_less("gpu9", "gpu10"));
  EXPECT_FALSE(name_less("gpu10", "gpu9"));
  EXPECT_TRUE(name_less("gpu1", "gpu1a"));
  EXPECT_FALSE(name_less("a", "a"));
}

}  // namespace
}  // namespace nettune::tools::compare
