// SPDX-License-Identifier: Apache-2.0
#include "cli/braces.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace nettune::cli {
namespace {

using Names = std::vector<std::string>;

TEST(CliBraces, NamesThatDifferInOneWordOrNumberAreOneInTheirOrder) {
  EXPECT_EQ(names_in_short(Names{"enp156s0np0", "enp26s0np0"}), "enp{156,26}s0np0");
  EXPECT_EQ(names_in_short(Names{"net.core.rmem_max", "net.core.wmem_max"}),
            "net.core.{rmem,wmem}_max");
  EXPECT_EQ(names_in_short(Names{"rdma_cm", "rdma_ucm"}), "rdma_{cm,ucm}");
  EXPECT_EQ(names_in_short(Names{"mlx5_0", "mlx5_10", "mlx5_20"}), "mlx5_{0,10,20}");
  EXPECT_EQ(names_in_short(Names{"eth0"}), "eth0");
}

TEST(CliBraces, OthersStayAsTheyAre) {
  for (const Names& names :
       {Names{"enp1s0f0", "enp2s0f1"}, Names{"eth0", "bond0.40"}, Names{"eth0", "eth0"}, Names{}})
    EXPECT_FALSE(braces(names));
  EXPECT_EQ(names_in_short(Names{"eth0", "eth1", "bond0.40", "eth2"}), "eth{0,1} bond0.40 eth2");
  EXPECT_EQ(names_in_short(Names{}), "");
}

TEST(CliBraces, ANumberIsToldFromAWord) {
  EXPECT_TRUE(differ_in_a_number(Names{"gc_thresh1", "gc_thresh2"}));
  EXPECT_FALSE(differ_in_a_number(Names{"pause-rx", "pause-tx"}));
}

}  // namespace
}  // namespace nettune::cli
