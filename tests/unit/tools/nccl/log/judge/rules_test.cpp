// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/rules.hpp"

#include <algorithm>
#include <set>

#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

const std::string kWarned = "n1:1:2 [0] x.cc:1 NCCL WARN ";
const std::string kNoMemory = kWarned + "Cuda failure 2 'out of memory'\n";
const std::string kPeerClosed = kWarned + "Connection closed by remote peer n2<45>\n";
const std::string kTimeLimit =
    "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT ***\n";
const std::string kTraceback = "Traceback (most recent call last):\n  File \"t.py\", line 1\n";

/// "out-of-memory: chosen" of each, by cause and rule.
std::string fates(const Case& one) {
  std::string text;
  for (std::size_t i = 0; i < one.log.events.size(); ++i) {
    const Fate& fate = one.verdict.fates[i];
    static constexpr const char* kKinds[] = {"chosen", "rival", "later", "aside", "follows"};
    text +=
        cat(name_of(causes(), one.log.events[i]), " ", kKinds[static_cast<std::size_t>(fate.kind)],
            fate.rule.empty() ? "" : " ", fate.rule, "\n");
  }
  return text;
}

TEST(NcclLogJudgeRules, EachHasANameOfItsOwnAndASentence) {
  std::set<std::string_view> names;
  for (const SetAsideRule& rule : set_aside_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_EQ(rule_text(rule.name), rule.says);
  }
  for (const FollowsRule& rule : follows_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.says.empty());
  }
  EXPECT_EQ(rule_text("none"), "");
}

TEST(NcclLogJudgeRules, TheFateOfEachIsSaid) {
  EXPECT_EQ(fates(Case(kNoMemory)), "cuda-oom chosen\n");
  EXPECT_EQ(fates(Case(kPeerClosed + kNoMemory)), "peer-closed later\ncuda-oom chosen\n");
  EXPECT_EQ(fates(Case(kTimeLimit + kPeerClosed)),
            "slurm-time-limit chosen\npeer-closed follows after-end\n");
  EXPECT_EQ(fates(Case(kPeerClosed + kTimeLimit)),
            "peer-closed chosen\nslurm-time-limit follows end-after-error\n");
  EXPECT_EQ(fates(Case(kTraceback + "ValueError: x\n" + kPeerClosed)),
            "program-exception chosen\npeer-closed follows after-exception\n");
  EXPECT_EQ(fates(Case(kPeerClosed + "n1:1:2 [0] NCCL INFO Connected all rings\n")),
            "peer-closed aside went-on\n");
}

/// What follows from something leads to what follows from nothing, and the first cause is such.
TEST(NcclLogJudgeRules, NothingFollowsFromItself) {
  for (const auto& [name, text] : logs())
    for (const std::string& more : {std::string(), kTimeLimit, kTraceback + "ValueError: x\n"})
      for (const std::string& all : {text + more, more + text}) {
        const Case one(all);
        for (std::uint32_t i = 0; i < one.verdict.fates.size(); ++i) {
          std::size_t steps = 0;
          std::uint32_t at = i;
          while (one.verdict.fates[at].kind == Fate::Kind::follows && ++steps <= i + 1000)
            at = one.verdict.fates[at].from;
          EXPECT_LE(steps, one.verdict.fates.size()) << name;
          if (steps != 0) {
            EXPECT_NE(one.verdict.fates[at].kind, Fate::Kind::set_aside) << name;
          }
        }
        if (one.verdict.first) {
          EXPECT_EQ(one.verdict.fates[*one.verdict.first].kind, Fate::Kind::chosen) << name;
        }
      }
}

TEST(NcclLogJudgeRules, FilesWithoutTimesHaveNoOrder) {
  reader::Reader reader(causes());
  for (const std::string& text : {kNoMemory, kWarned + "Too many open files\n"}) {
    reader.begin_file("log");
    reader.feed(text + "\n");
  }
  const Log log = reader.finish();
  const Verdict verdict = judge(log, causes());
  ASSERT_EQ(verdict.rivals.size(), 1U);
  const std::string text = printed(log, verdict, false);
  EXPECT_NE(text.find("or, as likely: files-limit"), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("failed: n1:1: CUDA") || text.starts_with("all") ||
              text.find(" first: ") == std::string::npos)
      << text;
  EXPECT_NE(printed(log, verdict).find("As likely"), std::string::npos);
}

/// A healthy job of 1,024 ranks and a failed one of 16 fit on a screen of 40 lines of 100 columns.
TEST(NcclLogJudgeRules, TheAnswerFitsOnAScreen) {
  std::string healthy;
  for (int rank = 0; rank < 1024; ++rank) {
    const std::string who =
        cat("n", rank / 8, ":", 100 + rank, ":", 100 + rank, " [", rank % 8, "] ");
    healthy += cat(who, "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB ; OOB eth0:10.0.",
                   rank / 8, ".1<0>\n", who, "NCCL INFO Using network IB\n", who,
                   "NCCL INFO ncclCommInitRank comm 0x", rank + 1, " rank ", rank,
                   " nranks 1024 cudaDev 0 nvmlDev 0 busId 1000 commId 0x77 - Init START\n", who,
                   "NCCL INFO ncclCommInitRank comm 0x", rank + 1, " rank ", rank,
                   " nranks 1024 cudaDev 0 nvmlDev 0 busId 1000 commId 0x77 - Init COMPLETE\n");
  }
  std::string failed;
  for (int rank = 0; rank < 16; ++rank)
    failed += cat("n", rank / 8, ":", 100 + rank, ":1 [", rank % 8,
                  "] NCCL INFO ncclCommInitRank comm 0x", rank + 1, " rank ", rank,
                  " nranks 16 cudaDev 0 nvmlDev 0 busId 1000 commId 0x77 - Init COMPLETE\n");
  failed +=
      "n1:109:1 [1] net_ib.cc:9 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<5> with "
      "status=12 opcode=0 len=0 vendor err 129 (Recv)\n";
  for (int rank = 0; rank < 16; ++rank)
    failed += cat("[rank", rank, "]:[E1 ProcessGroupNCCL.cpp:1] [Rank ", rank,
                  "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
                  "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 "
                  "milliseconds before timing out.\n");
  for (const std::string& text : {healthy, failed}) {
    const Case one(text);
    const std::vector<Outcome> outcomes;
    const std::string shown = program::text::nccl_explain(
        {causes(), one.log, one.verdict, outcomes, report(one.log, causes(), one.verdict)},
        {.width = 100}, false);
    EXPECT_LE(std::ranges::count(shown, '\n'), 40) << shown;
    for (const std::string_view line : split(shown, '\n')) EXPECT_LE(line.size(), 100U) << line;
  }
  EXPECT_EQ(report(Case(healthy).log, causes(), Case(healthy).verdict).verdict,
            "all 1024 ranks chose RDMA (IB; devices mlx5_0,1)");
  EXPECT_EQ(report(Case(failed).log, causes(), Case(failed).verdict).verdict,
            "failed: rank 9 (n1:109) first: A packet was retransmitted repeatedly and never "
            "acknowledged");
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
