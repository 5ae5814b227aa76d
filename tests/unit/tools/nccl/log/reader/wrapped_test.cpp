// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/reader/wrapped.hpp"

#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::reader {
namespace {

TEST(NcclLogReaderWrapped, InPiecesOfAnySize) {
  for (const std::size_t piece : {1U, 2U, 7U, 30U, 64U, 100U, 1000U}) {
    const Case slurm(
        "x\nslurmstepd: error: *** JOB 7 ON n0 CANCELLED AT\n2026-01-01T10:00:00 DUE TO NODE "
        "FAILURE,\nSEE SLURMCTLD LOG FOR DETAILS ***\ny\n",
        piece);
    EXPECT_EQ(slurm.first(), "slurm-node-failure") << piece;
    EXPECT_EQ(slurm.log.events[0].line, 2U) << piece;
    EXPECT_EQ(slurm.log.endings[0].line, 5U) << piece;
    for (const char* const end : {"", "\n", "\nn0:1:2 [0] NCCL INFO comm 0x1\n"}) {
      const Case one(cat("n0:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2\nP/IPC", end),
                     piece);
      EXPECT_EQ(one.log.connections[0], 1U) << piece << end;
      EXPECT_EQ(one.log.damaged, 0U) << piece << end;
    }
    const Case two(
        "n0:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2\n"
        "n0:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2\nz\n",
        piece);
    EXPECT_EQ(two.log.damaged, 2U) << piece;
    EXPECT_EQ(two.log.messages, 2U) << piece;
  }
}

/// Lines of another speaker are no rest, nor is one that says something itself.
TEST(NcclLogReaderWrapped, WhatSpeaksForItselfIsNotJoined) {
  const Case one(
      "[rank0]:[E321 02:07:08.1 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective "
      "operation timeout:\n[rank1]:[E321 02:07:08.1 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog "
      "caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=1, "
      "NumelOut=1, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.\n");
  ASSERT_EQ(one.log.waits.size(), 1U);
  EXPECT_EQ(one.log.waits.begin()->second.rank, 1U);
  EXPECT_EQ(
      Case("slurmstepd: error: *** JOB 7 ON n0 CANCELLED AT\nCUDA error: out of memory\n***\n")
          .log.events.size(),
      2U);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::reader
