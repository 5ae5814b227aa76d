// SPDX-License-Identifier: Apache-2.0
//
// Who ended first, and who disagrees: lines as NCCL 2.28.9 and PyTorch 2.11 print them.

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

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
