// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/voice.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::nccl::log {
namespace {

/// srun --label numbers its tasks: of torchrun that is a node, and slurmstepd speaks of the step.
TEST(NcclLogVoice, ALabelOfALauncherIsNoRank) {
  EXPECT_EQ(rank_in_front("1: [rank9]: ValueError: x"), 9U);
  EXPECT_EQ(rank_in_front("1: ValueError: x"), 1U);
  EXPECT_EQ(rank_in_front("1: E0 1 torch/distributed/elastic/multiprocessing/api.py:869] failed "
                          "(exitcode: 1) local_rank: 2 (pid: 30) of binary: python"),
            std::nullopt);
  EXPECT_EQ(rank_in_front("0: slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-01 ***"),
            std::nullopt);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
