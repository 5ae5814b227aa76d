// SPDX-License-Identifier: Apache-2.0
//
// Who ended first, and who disagrees: lines as NCCL 2.28.9 and PyTorch 2.11 print them.

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

using namespace test;

/// A line of rank `rank` on one machine; NCCL takes each rank for a node by NCCL_HOSTID.
std::string of_m0(std::uint32_t rank, const std::string& text) {
  return cat("m0:", 70 + rank, ":", 70 + rank, " [0] NCCL INFO ", text, "\n");
}

std::string started_on_m0(std::uint32_t rank, const std::string& own = {}, std::uint32_t ranks = 2,
                          const std::string& id = "0x5") {
  std::string text = of_m0(rank, "cudaDriverVersion 13000");
  if (!own.empty()) text += of_m0(rank, own);
  for (const char* const what : {"START", "COMPLETE"})
    text += of_m0(rank, cat("ncclCommInitRankConfig comm 0x1 rank ", rank, " nranks ", ranks,
                            " cudaDev 0 commId ", id, " - Init ", what));
  return text;
}

std::string lost_peer(std::uint32_t rank) {
  return cat("[2026-03-01 10:00:00] m0:", 70 + rank, ":", 90 + rank,
             " [0] misc/socket.cc:72 NCCL WARN socketProgress: Connection closed by remote peer\n",
             "[rank", rank, "]:[E301 10:00:00.1 ProcessGroupNCCL.cpp:612] [Rank ", rank,
             "] Collective WorkNCCL(SeqNum=1, OpType=ALLREDUCE) raised the following async "
             "exception: NCCL error: remote process exited or there was a network error, NCCL "
             "version 2.28.9\nncclRemoteError: What it means.\nLast error:\n"
             "socketProgress: Connection closed by remote peer\n");
}

std::string root_cause(std::uint32_t rank, const std::string& code) {
  return cat(
      "E0301 10:00:00.5 60 torch/distributed/elastic/multiprocessing/api.py:986] failed "
      "(exitcode: ",
      code, ") local_rank: ", rank, " (pid: ", 70 + rank,
      ") of binary: /usr/bin/python3\nFailures:\n[1]:\n  host      : localhost\n  rank    "
      "  : ",
      1 - rank, " (local_rank: ", 1 - rank, ")\n  exitcode  : -15 (pid: ", 71 - rank,
      ")\nRoot Cause (first observed failure):\n[0]:\n  host      : localhost\n  rank      "
      ": ",
      rank, " (local_rank: ", rank, ")\n  exitcode  : ", code, " (pid: ", 70 + rank, ")\n");
}

/// A peer tells of the lost connection before torchrun tells who ended.
TEST(NcclLogJudgeLoneEnd, TheEndOfARankBeatsTheLostConnectionOfAnother) {
  const std::string both = started_on_m0(0) + started_on_m0(1);
  for (const auto& [code, cause] :
       {std::pair("-11", "crashed"), std::pair("-6", "aborted"), std::pair("3", "rank-failed")}) {
    const Case one(both + lost_peer(0) + root_cause(1, code));
    EXPECT_EQ(one.first(), cause);
    EXPECT_NE(printed(one).find("No error of its own was read"), std::string::npos);
    EXPECT_EQ(printed(one).find("follows from something else"), std::string::npos);
    // Its own lines may say why, where they are not in the log.
    EXPECT_EQ(Case(started_on_m0(0) + lost_peer(0) + root_cause(1, code)).verdict.ended_alone,
              false);
    // A rank that says itself that it lost its peer is not the one that ended first.
    EXPECT_EQ(Case(both + lost_peer(0) + lost_peer(1) + root_cause(1, code)).verdict.ended_alone,
              false);
  }
  // A reason of its own is one.
  const Case own(both + lost_peer(0) +
                 "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"t.py\", line 1, "
                 "in <module>\n[rank1]: ValueError: x\n" +
                 root_cause(1, "1"));
  EXPECT_EQ(own.first(), "program-exception");
  EXPECT_EQ(printed(own).find("No error of its own"), std::string::npos);
}

/// Whose the line is, is not known; who failed is.
TEST(NcclLogJudgeLoneEnd, TheRanksThatTorchrunReports) {
  const std::string nobodys =
      "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nValueError: x\n";
  const std::string said = "rank 1 failed; this line does not say whose it is";
  const auto shows = [](const std::string& text, const std::string& what) {
    return printed(Case(text)).find(what) != std::string::npos;
  };
  EXPECT_TRUE(shows(nobodys + root_cause(1, "1"), "torchrun reports that " + said));
  EXPECT_FALSE(
      shows("[rank1]: Traceback (most recent call last):\n[rank1]:   File \"t.py\", line "
            "1, in <module>\n[rank1]: ValueError: x\n" +
                root_cause(1, "1"),
            said));
  EXPECT_FALSE(shows(root_cause(1, "1"), said));
  EXPECT_FALSE(shows(nobodys, "torchrun reports"));
  EXPECT_FALSE(shows(
      "[n0:20001:0:20001] Caught signal 11 (Segmentation fault)\n" + root_cause(1, "1"), said));
  EXPECT_TRUE(shows(nobodys + root_cause(0, "1") + root_cause(1, "1"),
                    "ranks 0,1 failed; this line does not say whose it is"));
}

/// srun names a task and its host, and the peer that lost it names the host as well.
TEST(NcclLogJudgeLoneEnd, TheHostThatAPeerLostIsTheOneOfWhichSrunTells) {
  const auto text = [](const std::string& host, const std::string& own = {}) {
    return cat(started_on_m0(1), own, "srun: error: ", host,
               ": task 0: Exited with exit code 1\n/job.sh: line 7: 71 Aborted                 "
               "(core dumped) python train.py\n",
               "m0:71:91 [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by "
               "remote peer n1.example.org<45074>\n");
  };
  EXPECT_TRUE(Case(text("n1")).verdict.ended_alone);
  EXPECT_FALSE(Case(text("n10")).verdict.ended_alone);
  EXPECT_FALSE(Case(text("n")).verdict.ended_alone);
  // Somebody on that host lost a peer as well.
  EXPECT_FALSE(Case(text("n1",
                         "n1:8:9 [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection "
                         "closed by remote peer m0.example.org<45074>\n"))
                   .verdict.ended_alone);
  // A step before the job.
  EXPECT_FALSE(Case(text("n1") + started_on_m0(0)).verdict.ended_alone);
}

TEST(NcclLogJudgeLoneEnd, AnEndThatMayHaveComeLaterIsNotTheFirst) {
  const std::string both = started_on_m0(0) + started_on_m0(1) + lost_peer(0);
  ASSERT_TRUE(Case(both + root_cause(1, "-11")).verdict.ended_alone);
  const std::string late =
      "[rank0]:[E301 10:00:00.1 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective "
      "operation timeout: WorkNCCL(SeqNum=2, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
      "Timeout(ms)=600000) ran for 600001 milliseconds before timing out.\n";
  EXPECT_FALSE(Case(both + late + root_cause(1, "-11")).verdict.ended_alone);
  // Two reports of torchrun, of two nodes.
  EXPECT_FALSE(Case(both + root_cause(1, "-11") + root_cause(0, "-11")).verdict.ended_alone);
}

/// Seen with NCCL 2.28.9: NCCL_PROTO=LL on one of two ranks hangs the first collective.
TEST(NcclLogJudgeLoneEnd, VariablesThatMustBeEqualAndAreNot) {
  const std::string proto = "NCCL_PROTO set by environment to LL";
  const Case one(started_on_m0(0) + started_on_m0(1, proto) + lost_peer(0));
  EXPECT_EQ(join(one.verdict.unequal, "|"),
            "NCCL_PROTO: LL on rank 1 (m0:71), not printed by rank 0 (m0:70)");
  EXPECT_NE(printed(one).find("It can follow from what must be equal on all ranks and may not be"),
            std::string::npos);
  EXPECT_TRUE(Case(started_on_m0(0, proto) + started_on_m0(1, proto)).verdict.unequal.empty());
  EXPECT_EQ(
      Case(started_on_m0(0, "NCCL_PROTO set by environment to Simple") + started_on_m0(1, proto))
          .verdict.unequal.size(),
      1U);
  // NCCL compares these without case.
  EXPECT_TRUE(
      Case(started_on_m0(0, "NCCL_PROTO set by environment to ll") + started_on_m0(1, proto))
          .verdict.unequal.empty());
  // Another job in the same log.
  EXPECT_TRUE(Case(started_on_m0(0) + started_on_m0(1) +
                   "n9:8:8 [0] NCCL INFO NCCL_PROTO set by environment to LL\n")
                  .verdict.unequal.empty());
  // What a rank sets is not known before it initialised.
  EXPECT_TRUE(
      Case(of_m0(0, "cudaDriverVersion 13000") + started_on_m0(1, proto)).verdict.unequal.empty());
  // The log begins in the middle of what rank 0 prints.
  const std::string later = started_on_m0(0);
  EXPECT_TRUE(
      Case(later.substr(later.find('\n') + 1) + started_on_m0(1, proto)).verdict.unequal.empty());
  // The listener sends its own number of sockets.
  EXPECT_TRUE(
      Case(started_on_m0(0) + started_on_m0(1, "NCCL_NSOCKS_PERTHREAD set by environment to 4."))
          .verdict.unequal.empty());
}

/// The names are those of which the catalogue says what was seen.
TEST(NcclLogJudgeLoneEnd, TheCatalogueKnowsWhatMustBeEqual) {
  std::ifstream stream(std::string(NETTUNE_SOURCE_DIR) + "/catalog/nccl.toml");
  const std::string catalog(std::istreambuf_iterator<char>(stream), {});
  std::size_t seen = 0;
  for (auto at = catalog.find("\n[var."); at != catalog.npos;) {
    const auto next = catalog.find("\n[", at + 1);
    const std::string entry = catalog.substr(at, next - at);
    const std::string name = entry.substr(6, entry.find(']') - 6);
    const auto everywhere = entry.find("\neverywhere = ");
    const bool is_seen =
        everywhere != entry.npos &&
        entry.substr(everywhere, entry.find('\n', everywhere + 1) - everywhere).find("seen with") !=
            entry.npos;
    seen += is_seen ? 1U : 0U;
    const Case unequal(started_on_m0(0) + started_on_m0(1, cat(name, " set by environment to 1.")));
    EXPECT_EQ(unequal.verdict.unequal.size(), is_seen ? 1U : 0U) << name;
    at = next == catalog.npos ? next : catalog.find("\n[var.", next);
  }
  EXPECT_EQ(seen, 7U);
}

TEST(NcclLogJudgeLoneEnd, HostsThatNcclCountsByAVariable) {
  const auto remarks = [](const std::string& own) {
    std::string text;
    for (const std::uint32_t rank : {0U, 1U}) {
      const std::string start = started_on_m0(rank, own);
      const auto end = start.rfind("m0:");
      text += cat(start.substr(0, end),
                  of_m0(rank, cat("comm 0x1 rank ", rank, " nRanks 2 nNodes 2 localRanks 1")),
                  start.substr(end));
    }
    return join(Case(text).verdict.remarks, "|");
  };
  const std::string unsaid = remarks("Using network Socket");
  EXPECT_NE(unsaid.find("some hosts share a name, or NCCL's rings leave a host"), std::string::npos)
      << unsaid;
  const std::string said = remarks("NCCL_HOSTID set by environment to a");
  EXPECT_EQ(said.find("share a name"), std::string::npos) << said;
  EXPECT_NE(said.find("NCCL_HOSTID decides"), std::string::npos) << said;
}

/// tonyzhao-jt/LLM-PQ: PyTorch makes a communicator of two for each pair that sends and receives.
/// Whose connections are made later, by another thread, no line says.
TEST(NcclLogJudgeLoneEnd, PairsOfOneRankAreNotTheSame) {
  const std::string own = started_on_m0(0, "x", 2) + started_on_m0(1, "x", 2);
  const std::string later = of_m0(0, "Channel 00/1 : 0[0] -> 1[0] [send] via NET/IB/0/Shared");
  EXPECT_EQ(Case(own + later).verdict.links.size(), 1U);
  const Case pairs(own + started_on_m0(0, "x", 2, "0x6") + later);
  EXPECT_EQ(pairs.verdict.links.size(), 0U);
  EXPECT_EQ(pairs.verdict.open_links, 1U);
  // One that is of the same two.
  const Case same(own + started_on_m0(0, "x", 2, "0x6") + started_on_m0(1, "x", 2, "0x6") + later);
  EXPECT_EQ(same.verdict.links.size(), 1U);
  // Of the log of one rank it is not known who the other one is.
  const std::string first = started_on_m0(0, "x", 2);
  EXPECT_EQ(Case(first + started_on_m0(0, "x", 2, "0x6") + later).verdict.open_links, 1U);
  // A rank that is in another process.
  std::string four;
  for (std::uint32_t rank = 0; rank < 4; ++rank) four += started_on_m0(rank, "x", 4);
  std::string other;
  for (std::uint32_t rank = 0; rank < 3; ++rank) other += started_on_m0(rank, "x", 4, "0x6");
  EXPECT_EQ(Case(four + other + later).verdict.open_links, 0U);
  other += of_m0(7,
                 "ncclCommInitRankConfig comm 0x1 rank 3 nranks 4 cudaDev 0 commId 0x6 - Init "
                 "COMPLETE");
  EXPECT_EQ(Case(four + other + later).verdict.open_links, 1U);
}

/// From 2.22 on the connections come after "Init COMPLETE", with the first collective.
TEST(NcclLogJudgeLoneEnd, ConnectionsBeforeASecondCommunicatorAreOfTheFirst) {
  const auto to = [](std::uint32_t from, std::uint32_t rank) {
    return of_m0(from,
                 cat("Channel 00/0 : ", from, "[0] -> ", rank, "[0] [send] via NET/Socket/0"));
  };
  std::string four;
  for (std::uint32_t rank = 0; rank < 4; ++rank) four += started_on_m0(rank, "x", 4);
  const std::string two = started_on_m0(0, "x", 2, "0x6") + started_on_m0(1, "x", 2, "0x6");
  const Case one(four + to(0, 1) + two + to(1, 0));
  ASSERT_EQ(one.verdict.links.size(), 1U);
  EXPECT_EQ(one.verdict.links.front().from, 0U);
  EXPECT_EQ(one.verdict.open_links, 1U);
  EXPECT_NE(printed(one).find("no connection in the log that is known to be of this communicator"),
            std::string::npos);
}

TEST(NcclLogJudgeLoneEnd, ARankAloneNeedsNoTransport) {
  const std::string alone = printed(Case(started_on_m0(0, "Using network Socket", 1)));
  EXPECT_EQ(alone.find("which transport was used"), std::string::npos) << alone;
  EXPECT_NE(printed(Case(started_on_m0(0) + started_on_m0(1))).find("which transport was used"),
            std::string::npos);
  // Another one of one rank is connected with nobody either.
  const std::string other =
      printed(Case(started_on_m0(0, "", 1, "0x5") + started_on_m0(1, "", 1, "0x6")));
  EXPECT_EQ(other.find("how the 1 ranks"), std::string::npos) << other;
}

/// NVIDIA/nccl-tests issue 124: one process with all GPUs.
TEST(NcclLogJudgeLoneEnd, NobodyElseFailedEarlierWhereAllRanksAreOneProcess) {
  const auto text = [](std::uint32_t second) {
    std::string all;
    for (const std::uint32_t rank : {0U, 1U})
      all += cat("m0:", rank == 0 ? 70 : second, ":9", rank, " [", rank,
                 "] NCCL INFO ncclCommInitRank comm 0x", rank + 1, " rank ", rank,
                 " nranks 2 cudaDev ", rank, " commId 0x5 - Init START\n");
    return all +
           "m0:70:90 [0] p2p.cc:1 NCCL WARN UDS: Sending data over socket /tmp/nccl-socket-0 "
           "failed\n";
  };
  const char* const hedge = "can also follow from another rank";
  EXPECT_NE(printed(Case(text(71))).find(hedge), std::string::npos) << printed(Case(text(71)));
  EXPECT_EQ(printed(Case(text(70))).find(hedge), std::string::npos) << printed(Case(text(70)));
}

/// Lines of processes that write at the same time: parts of a name are missing, or hang on it.
TEST(NcclLogJudgeLoneEnd, WhatIsLeftOfANameIsNotAHost) {
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
TEST(NcclLogJudgeLoneEnd, TornNamesOfAJobWhoseRanksAreAllThere) {
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
TEST(NcclLogJudgeLoneEnd, HostsWithEqualPidsAreTwo) {
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
TEST(NcclLogJudgeLoneEnd, ANameBehindAValue) {
  const std::string own = "n1:1:1 [0] NCCL INFO Using network IB\n";
  const std::string torn = "rank=1 stage=returnn1:1:1 [0] NCCL INFO AllReduce: opCount 3\n";
  EXPECT_EQ(named_processes(Case("x\n" + own + torn).log), 1U);
  EXPECT_EQ(named_processes(Case(own + "node=n2:1:1 [0] NCCL INFO Using network IB\n").log), 2U);
  // A collector writes so, and "gpun1" is a host.
  const std::string other = "host=gpun1:1:1 [0] NCCL INFO Using network Socket\n";
  EXPECT_EQ(named_processes(Case("x\n" + own + other + other).log), 2U);
}

/// nccl-tests writes the begin of a row before it runs (NVIDIA/nccl-tests src/common.cu).
TEST(NcclLogJudgeLoneEnd, ANameBehindTheBeginOfARow) {
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

TEST(NcclLogJudgeLoneEnd, ATornNameOfANetworkIsNone) {
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
TEST(NcclLogJudgeLoneEnd, ARankWhoseNameIsTorn) {
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

/// NVIDIA/nccl issue 1906: torch.cuda.nccl.version() as Python prints it.
TEST(NcclLogJudgeLoneEnd, AVersionInATuple) {
  EXPECT_EQ(join(Case("  NCCL version: (2, 26, 2)\n").verdict.versions, "|"), "2.26.2");
  EXPECT_TRUE(Case("  NCCL version: (2, 26\n").verdict.versions.empty());
}

TEST(NcclLogJudgeLoneEnd, LinesWithoutAPrefixAreNotSaidToHaveOne) {
  const std::string text = printed(
      Case("NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x5 - Init "
           "START\n"));
  EXPECT_NE(text.find("the log has at least 1 line of NCCL without a readable prefix "
                      "(host:pid:tid), of at least 1 rank"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
