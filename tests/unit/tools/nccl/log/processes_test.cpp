// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/processes.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

/// Real hosts may have equal pids, and names that end alike.
TEST(NcclLogProcesses, HostsWithEqualPidsAreTwo) {
  const auto line = [](const char* name, const char* rank, const char* of, const char* end) {
    return cat(name, " [0] NCCL INFO comm 0x1 rank ", rank, " nranks 2 cudaDev 0 commId ", of,
               " - Init ", end, "\n");
  };
  const auto failed = [](const char* name) {
    return cat(name,
               " [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote "
               "peer n9<5>\n");
  };
  // One that fails before it has a rank, of another job in containers, and with a domain.
  const std::string ready = line("pre-worker-0:7:9", "0", "0x5", "COMPLETE") +
                            line("pre-worker-1:7:9", "1", "0x5", "COMPLETE");
  EXPECT_EQ(named_processes(Case(ready + failed("worker-0:7:9")).log), 3U);
  const std::string domain = line("n1.hpc.org:54321:9", "0", "0x5", "START");
  EXPECT_EQ(named_processes(Case(domain + failed("n2.hpc.org:54321:9")).log), 2U);
  // Another job with ranks of its own.
  const std::string first = line("pretrain-0:20001:9", "0", "0x5", "COMPLETE") +
                            line("pretrain-0:20002:9", "1", "0x5", "COMPLETE");
  const std::string second = line("train-0:20001:9", "0", "0x6", "COMPLETE") +
                             line("train-1:20001:9", "1", "0x6", "COMPLETE");
  EXPECT_EQ(named_processes(Case(first + second).log), 4U);
}

/// nccl-tests writes the begin of a row before it runs (NVIDIA/nccl-tests src/common.cu).
TEST(NcclLogProcesses, ANameBehindTheBeginOfARow) {
  const auto host = [](const std::string& front) {
    const Case one(cat("x\n", front, "n1:7:9 [0] NCCL INFO Using network IB\n"));
    return one.log.processes.back().host;
  };
  EXPECT_EQ(host("     64      16     float     sum"), "n1");
  EXPECT_EQ(host("     64      16     float    none"), "n1");
  EXPECT_EQ(host("the     sum"), "sumn1");
  EXPECT_EQ(host("a float     sum"), "sumn1");
  EXPECT_EQ(host("sum"), "sumn1");
}

TEST(NcclLogProcesses, ATornNameOfANetworkIsNone) {
  const std::string name = "n1:7:9 [0] NCCL INFO Using network ";
  EXPECT_EQ(join(Case(name + "IB\n" + name + "n2:8:9 [1] NCCL INFO Using network IB\n" + name +
                      ", PU 1 to f0000000\n" + name + "PU 1 to f0000000\n")
                     .verdict.networks,
                 "|"),
            "IB");
  for (const char* const real : {"AWS Libfabric", "NCCL RDMA Plugin", "IBext_v8"})
    EXPECT_EQ(join(Case(cat(name, real, " \n")).verdict.networks, "|"), real);
}

/// The communicator's id and the rank say whose the line is.
TEST(NcclLogProcesses, ARankWhoseNameIsTorn) {
  const std::string behind = " [0] NCCL INFO comm 0x1 rank 1 nranks 2 cudaDev 0 commId 0x5 - Init ";
  const std::string other =
      "n1:27:9 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x5 - Init COMPLETE\n";
  for (const std::string& text :
       {cat("n1:28:9", behind, "START\n", other, "859", behind, "COMPLETE\n"),
        cat("859", behind, "START\n", other, "n1:28:9", behind, "COMPLETE\n")}) {
    const Case one(text);
    EXPECT_EQ(join(one.verdict.open, "; ").find("report the same rank"), std::string::npos) << text;
    ASSERT_EQ(one.log.communicators.size(), 1U);
    const auto& members = one.log.communicators.front().members;
    ASSERT_TRUE(members.contains(1));
    EXPECT_EQ(one.log.processes[members.at(1)].pid, 28U) << text;
    EXPECT_EQ(join(one.verdict.open, "; ").find("how initialisation ended"), std::string::npos)
        << text;
  }
  // Of two with names each is a rank.
  const Case two(cat("n1:28:9", behind, "START\n", "n2:28:9", behind, "START\n"));
  EXPECT_NE(join(two.verdict.open, "; ").find("report the same rank"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
