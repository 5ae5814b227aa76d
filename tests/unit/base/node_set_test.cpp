// SPDX-License-Identifier: Apache-2.0
#include "base/node_set.hpp"

#include <gtest/gtest.h>

namespace nettune::inline base {
namespace {

TEST(BaseNodeSet, FoldsOneNumberOfAName) {
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

TEST(BaseNodeSet, ExpandsWhatItFolds) {
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

TEST(BaseNodeSet, NumbersSortAsNumbers) {
  EXPECT_TRUE(name_less("gpu9", "gpu10"));
  EXPECT_FALSE(name_less("gpu10", "gpu9"));
  EXPECT_TRUE(name_less("gpu1", "gpu1a"));
  EXPECT_FALSE(name_less("a", "a"));
}

}  // namespace
}  // namespace nettune::inline base
