// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/suggestions.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

const Cause& cause_named(std::string_view id) {
  return *std::ranges::find(causes(), id, &Cause::id);
}

/// What this log rules out is not worth a look.
TEST(NcclLogJudgeSuggestions, ChecksThatFitTheLog) {
  const auto checks = [](const std::string& text) {
    const Case one(text);
    const Cause& cause = cause_named("cuda-peer-memory");
    return join(checks_of(one.log, one.verdict, cause, Event{}), "; ");
  };
  const std::string amd = "RCCL version 2.20.5+hip6.2 HEAD:d8a4b8b\n";
  EXPECT_NE(checks("").find("nvidia-smi"), std::string::npos);
  EXPECT_NE(checks("").find("with PyTorch: "), std::string::npos);
  EXPECT_EQ(checks(amd).find("nvidia-smi"), std::string::npos) << checks(amd);
  EXPECT_NE(checks(amd).find("with PyTorch: "), std::string::npos);
  // Both are in the log.
  EXPECT_NE(checks(amd + "NCCL version 2.21.5+cuda12.4\n").find("nvidia-smi"), std::string::npos);
  const std::string listed = "#  Rank  0 Group  0 Pid 7 on n0 device  0 [0000:1b:00] NVIDIA A100\n";
  EXPECT_EQ(checks(listed).find("with PyTorch: "), std::string::npos);
  const std::string failed = "n0: Test NCCL failure common.cu:392 'unhandled cuda error / '\n";
  EXPECT_EQ(checks(listed + failed + line(0, "init.cc:1014 -> 1")).find("with PyTorch: "),
            std::string::npos);
  const std::string crashed =
      "mpirun noticed that process rank 1 with PID 0 on node n0 exited on signal 11 (Segmentation "
      "fault).\n";
  EXPECT_EQ(checks(listed + crashed).find("with PyTorch: "), std::string::npos);
  EXPECT_EQ(checks(listed + "n0: Test timeout (10s) common.cu:321\n").find("with PyTorch: "),
            std::string::npos);
  // PyTorch ran as well.
  for (const std::string& other :
       {std::string("[rank0]:[W1101 10:00:00.0 ProcessGroupNCCL.cpp:4115] using GPU 0\n"),
        std::string("Traceback (most recent call last):\nValueError: no\n"),
        block("", "ncclUnhandledCudaError", "Cuda failure 1 'invalid argument'"),
        std::string("E1 torch.distributed.elastic.multiprocessing.api: failed (exitcode: 1) "
                    "local_rank: 0 (pid: 9) of binary: /usr/bin/python\n")})
    EXPECT_NE(checks(listed + other).find("with PyTorch: "), std::string::npos) << other;
}

/// ROCm/rccl issue 1454, NVIDIA/nccl issues 1154 and 1313: reasons that other lines rule out.
TEST(NcclLogJudgeSuggestions, ReasonsThatTheLogRulesOut) {
  const auto said = [](const Case& one) {
    EXPECT_TRUE(one.verdict.first);
    const Event& event = one.log.events[*one.verdict.first];
    const Cause& cause = causes()[event.cause];
    return cat(why_of(one.log, one.verdict, cause, event), " ",
               join(checks_of(one.log, one.verdict, cause, event), "; "));
  };
  const auto has_said = [&](const Case& one, std::string_view text) {
    return said(one).find(text) != std::string::npos;
  };
  // Two GPUs of one process, or of two.
  const auto two = [](std::uint32_t second) {
    std::string text;
    for (const std::uint32_t r : {0U, 1U})
      text += cat("n0:", r == 0 ? 10 : second, ":", 20 + r,
                  " [0] NCCL INFO ncclCommInitRank comm 0x1 rank ", r,
                  " nranks 2 cudaDev 0 commId 0x5 - Init START\n");
    return text + "n0:10:20 [0] transport/p2p.cc:225 NCCL WARN Cuda failure 'invalid argument'\n";
  };
  EXPECT_TRUE(has_said(Case(two(11)), "processes do not see"));
  EXPECT_TRUE(has_said(Case(two(11)), "--ipc=host"));
  EXPECT_FALSE(has_said(Case(two(10)), "processes do not see"));
  EXPECT_FALSE(has_said(Case(two(10)), "--ipc=host"));
  EXPECT_TRUE(has_said(Case(two(10)), "A possible reason: the driver or the system"));
  // Two containers whose processes have the same number; and a process of another job.
  const std::string start_of_one = "n0:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n";
  EXPECT_FALSE(has_said(Case(start_of_one + two(10)), "processes do not see"));
  EXPECT_TRUE(has_said(Case(start_of_one + start_of_one + two(10)), "processes do not see"));
  EXPECT_TRUE(has_said(Case(line(7, "Using network IB") + two(10)), "processes do not see"));
  // Before a communicator stands, when one does, and where the start is not shown.
  const std::string warn =
      "n0:10:2 [0] misc/socket.cc:712 NCCL WARN ncclSocketInit: connecting to address with family "
      "0 is neither AF_INET(2) nor AF_INET6(10)\n";
  const std::string start = line(0, "cudaDriverVersion 12040") + init(0, "START");
  const Case begin(start + warn);
  ASSERT_EQ(begin.first(), "no-address");
  EXPECT_TRUE(has_said(begin, "different NCCL versions"));
  EXPECT_FALSE(has_said(begin, "ncclRecv"));
  const Case stands(start + init(0, "COMPLETE") + warn);
  EXPECT_FALSE(has_said(stands, "different NCCL versions"));
  EXPECT_TRUE(has_said(stands, "ncclRecv"));
  const Case another(start + init(0, "COMPLETE") + init(0, "START", 10, "0x6") + warn);
  EXPECT_TRUE(has_said(another, "different NCCL versions"));
  // Communicators of a split have no id of their own.
  const auto split = [](const char* address, const char* what) {
    return line(0,
                cat("ncclCommSplit comm ", address, " rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId ",
                    "1b000 parent 0x1 color 1 key 0 - Init ", what));
  };
  EXPECT_TRUE(has_said(Case(split("0x55e0", "START") + split("0x55e0", "COMPLETE") +
                            split("0x55f0", "START") + warn),
                       "different NCCL versions"));
  // Up to 2.17 no line says that a process begins; and a communicator of one rank has no peer.
  EXPECT_TRUE(has_said(Case(init(0, "COMPLETE") + warn), "different NCCL versions"));
  EXPECT_TRUE(has_said(Case(line(0,
                                 "ncclCommInitRank comm 0x1 rank 0 nranks 1 cudaDev 0 commId 0x5 "
                                 "- Init START") +
                            line(0,
                                 "ncclCommInitRank comm 0x1 rank 0 nranks 1 cudaDev 0 commId 0x5 "
                                 "- Init COMPLETE") +
                            warn),
                       "different NCCL versions"));
  const Case unknown(warn);
  EXPECT_TRUE(has_said(unknown, "different NCCL versions"));
  EXPECT_TRUE(has_said(unknown, "ncclRecv"));
  // All ranks say it, or all but one.
  std::string all;
  for (std::uint32_t r = 0; r < 4; ++r)
    all += init(r, "START") + line(r, "Bootstrap : Using eth0:10.0.0.1<0>") +
           line(r, "NCCL version 2.22.3+cuda12.5") + line(r, "Using network Socket");
  all += warn;
  EXPECT_TRUE(has_said(Case(line(2, "NCCL_COMM_ID set by environment to 10.0.0.1:4000") + all),
                       "names no interface"));
  for (const char* const text :
       {"different NCCL versions", "different networks", "names no interface"}) {
    EXPECT_FALSE(has_said(Case(all), text)) << text;
    EXPECT_TRUE(has_said(Case(without(all, line(3, "Bootstrap : Using eth0:10.0.0.1<0>") +
                                               line(3, "NCCL version 2.22.3+cuda12.5") +
                                               line(3, "Using network Socket"))),
                         text))
        << text;
    // The process that says it last is of another job.
    EXPECT_TRUE(has_said(Case(line(7,
                                   "ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 commId "
                                   "0x9 - Init START") +
                              all),
                         text))
        << text;
  }
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
