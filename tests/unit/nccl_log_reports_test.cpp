// SPDX-License-Identifier: Apache-2.0
//
// Excerpts as people put them into reports: a few lines, one line, the begin of a line. Lines in
// the shape of those of the issues that are named at them.
#include "base/text.hpp"
#include "unit/nccl_log_fixture.hpp"

namespace nettune::nccl_log {
namespace {

std::string first_of(const std::string& text) { return Case(text + "\n").first(); }

std::string remarks_said(const std::string& text) { return join(Case(text).verdict.remarks, "\n"); }

std::string devices_of(int process, const std::string& list) {
  return cat("a:", process, ":2 [0] NCCL INFO NET/IB : Using ", list,
             " [RO]; OOB eth0:10.0.0.1<0>\n");
}

std::string says_bootstrap(int process) {
  return cat("a:", process, ":2 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n");
}

std::string says_start(int process) {
  return cat("a:", process, ":2 [0] NCCL INFO comm 0x5 rank ", process,
             " nranks 8 cudaDev 0 commId 0x9 - Init START\n");
}

/// NVIDIA/nccl issues 1129 and 1029: one process of several says which devices it has.
TEST(NcclReports, OneDeviceServesManyOnlyWhereAllOfThemSaySo) {
  const std::string one = "[0]mlx5_0:1/IB";
  std::string silent = devices_of(1, one);
  std::string all = devices_of(1, one);
  std::string differ = devices_of(1, one);
  for (int process = 2; process <= 4; ++process) {
    silent += says_bootstrap(process);
    all += devices_of(process, one);
    differ += devices_of(process, cat("[0]mlx5_", process, ":1/IB"));
  }
  EXPECT_NE(remarks_said(all).find("one RDMA device serves 4 processes on a"), std::string::npos);
  EXPECT_EQ(remarks_said(silent), "");
  EXPECT_EQ(remarks_said(differ), "");
  // Ranks of one communicator: what else runs there does not matter.
  const std::string ranks = says_start(1) + says_start(2) + says_start(3) + says_start(4);
  EXPECT_EQ(remarks_said(devices_of(1, one) + ranks), "");
  EXPECT_NE(
      remarks_said(all + ranks + says_bootstrap(5)).find("one RDMA device serves 4 GPUs on a"),
      std::string::npos);
}

/// pytorch/pytorch issue 38702, Oneflow-Inc/oneflow issue 3586.
TEST(NcclReports, TheBeginOfAMessageSaysLessThanWhatWasTriedAgain) {
  const std::string refused =
      "w:1:2 [0] NCCL INFO Call to connect returned Connection refused, retrying\n";
  for (const char* const cut : {"Connect to", "Connect to f", "Net : Conn"}) {
    const Log log = read(refused + "\nw:1:2 [0] include/socket.h:403 NCCL WARN " + cut + "\n");
    const Verdict verdict = judge(log, causes());
    ASSERT_TRUE(verdict.first) << cut;
    EXPECT_TRUE(log.events[*verdict.first].retried) << cut;
  }
  // Alone, or with a line behind it, it is what there is.
  const Log alone = read("w:1:2 [0] include/socket.h:403 NCCL WARN Connect to\n");
  const Verdict verdict = judge(alone, causes());
  ASSERT_TRUE(verdict.first);
  EXPECT_TRUE(alone.events[*verdict.first].cut);
  const Case whole(refused + "w:1:2 [0] x.cc:1 NCCL WARN New words\nw:1:2 [0] NCCL INFO x\n");
  EXPECT_EQ(whole.first(), "uncatalogued");
  const Log longer = read(refused + "w:1:2 [0] x.cc:1 NCCL WARN Many words that nobody knows\n");
  EXPECT_FALSE(longer.events.back().cut);
}

/// tatsu-lab/stanford_alpaca issue 207, deepseek-ai/DeepEP issue 106.
TEST(NcclReports, AnErrorBlockOnOneLine) {
  const std::string front =
      "what(): NCCL error: remote process exited or there was a network error, NCCL version 2.14.3 "
      "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting "
      "prematurely. Last error: ";
  const std::string completion = "NET/IB : Got completion from peer 10.0.0.2<39138> with error ";
  EXPECT_EQ(first_of(front + completion + "12, opcode 0, len 0, vendor err 129"),
            "ib-retry-exceeded");
  const Case flushed(front + "   " + completion +
                     "5, opcode 48, len 32710, vendor err 249     Exception raised from "
                     "checkForNCCLErrorsInternal at ../x.cpp:1736 (most recent call first):  frame "
                     "#0: c10::Error::Error\n");
  EXPECT_EQ(flushed.first(), "ib-flushed");
  EXPECT_TRUE(flushed.log.events[*flushed.verdict.first].text.ends_with("vendor err 249"));
  // The text on the next line, and none at all.
  EXPECT_EQ(first_of(front + "\n" + completion + "12, opcode 0, len 0, vendor err 129"),
            "ib-retry-exceeded");
  EXPECT_EQ(first_of(front + "\n\nx\ny"), "torch-remote-error");
}

/// ROCm/rccl issue 2188, NVIDIA/dgx-spark-playbooks pull request 103.
TEST(NcclReports, VersionsInOtherWords) {
  const auto versions = [](const std::string& text) {
    return join(Case(text + "\n").verdict.versions, ", ");
  };
  EXPECT_EQ(versions("[lib] load RCCL version: 2.27.7"), "2.27.7 (RCCL)");
  EXPECT_EQ(versions("node [0] NCCL INFO RCCL version : 2.27.7-HEAD:29e1567"), "2.27.7 (RCCL)");
  EXPECT_EQ(versions("n:1:2 [0] NCCL INFO RCCL version : 2.21.5-main:a29a210+"), "2.21.5 (RCCL)");
  EXPECT_EQ(versions("RCCL version 2.18.3+hip6.0 HEAD:2f6d59e+"), "2.18.3 (RCCL)");
  EXPECT_EQ(versions("RCCL version"), "");
  EXPECT_EQ(versions("# nccl-tests version 2.17.8 (b4d5bee) nccl-headers=22807 nccl-library=22807"),
            "2.28.7");
  EXPECT_EQ(versions("# nccl-tests version 2.17.8 nccl-headers=22807 nccl-library=228"), "");
}

/// NVIDIA/nccl-tests issue 107.
TEST(NcclReports, TestsWithoutMpi) {
  const auto listed = [](int rank, int pid, const std::string& host) {
    return cat("#  Rank  ", rank, " Group  0 Pid   ", pid, " on ", host,
               " device  0 [0x1a] NVIDIA H100 80GB HBM3\n");
  };
  const std::string word = "nccl-tests lists rank 0 more than once";
  EXPECT_NE(remarks_said(listed(0, 1320, "a") + listed(0, 2066, "b")).find(word),
            std::string::npos);
  EXPECT_NE(remarks_said("#   Rank  0 Pid   1320 on a device  0 [0x00] Tesla V100\n"
                         "#   Rank  0 Pid   2066 on b device  0 [0x00] Tesla V100\n")
                .find(word),
            std::string::npos);
  EXPECT_EQ(remarks_said(listed(0, 1, "a") + listed(1, 2, "b") + listed(0, 1, "a")), "");
  // One run after the other.
  EXPECT_EQ(remarks_said(listed(0, 1, "a") + "# Out of bounds values : 0 OK\n" + listed(0, 5, "a")),
            "");
}

}  // namespace
}  // namespace nettune::nccl_log
