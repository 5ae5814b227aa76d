// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch, launchers, the scheduler and the kernel say of a job, in lines that NCCL did not
// write. Their shapes: pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp and
// NCCLUtils.cpp, torch/distributed/elastic; issues that are named at the lines.

#include "base/text.hpp"
#include "tools/nccl/log/job/error_block.hpp"
#include "tools/nccl/log/voice.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::job {
namespace {

TEST(NcclLogJobTorch, LinesOfOthersInPiecesAndInJson) {
  const std::string text = cat("x\n", block("[rank1]: ", "ncclSystemError",
                                            "Error: failed to extend /dev/shm/nccl-a to 1 bytes"));
  for (const std::size_t piece : {1U, 3U, 50U, 1000U}) {
    const Case one(text, piece);
    EXPECT_EQ(one.first(), "shm-extend") << piece;
    EXPECT_EQ(one.log.events[*one.verdict.first].line, 5U) << piece;
  }
  std::string json;
  for (const std::string_view line : split(text, '\n'))
    json += cat("{\"log\":\"", line, "\\n\",\"stream\":\"stderr\",\"time\":\"2026\"}\n");
  EXPECT_EQ(Case(json).first(), "shm-extend");
  // repr() of Python: all on one line (Ray).
  EXPECT_EQ(Case("RuntimeError('NCCL error in: x.cpp:1, unhandled system error, NCCL version "
                 "2.18.1\\nncclSystemError: System call failed.\\nLast error:\\nError: failed to "
                 "extend /dev/shm/nccl-a to 1 bytes')\n")
                .first(),
            "shm-extend");
}

TEST(NcclLogJobTorch, FrontsOfLines) {
  EXPECT_EQ(rank_in_front("[rank12]: text"), 12U);
  EXPECT_EQ(rank_in_front("(W pid=3) [rank2]:[E ...] text"), 2U);
  EXPECT_EQ(rank_in_front("[1,5]<stderr>:text"), 5U);
  EXPECT_EQ(rank_in_front(" 7: text"), 7U);
  EXPECT_EQ(rank_in_front("7:text"), std::nullopt);
  EXPECT_EQ(rank_in_front("[ranks]"), std::nullopt);
  EXPECT_EQ(without_front("10:15 b", "10:14 "), "b");
  EXPECT_EQ(without_front("ab", "abc"), "ab");
  EXPECT_EQ(voice_of("text"), 0U);
  EXPECT_NE(voice_of("(W pid=3) text"), voice_of("(W pid=4) text"));
}

}  // namespace
}  // namespace nettune::tools::nccl::log::job
