// SPDX-License-Identifier: Apache-2.0
//
// Who made others wait, as far as the log shows: a rank that had not made the call, one that left,
// one that failed. Shapes of lines: pytorch/pytorch ProcessGroupNCCL.cpp,
// torch/distributed/elastic; NVIDIA/nccl src/init.cc; seen with NCCL 2.28.9 and PyTorch 2.11 on an
// H200.

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

const std::string kWorld = "PG ID 0 PG GUID 0(default_pg)";

std::string group_front(std::uint32_t rank) {
  return cat("[rank", rank, "]:[E0102 03:04:05.600000001 ProcessGroupNCCL.cpp:689] ");
}

std::string caught(std::uint32_t rank, std::uint32_t sequence,
                   const std::string& operation = "ALLREDUCE", const std::string& group = kWorld) {
  return cat(group_front(rank), "[Rank ", rank,
             "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=", sequence,
             ", OpType=", operation,
             ", NumelIn=8, NumelOut=8, Timeout(ms)=12000) ran for 12040 milliseconds before timing "
             "out.\n",
             group_front(rank), "[", group, " Rank ", rank,
             "]  failure detected by watchdog at work sequence id: ", sequence,
             " PG status: last enqueued work: ", sequence, ", last completed work: ", sequence - 1,
             "\n");
}

std::string heard(std::uint32_t rank, std::uint32_t from, int enqueued, int completed) {
  return cat(group_front(rank), "[", kWorld, " Rank ", rank,
             "] Received a dump signal due to a collective timeout from  rank ", from,
             " and we will try our best to dump the debug info. Last enqueued NCCL work: ",
             enqueued, ", last completed NCCL work: ", completed, ".This is most likely\n");
}

std::string failed_call(std::uint32_t rank, std::uint32_t sequence) {
  return cat(group_front(rank), "[Rank ", rank, "] Collective WorkNCCL(SeqNum=", sequence,
             ", OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=12000) raised the following "
             "async exception: NCCL error: remote process exited or there was a network error, "
             "NCCL version 2.28.9\n",
             group_front(rank), "[", kWorld, " Rank ", rank,
             "]  failure detected by watchdog at work sequence id: ", sequence,
             " PG status: last enqueued work: 3, last completed work: -1\n");
}

std::string said(const Case& one) { return join(one.verdict.waits, "; "); }

bool shows(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(NcclLogJudgeWaits, ARankThatHadNotMadeTheCall) {
  const Case one(caught(0, 2) + heard(1, 0, 1, 1));
  const std::string missing =
      "rank 1 had not made the call at SeqNum 2 when it heard of the time-out";
  EXPECT_TRUE(shows(said(one), missing + ", so its process was alive then: the last work begun in "
                                         "process group 0 PG GUID 0(default_pg) is 1, which is "
                                         "finished"))
      << said(one);
  EXPECT_FALSE(shows(said(one), "another process group"));
  const std::string text = printed(one);
  EXPECT_TRUE(shows(text, "It fits what was found: " + missing)) << text;
  EXPECT_FALSE(shows(text, "was not found in the log.")) << text;
  // Two of four; ranks that wait themselves are no such ranks.
  const Case two(caught(0, 2) + caught(1, 2) + heard(3, 0, 1, 1) + heard(0, 1, 8, 1) +
                 heard(2, 0, 1, 1));
  EXPECT_TRUE(shows(said(two), "ranks 2,3 had not made the call at SeqNum 2 when they heard"))
      << said(two);
  // It had begun that call.
  const Case made(caught(0, 2) + heard(1, 0, 2, 1));
  EXPECT_TRUE(shows(said(made), "rank 1 began work 2")) << said(made);
  EXPECT_FALSE(shows(said(made), "had not made"));
  // Who waits is named with those that were as far.
  const Case all(caught(1, 1) + heard(0, 0, 1, -1) + heard(1, 1, 1, -1) + heard(3, 3, 1, -1));
  EXPECT_TRUE(shows(said(all), "ranks 0,1,3 began work 1")) << said(all);
}

/// What the lines do not say stays open.
TEST(NcclLogJudgeWaits, ACallOfWhichTheGroupIsNotKnown) {
  const std::string state = heard(1, 0, 1, 1);
  const std::string hedge = "the call that timed out is of another process group, or this rank";
  for (const std::string& waits :
       {caught(0, 2, "ALLREDUCE", "PG ID 1 PG GUID 3"), caught(0, 2, "SEND"),
        caught(0, 2).substr(0, caught(0, 2).find('\n') + 1),
        caught(0, 2) + caught(0, 9, "ALLREDUCE", "PG ID 1 PG GUID 3")})
    EXPECT_TRUE(shows(said(Case(waits + state)), hedge)) << said(Case(waits + state));
  // Of another rank than the one it heard of.
  EXPECT_TRUE(shows(said(Case(caught(2, 2) + state)), hedge));
  // An error is no time-out.
  EXPECT_TRUE(shows(said(Case(failed_call(0, 2) + state)), hedge));
}

/// A process of NCCL that is this rank of a communicator, set up and connected.
std::string set_up(std::uint32_t rank, std::uint32_t ranks, const std::string& address = "0x1f") {
  std::string text;
  for (const char* const what : {"START", "COMPLETE"})
    text += cat("n0:", 100 + rank, ":1 [0] NCCL INFO ncclCommInitRankConfig comm ", address, rank,
                " rank ", rank, " nranks ", ranks,
                " cudaDev 0 nvmlDev 0 busId 60 commId 0x5 - Init ", what, "\n");
  return text + cat("n0:", 100 + rank, ":1 [0] NCCL INFO Connected all rings, use ring PXN 0\n");
}

/// src/init.cc, commFree: no node and no commId stand in this line.
std::string torn_down(std::uint32_t rank, std::uint32_t ranks, const std::string& how = "Destroy",
                      const std::string& address = "0x1f") {
  return cat("n0:", 100 + rank, ":1 [0] NCCL INFO comm ", address, rank, " rank ", rank, " nranks ",
             ranks, " cudaDev 0 busId 60 - ", how, " COMPLETE\n");
}

std::string closed_at(std::uint32_t rank) {
  const std::string front = cat("n0:", 100 + rank, ":2 [0] ");
  return cat("[2026-01-02 03:04:06] ", front,
             "misc/socket.cc:72 NCCL WARN socketProgress: Connection closed by remote peer \n",
             front, "NCCL INFO misc/socket.cc:845 -> 6\n", front,
             "NCCL INFO proxy.cc:965 -> 6 [Progress Thread]\n");
}

TEST(NcclLogJudgeWaits, ARankThatWentOnWasLate) {
  const std::string waits = set_up(0, 2) + set_up(1, 2) + caught(0, 2) + heard(1, 0, 1, 1);
  const std::string went_on =
      "; it went on after that, and destroyed its communicator in good order (log:10)";
  EXPECT_TRUE(shows(said(Case(waits + torn_down(1, 2))), went_on))
      << said(Case(waits + torn_down(1, 2)));
  // It was given up; it is the other rank's; it is of another communicator.
  for (const std::string& other : {torn_down(1, 2, "Abort"), torn_down(0, 2),
                                   torn_down(1, 2, "Destroy", "0x2f"), torn_down(1, 3)})
    EXPECT_FALSE(shows(said(Case(waits + other)), "went on")) << other;
  // It was destroyed before.
  EXPECT_FALSE(shows(
      said(Case(set_up(0, 2) + set_up(1, 2) + torn_down(1, 2) + caught(0, 2) + heard(1, 0, 1, 1))),
      "went on"));
}

TEST(NcclLogJudgeWaits, ARankThatLeftWhileAnotherWasInACollective) {
  const std::string begin = set_up(0, 2) + set_up(1, 2);
  const std::string left = torn_down(1, 2);
  // What closes the connection says later that it is done.
  for (const std::string& text : {begin + left + closed_at(0) + failed_call(0, 3),
                                  begin + closed_at(0) + failed_call(0, 3) + left}) {
    const Case one(text);
    EXPECT_EQ(one.first(), "peer-closed");
    const std::string& found = one.verdict.follows_from;
    for (const char* const part :
         {"rank 1 left in good order (log:",
          "no error of it was read) while rank 0 was still in a collective: the ranks do not "
          "make the same number of calls, or it left before"})
      EXPECT_TRUE(shows(found, part)) << found;
    const std::string all = printed(one);
    for (const char* const part : {"It fits what was found: rank 1 left in good order",
                                   "check: what makes ranks do different numbers of steps"})
      EXPECT_TRUE(shows(all, part)) << all;
    for (const char* const wrong : {"was not found in the log.", "dmesg", "silent"})
      EXPECT_FALSE(shows(all, wrong)) << all;
  }
  // Nothing of PyTorch is there, but NCCL says that a call failed.
  EXPECT_TRUE(
      shows(Case(begin + closed_at(0) + left).verdict.follows_from, "rank 0 was still at work"));
}

TEST(NcclLogJudgeWaits, AHealthyEndIsNobodysFault) {
  const std::string begin = set_up(0, 2) + set_up(1, 2);
  const auto blames = [](const std::string& text) {
    return shows(printed(Case(text)), "left in good");
  };
  // All of them destroyed theirs; rank 1 gave its own up; it has an error of its own; an exception
  // of somebody; a launcher ended it.
  EXPECT_FALSE(blames(begin + torn_down(0, 2) + torn_down(1, 2)));
  EXPECT_FALSE(blames(begin + torn_down(0, 2) + torn_down(1, 2) + closed_at(0)));
  EXPECT_FALSE(blames(begin + closed_at(0) + torn_down(1, 2, "Abort")));
  EXPECT_FALSE(blames(begin + closed_at(0) + closed_at(1) + torn_down(1, 2)));
  EXPECT_FALSE(blames(begin + closed_at(0) + torn_down(1, 2) +
                      "Traceback (most recent call last):\n  File \"t.py\", line 1, in f\n    g()\n"
                      "ValueError: text\n"));
  EXPECT_FALSE(blames(begin + closed_at(0) + torn_down(1, 2) +
                      "E0102 03:04:07.800000 4321 torch/distributed/elastic/multiprocessing/"
                      "api.py:986] failed (exitcode: 1) local_rank: 1 (pid: 101) of binary: "
                      "/usr/bin/python\n"));
  // Of four ranks one is not accounted for: it may have died.
  const std::string four = set_up(0, 4) + set_up(1, 4) + set_up(2, 4) + set_up(3, 4);
  EXPECT_FALSE(blames(four + closed_at(0) + torn_down(1, 4) + torn_down(2, 4)));
  EXPECT_TRUE(blames(four + closed_at(0) + torn_down(1, 4) + torn_down(2, 4) + torn_down(3, 4)));
  // The communicator that the process made later is not the one that it destroyed.
  EXPECT_FALSE(blames(begin + torn_down(1, 2) + set_up(1, 2, "0x3f") + closed_at(0)));
}

TEST(NcclLogJudgeWaits, ARankThatLeftBeforeATimeout) {
  const std::string begin = set_up(0, 2) + set_up(1, 2);
  const std::string all = printed(Case(begin + torn_down(1, 2) + caught(0, 2)));
  EXPECT_TRUE(shows(all, "It fits what was found: rank 1 left in good order (log:7")) << all;
  EXPECT_FALSE(shows(all, "of rank 1 no line about it was read")) << all;
  // Behind it, it may only have been late.
  EXPECT_FALSE(shows(printed(Case(begin + caught(0, 2) + torn_down(1, 2))), "left in good order"));
}

/// torch/distributed/elastic: torchrun ends the others where one failed.
std::string ended_rank(std::uint32_t rank, int code) {
  return cat("  time      : 2026-01-02_03:04:08\n  host      : localhost\n  rank      : ", rank,
             " (local_rank: ", rank, ")\n  exitcode  : ", code, " (pid: ", 2001 + rank,
             ")\n  error_file: <N/A>\n  traceback : Signal or none\n");
}

std::string report(const std::vector<std::uint32_t>& ended, std::uint32_t root, int code) {
  std::string text = "train.py FAILED\nFailures:\n";
  for (const std::uint32_t rank : ended) text += cat("[1]:\n", ended_rank(rank, -15));
  return cat(text, "Root Cause (first observed failure):\n[0]:\n", ended_rank(root, code), "===\n");
}

TEST(NcclLogJudgeWaits, WhoeverFailedFirstIsTheOneToCheck) {
  const std::string raised =
      "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"t.py\", line 1, in f\n"
      "[rank1]: ValueError: loss is nan\n";
  const Case exception(raised + failed_call(2, 2));
  EXPECT_EQ(exception.first(), "program-exception");
  EXPECT_FALSE(shows(said(exception), "silent")) << said(exception);
  // torchrun names who was killed; rank 3 was only ended.
  const Case killed(failed_call(0, 1) + failed_call(2, 1) + report({0, 2, 3}, 1, -9));
  EXPECT_EQ(killed.first(), "killed");
  EXPECT_TRUE(shows(said(killed), "torchrun reports that rank 1 failed")) << said(killed);
  EXPECT_FALSE(shows(said(killed), "silent")) << said(killed);
  // An exit code alone says less, and is no time-out's doing.
  const Case code(failed_call(0, 1) + failed_call(2, 1) + report({0, 2}, 1, 1));
  EXPECT_FALSE(shows(said(code), "silent")) << said(code);
  // Nobody says who failed first: of ranks 1 and 3 nothing is known.
  EXPECT_TRUE(shows(said(Case(failed_call(0, 1) + failed_call(2, 1) + failed_call(4, 1))),
                    "of ranks 1,3 no line about it was read"));
  EXPECT_TRUE(
      shows(said(Case(failed_call(1, 1))),
            "no line of NCCL or PyTorch shows a rank other than 1: the other ranks' logs show who "
            "failed first"));
  // An error that is no other rank's doing says nothing of ranks that are silent.
  std::string own = failed_call(0, 1) + failed_call(2, 1);
  for (auto at = own.find("remote process exited or there was a network error"); at != own.npos;
       at = own.find("remote process exited or there was a network error"))
    own.replace(at, 50, "unhandled system error");
  EXPECT_TRUE(shows(said(Case(own)), "NCCL reported an error")) << said(Case(own));
  EXPECT_FALSE(shows(said(Case(own)), "silent")) << said(Case(own));
  // The root cause is the rank that gave up waiting.
  const Case waited(caught(0, 2) + report({1}, 0, -6));
  EXPECT_TRUE(shows(said(waited),
                    "no line of rank 1 about it was read; it still ran when SIGTERM "
                    "ended it (exitcode -15), and may not have made the call"))
      << said(waited);
  EXPECT_FALSE(shows(said(waited), "silent")) << said(waited);
}

/// argonne-lcf/alcf-nccl-tests: lines that say a rank of the group and lines that say one of the
/// job are of the same rank, and who is behind is to be checked before who is silent.
TEST(NcclLogJudgeWaits, WhoIsBehindIsSaidOnce) {
  std::string bare = caught(1, 7);
  for (auto at = bare.find("[rank1]:"); at != bare.npos; at = bare.find("[rank1]:"))
    bare.erase(at, 8);
  const std::string others = caught(2, 99) + caught(3, 99);
  const std::string text = said(Case(caught(1, 7) + bare + others));
  EXPECT_TRUE(shows(text, "rank 1 is behind: at SeqNum 7, others up to 99")) << text;
  EXPECT_TRUE(shows(text, "of rank 0 no line about it was read; lines may be missing")) << text;
  EXPECT_FALSE(shows(text, "the one to check first")) << text;
  // Nobody is behind; who is, is not certain; it is so in another group.
  const std::string other_group = caught(1, 7, "ALLREDUCE", "PG ID 1 PG GUID 3") +
                                  caught(2, 8, "ALLREDUCE", "PG ID 1 PG GUID 3");
  for (const std::string& open :
       {caught(1, 7) + caught(2, 7), caught(1, 7).substr(0, caught(1, 7).find('\n') + 1) + others,
        other_group + caught(3, 99)})
    EXPECT_TRUE(shows(said(Case(open)), "the one to check first")) << said(Case(open));
}

/// ProcessGroupNCCL.cpp, the heartbeat monitor.
TEST(NcclLogJudgeWaits, APythonLockIsAPossibleReason) {
  const std::string lock =
      cat(group_front(1), "[", kWorld,
          " Rank 1] Could not acquire GIL within 300 ms on exit, possible GIL induced hang\n");
  const Case one(caught(0, 2) + heard(1, 0, 1, 1) + lock);
  EXPECT_EQ(one.first(), "watchdog");
  EXPECT_TRUE(shows(said(one),
                    "; rank 1 says that Python's lock (GIL) could not be had then (log:4), "
                    "which is a possible reason"))
      << said(one);
  EXPECT_TRUE(shows(printed(one), "torch-gil: 1 line, rank 1")) << printed(one);
  // Of a rank that waits itself it says nothing.
  std::string other = lock;
  other.replace(other.find("[rank1]"), 7, "[rank0]");
  EXPECT_FALSE(shows(said(Case(caught(0, 2) + heard(1, 0, 1, 1) + other)), "GIL"));
  const std::string alone = printed(Case(lock));
  EXPECT_TRUE(shows(alone, "not proven")) << alone;
}

/// All-gather gives each rank what all of them give: so many there are.
TEST(NcclLogJudgeWaits, TheSizeOfAGroup) {
  const auto wait = [](int rank, const char* numel, const char* front = "") {
    return cat(
        front, "[E ProcessGroupNCCL.cpp:523] [Rank ", rank,
        "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLGATHER, ",
        numel, ", Timeout(ms)=600000) ran for 600341 milliseconds before timing out.\n");
  };
  const auto silent = [&](const std::string& text) {
    const std::string all = join(Case(text).verdict.waits, "\n");
    return all.find("of ranks 2,3 no line") != std::string::npos;
  };
  EXPECT_TRUE(silent(wait(0, "NumelIn=1, NumelOut=4") + wait(1, "NumelIn=1, NumelOut=4")));
  EXPECT_FALSE(silent(wait(0, "NumelIn=3, NumelOut=4") + wait(1, "NumelIn=3, NumelOut=4")));
  // A group of two, whose ranks are not those of the job.
  EXPECT_FALSE(silent(wait(0, "NumelIn=2, NumelOut=4") + wait(5, "NumelIn=2, NumelOut=4")));
  EXPECT_FALSE(silent(wait(0, "NumelIn=1, NumelOut=4", "[rank0]:") +
                      wait(1, "NumelIn=1, NumelOut=4", "[rank4]:")));
}

/// The rank that is behind is what a time-out fits to.
TEST(NcclLogJudgeWaits, ATimeoutFitsWhoIsBehind) {
  const auto wait = [](int rank, int sequence) {
    return cat("[E ProcessGroupNCCL.cpp:523] [Rank ", rank,
               "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=", sequence,
               ", OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600341 "
               "milliseconds before timing out.\n");
  };
  const Case one(wait(0, 9) + wait(1, 7));
  EXPECT_NE(one.verdict.follows_from.find("rank 1 is behind: at SeqNum 7"), std::string::npos);
  EXPECT_NE(printed(one).find("prints such a line, too"), std::string::npos);
  // Ranks count their sends and receives each for itself.
  std::string sends = wait(0, 9) + wait(1, 7);
  for (std::size_t at = 0; (at = sends.find("ALLREDUCE", at)) != sends.npos;)
    sends.replace(at, 9, "SEND");
  EXPECT_EQ(Case(sends).verdict.follows_from, "");
  EXPECT_EQ(Case(wait(0, 9) + wait(1, 9)).verdict.follows_from, "");
}

/// sgl-project/sglang issue 20855: the line again, without the rank of the job.
TEST(NcclLogJudgeWaits, TheSameWaitWithItsRankInTheGroup) {
  const std::string wait =
      "[PG ID 4 PG GUID 45 Rank 1] Process group watchdog thread terminated with exception: [Rank "
      "1] "
      "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2, "
      "OpType=_REDUCE_SCATTER_BASE, "
      "NumelIn=8, NumelOut=4, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.\n";
  const Case one(cat(
      "[rank9]:[E318 08:49:08.9 ProcessGroupNCCL.cpp:2057] ", wait,
      "terminate called after throwing an instance of 'c10::DistBackendError'\n  what():  ", wait));
  EXPECT_EQ(one.log.waits.size(), 1U);
  EXPECT_NE(join(one.verdict.waits, "\n").find("rank 9: _REDUCE_SCATTER_BASE not finished"),
            std::string::npos);
  EXPECT_EQ(Case("  what():  " + wait).log.waits.size(), 1U);
}

/// pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, printTraceback().
TEST(NcclLogJudgeWaits, WhereTheCallWasMade) {
  const auto waits = [](int rank) {
    return cat("[rank", rank, "]:[E1126 14:28:34.46 ProcessGroupNCCL.cpp:689] [Rank ", rank,
               "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=13, "
               "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=15000) ran for 15080 "
               "milliseconds before timing out.\n");
  };
  const auto stack = [](int rank, const std::string& frames) {
    return cat("[rank", rank,
               "]:[E1126 14:28:34.46 ProcessGroupNCCL.cpp:733] Stack trace of the failed "
               "collective: \n",
               frames, "\n");
  };
  const std::string library =
      "#0 barrier from /opt/env/lib/python3.12/site-packages/torch/distributed/c10d.py:5030\n";
  const std::string own = "#1 save from /home/me/train.py:46\n#2 <module> from train.py:194\n";
  const auto shown = [](const std::string& text, const char* part) {
    return shows(join(Case(text).verdict.waits, "; "), part);
  };
  EXPECT_TRUE(
      shown(waits(1) + stack(1, library + own), ", called from save() at /home/me/train.py:46"));
  EXPECT_TRUE(shown(waits(1) + stack(1, library + own) + waits(2) + stack(2, library + own),
                    "ranks 1,2: ALLREDUCE"));
  EXPECT_TRUE(shown(waits(1) + stack(1, library + own) + waits(2) + stack(2, library + own),
                    ", called from save() at /home/me/train.py:46"));
  // Two ranks at two places, frames that are mixed, a package alone, and another rank's.
  EXPECT_FALSE(shown(waits(1) + stack(1, library + own) + waits(2) + stack(2, "#0 f from a.py:1\n"),
                     "called from"));
  EXPECT_FALSE(shown(waits(1) + stack(1, library + library + own), "called from"));
  EXPECT_FALSE(shown(waits(1) + stack(1, library), "called from"));
  EXPECT_FALSE(shown(waits(1) + stack(2, library + own), "called from"));
  // Several ranks begin before the first frame: whose it is is not known.
  const auto begin = [&](int rank) {
    return stack(rank, "").substr(0, stack(rank, "").size() - 1);
  };
  const std::string two = waits(1) + waits(2) + begin(1) + stack(2, library + own);
  const std::string three =
      waits(1) + waits(2) + waits(3) + begin(1) + begin(2) + stack(3, library + own);
  for (const std::string& text : {two, three}) {
    const Case mixed(text);
    for (const auto& [key, wait] : mixed.log.waits) EXPECT_EQ(wait.called, "") << text;
  }
  // Behind the blank line that ends them another stack may begin.
  const Case after(three + waits(4) + stack(4, library + own));
  EXPECT_EQ(after.log.waits.rbegin()->second.called, "save() at /home/me/train.py:46");
  // What ends the file may be cut.
  const std::string cut = waits(1) + stack(1, library + "#1 save from /home/me/train.py:4");
  const Log log = read(cut.substr(0, cut.size() - 1));
  EXPECT_FALSE(shows(join(judge(log, causes()).waits, "; "), "called from"));
}

/// A program says how many ranks there are.
TEST(NcclLogJudgeWaits, SilentRanksOfAWorldOfKnownSize) {
  const std::string wait =
      "[rank0]:[E ProcessGroupNCCL.cpp:563] [Rank 0] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=3, OpType=BROADCAST, NumelIn=9, NumelOut=9, Timeout(ms)=120000) ran for "
      "120052 milliseconds before timing out.\n"
      "[rank2]:[E ProcessGroupNCCL.cpp:563] [Rank 2] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=3, OpType=BROADCAST, NumelIn=9, NumelOut=9, Timeout(ms)=120000) ran for "
      "120052 milliseconds before timing out.\n";
  EXPECT_TRUE(shows(join(Case(wait).verdict.waits, "; "), "of rank 1 no line"));
  EXPECT_TRUE(
      shows(join(Case("world_size: 6\n" + wait).verdict.waits, "; "), "of ranks 1,3-5 no line"));
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
