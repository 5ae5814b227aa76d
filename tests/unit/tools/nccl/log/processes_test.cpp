// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/processes.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

/// Lines of processes that write at the same time: parts of a name are missing, or hang on it.
TEST(NcclLogProcesses, WhatIsLeftOfANameIsNotAHost) {
  const std::string ours =
      "gpu12rack7:41041:41 [1] NCCL INFO Using network IB\n"
      "5a0b6c:43:43 [0] NCCL INFO Using network IB\n";
  for (const char* const torn :
       {"pu12rack7:41041:97 [3] NCCL INFO Channel 00/0 : 7[3] -> 4[0] via P2P/CUMEM/read",
        "gk7:41041:56 [1] NCCL INFO Channel 02/0 : 1[1] -> 2[2] via P2P/CUMEM/read",
        "gpgpu12rack7:41041:41 [1] NCCL INFO cudaDriverVersion 12020",
        "  1048576  262144  float  sum  -15a0b6c:43:43 [0] NCCL INFO AllReduce: 4 Bytes"})
    EXPECT_EQ(named_processes(Case(cat(ours, torn, "\n")).log), 2U) << torn;
  // A host that is named again is one, whatever its name, and one that warns.
  const std::string again = "gk7:41041:56 [1] NCCL INFO Using network IB\n";
  EXPECT_EQ(named_processes(Case(ours + again + again).log), 3U);
  EXPECT_EQ(named_processes(Case(ours + "gk7:41041:56 [1] a.cc:1 NCCL WARN x\n").log), 3U);
  // One that has a rank is one.
  const auto start = [](const char* host, const char* rank) {
    return cat(host, " [0] NCCL INFO ncclCommInitRank comm 0x1 rank ", rank,
               " nranks 2 cudaDev 0 commId 0x5 - Init COMPLETE\n");
  };
  EXPECT_EQ(named_processes(Case(start("n12:41041:9", "0") + start("n2:41041:9", "1")).log), 2U);
  // Containers have the same small pids.
  EXPECT_EQ(named_processes(Case("n12:41:9 [0] NCCL INFO Using network IB\n"
                                 "n2:41:9 [0] NCCL INFO Using network IB\n")
                                .log),
            2U);
  // The whole name may come after the one on which another text hangs.
  EXPECT_EQ(named_processes(Case("x9n12:41041:9 [0] NCCL INFO cudaDriverVersion 12020\n" +
                                 start("n12:41041:9", "0") + start("n2:41042:9", "1"))
                                .log),
            2U);
}

/// Seen with four ranks that write into one pipe (NCCL 2.28.9).
TEST(NcclLogProcesses, TornNamesOfAJobWhoseRanksAreAllThere) {
  const auto rank = [](const char* name, int number) {
    return cat(name, " [0] NCCL INFO ncclCommInitRank comm 0x1 rank ", number,
               " nranks 2 cudaDev 0 commId 0x5 - Init COMPLETE\n");
  };
  const std::string torn =
      "NCCn12:27:27 [0] NCCL INFO ENV/Plugin: Could not find: libnccl-env.so\n"
      "2:28:28 [0] NCCL INFO cudaDriverVersion 12020\n";
  EXPECT_EQ(named_processes(Case(torn + rank("n12:27:9", 0) + rank("n12:28:9", 1)).log), 2U);
  // A torn line may be of another communicator, which the process makes as well.
  const std::string second =
      "2:41028:9 [0] NCCL INFO comm 0x2 rank 3 nranks 4 cudaDev 0 commId "
      "0x6 - Init START\n";
  EXPECT_EQ(named_processes(Case(rank("n12:41027:9", 0) + rank("n12:41028:9", 1) + second).log),
            2U);
  EXPECT_EQ(named_processes(Case(second + rank("n12:41027:9", 0) + rank("n12:41028:9", 1)).log),
            2U);
  // It may be all that the log has of a rank of the largest communicator.
  const Case only(rank("n12:41027:9", 0) + rank("n12:41028:9", 1) + second);
  ASSERT_NE(only.verdict.main, kNone);
  EXPECT_EQ(only.log.processes[only.log.communicators[only.verdict.main].members.at(3)].host,
            "n12");
  EXPECT_NE(printed(only).find("rank 3"), std::string::npos) << printed(only);
  // Something hangs on what is left of a name: known by a process number that no other one has.
  const std::string two = rank("gpu-n12:41027:9", 0) + rank("gpu-n12:41028:9", 1);
  const std::string rest = ":41027:27 [0] NCCL INFO cudaDriverVersion 12020\n";
  for (const std::string both : {"Ini-n12", "gpu-n1212"}) {
    EXPECT_EQ(named_processes(Case("x\n" + both + rest + two).log), 2U) << both;
    EXPECT_EQ(named_processes(Case("x\n" + two + both + rest).log), 2U) << both;
    EXPECT_EQ(named_processes(Case("x\n" + both + rest + rank("gpu-n12:41027:9", 0)).log), 2U);
  }
  // A host of quite another name is one.
  EXPECT_EQ(named_processes(Case("x\nnodeB" + rest + two).log), 3U);
  // Without all ranks they may be processes.
  EXPECT_EQ(named_processes(Case(torn + rank("n12:27:9", 0)).log), 3U);
}

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

/// Two programs write at once: the name hangs on a value.
TEST(NcclLogProcesses, ANameBehindAValue) {
  const std::string own = "n1:1:1 [0] NCCL INFO Using network IB\n";
  const std::string torn = "rank=1 stage=returnn1:1:1 [0] NCCL INFO AllReduce: opCount 3\n";
  EXPECT_EQ(named_processes(Case("x\n" + own + torn).log), 1U);
  EXPECT_EQ(named_processes(Case(own + "node=n2:1:1 [0] NCCL INFO Using network IB\n").log), 2U);
  // A collector writes so, and "gpun1" is a host.
  const std::string other = "host=gpun1:1:1 [0] NCCL INFO Using network Socket\n";
  EXPECT_EQ(named_processes(Case("x\n" + own + other + other).log), 2U);
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
