// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch, launchers, the scheduler and the kernel say of a job, in lines that NCCL did not
// write. Their shapes: pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp and
// NCCLUtils.cpp, torch/distributed/elastic; issues that are named at the lines.

#include "base/text.hpp"
#include "tools/nccl/log/job/error_block.hpp"
#include "tools/nccl/log/job/marks.hpp"
#include "tools/nccl/log/voice.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::job {
namespace {

TEST(NcclLogJobTorch, TheErrorBlockIsReadWithAnyFront) {
  for (const char* const front :
       {"", "[rank3]: ", "[1,3]<stderr>:", "3: ", "(RayWorkerWrapper pid=539, ip=10.0.0.1) ",
        "[default3]:[rank3]: ", "  | 2024-12-04T05:27:44.080Z | "}) {
    const Case one(block(front, "ncclInvalidUsage",
                         "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 10"));
    EXPECT_EQ(one.first(), "duplicate-gpu") << front;
    EXPECT_EQ(one.verdict.versions, std::vector<std::string>{"2.20.5"}) << front;
    EXPECT_EQ(one.log.events[*one.verdict.first].text,
              "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 10")
        << front;
    const bool has_rank = std::string(front).find('3') != std::string::npos &&
                          std::string(front).find("pid") == std::string::npos &&
                          std::string(front).find("Z |") == std::string::npos;
    EXPECT_EQ(one.log.events[*one.verdict.first].rank, has_rank ? 3U : kNone) << front;
  }
}

TEST(NcclLogJobTorch, BlocksOfRanksThatWriteBetweenEachOther) {
  std::string text;
  for (const char* const line : {"ncclSystemError: System call failed.\n", "Last error:\n", "TEXT"})
    for (int rank = 0; rank < 4; ++rank)
      text += cat("[rank", rank, "]: ",
                  std::string(line) == "TEXT"
                      ? cat("Error: failed to extend /dev/shm/nccl-", rank, " to 9637892 bytes\n")
                      : std::string(line));
  const Case one(text);
  EXPECT_EQ(one.first(), "shm-extend");
  std::set<std::uint32_t> ranks;
  for (const std::uint32_t i : one.verdict.events) ranks.insert(one.log.events[i].rank);
  EXPECT_EQ(ranks, (std::set<std::uint32_t>{0, 1, 2, 3}));
}

TEST(NcclLogJobTorch, ABlockWithoutALastErrorIsBare) {
  // pytorch/pytorch issue 149984: nothing stands behind "Last error:".
  for (const std::string& text :
       {block("", "ncclSystemError", ""), block("[rank0]: ", "ncclSystemError", ""),
        std::string("[rank0]: RuntimeError: NCCL error: unhandled system error (run with "
                    "NCCL_DEBUG=INFO for details)\n"),  // vLLM
        std::string("ncclSystemError: System call (socket, malloc, munmap, etc) failed.\n")}) {
    const Case one(text);
    EXPECT_EQ(one.first(), "nccl-system-error") << text;
    EXPECT_NE(printed(one).find("this line does not say why"), std::string::npos);
    EXPECT_NE(printed(one).find("NCCL_DEBUG=INFO"), std::string::npos);
  }
  EXPECT_EQ(Case(block("", "ncclRemoteError", "")).first(), "nccl-system-error");
  EXPECT_EQ(Case("ncclRemoteError: A call failed.\n").first(), "nccl-remote-error");
}

/// huggingface/accelerate issue 2107: nothing stands behind "Last error:", and another process goes
/// on with its traceback.
TEST(NcclLogJobTorch, ALineOfCodeIsNoLastError) {
  const std::string begun = "ncclSystemError: System call failed.\nLast error:\n";
  for (const char* const next : {"\n    return next(self.gen)\n",
                                 "    work = default_pg.barrier(opts=opts)\n", "\nan odd line\n",
                                 "torch.distributed.DistBackendError: NCCL error in: x.cpp:1331, "
                                 "unhandled system error\n"}) {
    const Case one(begun + next);
    EXPECT_EQ(one.first(), "nccl-system-error") << next;
    EXPECT_EQ(one.log.events.size(), 1U) << next;
  }
  // Somebody put a blank line after each: what is known to be NCCL's is its.
  EXPECT_EQ(
      Case("ncclSystemError: System call failed.\n\nLast error:\n\nsocketStartConnect: Connect "
           "to 10.0.0.2<4> failed : No route to host\n")
          .first(),
      "connect-no-route");
  // Of a block that ends with the file.
  const Case cut("a line\nncclSystemError: System call failed.\n");
  ASSERT_EQ(cut.log.events.size(), 1U);
  EXPECT_EQ(cut.log.events[0].line, 2U);
}

TEST(NcclLogJobTorch, ALastErrorThatIsAHintIsNoCause) {
  const Case one(block("", "ncclRemoteError", "Could not find real path of /sys/class/net/eth0"));
  EXPECT_EQ(one.first(), "nccl-system-error");
}

TEST(NcclLogJobTorch, VersionsInTracebacks) {
  const auto versions = [](const std::string& version) {
    return Case(cat("RuntimeError: NCCL error in: x.cpp:825, unhandled system error, NCCL version ",
                    version, "\n"))
        .verdict.versions;
  };
  EXPECT_EQ(versions("2.7.8"), std::vector<std::string>{"2.7.8"});
  EXPECT_EQ(versions("2.25.1,"), std::vector<std::string>{"2.25.1"});
  EXPECT_EQ(versions("21.0.3"), std::vector<std::string>{"2.10.3"});  // NVIDIA/nccl issue 834
  // sgl-project/sglang issue 7478, vllm-project/vllm issue 4114.
  for (const char* const who : {"sglang", "vLLM"})
    EXPECT_EQ(Case(cat("INFO x.py:45] ", who, " is using nccl==2.26.2\n")).verdict.versions,
              std::vector<std::string>{"2.26.2"});
  const Case both("NCCL version 2.20.5+cuda12.4\n" + block("", "ncclSystemError", ""));
  EXPECT_EQ(both.verdict.versions, std::vector<std::string>{"2.20.5+cuda12.4"});
}

std::string timeout(std::uint32_t rank, std::uint32_t sequence, const std::string& operation,
                    const std::string& front) {
  return cat(
      front, "[Rank ", rank,
      "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=", sequence,
      ", OpType=", operation,
      ", NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600060 milliseconds before timing "
      "out.\n");
}

std::string status(std::uint32_t rank, std::uint32_t sequence) {
  return cat("[rank", rank,
             "]:[E321 02:07:08.465150152 ProcessGroupNCCL.cpp:1664] [PG ID 1 PG GUID 1 "
             "Rank ",
             rank,
             "] Exception (either an error or timeout) detected by watchdog at work: ", sequence,
             ", last enqueued NCCL work: ", sequence + 2,
             ", last completed NCCL work: ", sequence - 1, ".\n");
}

std::string front_of(std::uint32_t rank) {
  return cat("[rank", rank, "]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] ");
}

bool is_said(const Case& one, const std::string& part) {
  return join(one.verdict.waits, "; ").find(part) != std::string::npos;
}

TEST(NcclLogJobTorch, WhoTimedOutInWhat) {
  std::string text;
  for (const std::uint32_t rank : {0U, 1U, 3U})
    text += timeout(rank, 1580, "ALLREDUCE", front_of(rank)) + status(rank, 1580);
  const Case one(text);
  EXPECT_EQ(one.first(), "watchdog");
  EXPECT_TRUE(is_said(one,
                      "ranks 0,1,3: ALLREDUCE not finished after 600 s, SeqNum 1580, process "
                      "group 1 PG GUID 1"));
  EXPECT_TRUE(is_said(one, "of rank 2 no line about it was read"));
  EXPECT_FALSE(is_said(one, "behind"));
  EXPECT_NE(printed(one).find("SeqNum 1580"), std::string::npos);
  ASSERT_EQ(one.log.waits.size(), 3U);
  EXPECT_EQ(one.log.waits.begin()->second.enqueued, 1582U);
}

TEST(NcclLogJobTorch, WhetherTheGroupHadWorkedBefore) {
  EXPECT_TRUE(is_said(Case(timeout(1, 1, "BROADCAST", front_of(1))),
                      "SeqNum 1, the first collective of its process group"));
  // Sends and receives have numbers of their own.
  EXPECT_FALSE(is_said(Case(timeout(1, 1, "SEND", front_of(1))), "the first collective"));
  const std::string late = timeout(1, 1580, "BROADCAST", front_of(1));
  EXPECT_TRUE(
      is_said(Case(late + status(1, 1580)), "and the collectives before were finished there"));
  EXPECT_FALSE(is_said(Case(late + status(1, 1580) + timeout(2, 1580, "BROADCAST", front_of(2))),
                       "were finished"));
  EXPECT_FALSE(is_said(Case(late + status(1, 1581)), "were finished"));
}

/// modelscope/ms-swift issue 5409.
TEST(NcclLogJobTorch, ACallThatATerminalWroteOverIsNoOtherCall) {
  std::string broken = timeout(2, 7, "_ALLGATHER_BASE", front_of(2));
  broken.replace(broken.find("SE,"), 4, "[451/1919]\n");
  const Case one(broken + timeout(0, 7, "_ALLGATHER_BASE", front_of(0)));
  EXPECT_TRUE(is_said(one, "ranks 0,2: _ALLGATHER_BASE not finished"))
      << join(one.verdict.waits, "; ");
  EXPECT_FALSE(is_said(one, "do not make the same calls"));
}

TEST(NcclLogJobTorch, ARankThatSaysSomethingElseIsNotSilent) {
  // snowflakedb/ArcticTraining issue 219.
  const Case one(timeout(2, 120049, "_ALLGATHER_BASE", front_of(2)) +
                 "[rank1]:[E626 05:14:36.393067540 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID "
                 "0(default_pg) Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 seconds "
                 "without making progress\n");
  EXPECT_TRUE(is_said(one, "of rank 0 no line about it was read"));
}

/// verl-project/verl issue 1158, sgl-project/sglang issue 10216: the log ends in the middle of it.
TEST(NcclLogJobTorch, ARankWhoseErrorIsCutIsNotSilent) {
  const std::string both =
      timeout(7, 4486, "ALLTOALL", front_of(7)) + timeout(3, 4486, "ALLTOALL", front_of(3));
  for (const char* const cut :
       {"[rank6]:[E419 10:42:28.887728774 ProcessGroupNCCL.cpp\n",
        "[rank6]:[E909 08:45:31.510342652 ProcessGroupNCCL.cpp:1870] [PG ID "
        "0 PG GUID 0 Rank 6] Recei"})
    EXPECT_TRUE(is_said(Case(both + cut), "of ranks 0-2,4,5 no line about it was read")) << cut;
  // It says something, and nothing of an error.
  EXPECT_TRUE(is_said(Case(both + "[rank6]:[I ProcessGroupNCCL.cpp:850] [Rank 6] NCCL watchdog "
                                  "thread started!\n"),
                      "of ranks 0-2,4-6 no line about it was read"));
}

/// modelscope/FunASR issue 2006: the last number of the log is not a whole one.
TEST(NcclLogJobTorch, ANumberThatIsCutIsNone) {
  const std::string cut = timeout(3, 15734, "ALLREDUCE", front_of(3));
  for (const char* const end : {"734, OpType", ", OpType"}) {
    const Case one(timeout(5, 15734, "ALLREDUCE", front_of(5)) + cut.substr(0, cut.find(end)));
    EXPECT_TRUE(is_said(one, "rank 5: ALLREDUCE not finished")) << join(one.verdict.waits, "; ");
    EXPECT_FALSE(is_said(one, "behind")) << join(one.verdict.waits, "; ");
    EXPECT_TRUE(is_said(one, "of ranks 0-2,4 no line about it was read"))
        << join(one.verdict.waits, "; ");
  }
}

/// Where the log has other lines of a rank, and how the job ended, that rank is silent.
TEST(NcclLogJobTorch, SilenceIsKnownAtTheEndOfAJob) {
  const std::string before =
      "[rank1]: step 7\n[rank1]:[I ProcessGroupNCCL.cpp:850] [Rank 1] NCCL "
      "watchdog thread started!\n";
  const std::string waits =
      timeout(0, 8, "ALLREDUCE", front_of(0)) + timeout(3, 8, "ALLREDUCE", front_of(3));
  const std::string end =
      "E1212 03:27:33.598000 4609 torch/distributed/elastic/multiprocessing/"
      "api.py:863] failed (exitcode: -6) local_rank: 0 (pid: 4677) of binary\n";
  const Case whole(before + waits + end);
  EXPECT_TRUE(is_said(whole,
                      "of rank 1 the log has other lines, and the end of the job, but "
                      "nothing about it"))
      << join(whole.verdict.waits, "; ");
  EXPECT_TRUE(is_said(whole, "of rank 2 no line about it was read"));
  for (const std::string& cut : {before + waits, before + end + waits})
    EXPECT_TRUE(is_said(Case(cut), "of ranks 1,2 no line about it was read"));
}

/// Of one rank's log it is not known who is silent.
TEST(NcclLogJobTorch, TheLogOfOneRankSaysNothingOfOthers) {
  // sgl-project/sglang issue 3424.
  const Case one(timeout(4, 1522789, "_ALLGATHER_BASE", front_of(4)) + status(4, 1522789));
  EXPECT_TRUE(is_said(one, "no line of NCCL or PyTorch shows a rank other than 4"));
  EXPECT_FALSE(is_said(one, "silent"));
}

TEST(NcclLogJobTorch, WhoIsBehindInWhatGroup) {
  std::string text;
  for (const std::uint32_t rank : {0U, 1U})
    text += timeout(rank, 100, "ALLREDUCE", front_of(rank)) + status(rank, 100);
  text += timeout(2, 98, "ALLGATHER", front_of(2)) + status(2, 98);
  EXPECT_TRUE(is_said(Case(text), "rank 2 is behind: at SeqNum 98, others up to 100"));
  EXPECT_FALSE(is_said(Case(text), "if they are in the same process group"));
  // pytorch/pytorch issue 118369: the lines do not say the group.
  const Case old(timeout(0, 96117, "ALLREDUCE", "[E ProcessGroupNCCL.cpp:458] ") +
                 timeout(7, 64088, "ALLREDUCE", "[E ProcessGroupNCCL.cpp:458] "));
  EXPECT_TRUE(is_said(old,
                      "rank 7 is behind: at SeqNum 64088, others up to 96117 (if they are "
                      "in the same process group"));
}

/// huggingface/open-r1 issue 620: the terminal is narrow.
TEST(NcclLogJobTorch, ATimeoutThatATerminalCut) {
  const std::string caught =
      "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, "
      "OpTy\npe=BROADCAST, "
      "NumelIn=112, Timeout(ms)=1800000) ran for 1800010 milliseconds before timing out.\n";
  const Case one(timeout(1, 4, "BROADCAST", front_of(1)) + front_of(2) + caught);
  EXPECT_TRUE(is_said(one, "ranks 1,2: BROADCAST not finished")) << join(one.verdict.waits, "; ");
}

/// HKUDS/GraphGPT issue 44, Lightning-AI/pytorch-lightning issue 20832: wherever the line ended.
TEST(NcclLogJobTorch, ATimeoutThatATerminalBroke) {
  const std::string line =
      "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=778778, "
      "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800413 milliseconds "
      "before timing out.\n";
  for (const char* const before :
       {"SeqNum=", "778,", "pe=ALL", "Timeout(ms)=", "000) ran", " ran"}) {
    std::string broken = line;
    broken.insert(broken.find(before), "    \n");
    for (const std::size_t piece : {1U, 1000U}) {
      const Case one(broken + "an unmarked line\n", piece);
      EXPECT_TRUE(is_said(one, "rank 1: ALLREDUCE not finished after 1800 s, SeqNum 778778"))
          << broken << join(one.verdict.waits, "; ");
    }
  }
  // Cut for good, maybe within the name of the call, and another rank goes on.
  const Case cut(line.substr(0, line.find(", NumelIn")) + "\n" +
                 timeout(2, 9, "REDUCE", front_of(2)));
  EXPECT_TRUE(is_said(cut, "rank 1: a collective not finished")) << join(cut.verdict.waits, "; ");
  EXPECT_TRUE(is_said(cut, "SeqNum 9")) << join(cut.verdict.waits, "; ");
  // The file ends in it.
  EXPECT_TRUE(is_said(Case(line.substr(0, line.find(", NumelIn"))), "SeqNum 778778"));
}

/// mila-iqia/milabench pull request 269.
TEST(NcclLogJobTorch, ATimeoutThatALauncherBroke) {
  std::string text;
  for (const std::uint32_t rank : {3U, 1U}) {
    std::string line = cat("job.n4 [stderr] ", timeout(rank, 70, "REDUCE", front_of(rank)));
    text += line.insert(line.find("WorkNCCL("), "\n");
  }
  const Case one(text);
  EXPECT_TRUE(is_said(one, "ranks 1,3: REDUCE not finished after 600 s, SeqNum 70"))
      << join(one.verdict.waits, "; ");
  // Another line came between: of whom the call is nobody knows.
  const Case mixed(front_of(3) + "[Rank 3] Watchdog caught collective operation timeout: \n" +
                   status(2, 8) + "WorkNCCL(SeqNum=9, OpType=REDUCE, Timeout(ms)=1)\n");
  EXPECT_FALSE(is_said(mixed, "SeqNum 9")) << join(mixed.verdict.waits, "; ");
}

/// Lightning-AI/pytorch-lightning issue 20434.
TEST(NcclLogJobTorch, WhoIsTakenDownIsNotSilent) {
  const Case one(cat(front_of(3),
                     "[Rank 3] To avoid data inconsistency, we are taking the entire process "
                     "down.\n",
                     timeout(2, 1, "BROADCAST", front_of(2))));
  EXPECT_TRUE(is_said(one, "of ranks 0,1 no line about it was read"))
      << join(one.verdict.waits, "; ");
}

/// huggingface/diffusers issue 12422.
TEST(NcclLogJobTorch, ATimeoutOfABlockingWait) {
  const Case one(
      "[rank3]: torch.distributed.DistBackendError: Work WorkNCCL(SeqNum=2521, OpType=ALLREDUCE, "
      "NumelIn=160672064, NumelOut=160672064, Timeout(ms)=600000) timed out in blocking wait.\n");
  EXPECT_EQ(one.first(), "watchdog");
  EXPECT_TRUE(is_said(one, "rank 3: ALLREDUCE not finished after 600 s, SeqNum 2521"));
}

/// axolotl-ai-cloud/axolotl issue 1495.
TEST(NcclLogJobTorch, RanksThatGiveOtherSizes) {
  const auto with = [](std::uint32_t rank, const char* operation, const char* elements) {
    std::string line = timeout(rank, 807, operation, front_of(rank));
    return line.replace(line.find("NumelIn=1"), 9, cat("NumelIn=", elements));
  };
  const auto said = [&](const char* operation, const char* elements) {
    const Case one(with(1, operation, "112") + with(6, operation, "112") +
                   with(7, operation, elements));
    return join(one.verdict.waits, "; ");
  };
  EXPECT_NE(said("ALLREDUCE", "109")
                .find("at SeqNum 807 rank 7 gave 109 elements to ALLREDUCE and "
                      "ranks 1,6 112: the ranks do not make the same calls (if "
                      "they are in the same process group"),
            std::string::npos)
      << said("ALLREDUCE", "109");
  EXPECT_EQ(said("ALLREDUCE", "112").find("elements"), std::string::npos);
  // Of these each rank may give as much as it likes.
  EXPECT_EQ(said("ALLTOALL_BASE", "109").find("elements"), std::string::npos);
  EXPECT_EQ(said("ALLGATHER", "109").find("elements"), std::string::npos);
}

/// ProcessGroupNCCL.cpp, WorkNCCL::checkAndSetException: NCCL's error is no time-out, and the call
/// is only the oldest one that the watchdog does not know to be finished.
std::string async_error(std::uint32_t rank, std::uint32_t sequence, const std::string& operation) {
  return cat(front_of(rank), "[Rank ", rank, "] Collective WorkNCCL(SeqNum=", sequence,
             ", OpType=", operation,
             ", NumelIn=8, NumelOut=8, Timeout(ms)=12000) raised the following async exception: "
             "NCCL error: remote process exited or there was a network error, NCCL version "
             "2.28.9\n");
}

TEST(NcclLogJobTorch, AnErrorOfNcclIsNoTimeout) {
  const Case one(async_error(0, 1, "ALLREDUCE") + status(0, 1) + async_error(2, 3, "ALLREDUCE"));
  for (const char* const said : {"rank 0: NCCL reported an error (not a time-out), which PyTorch "
                                 "noted for ALLREDUCE, SeqNum 1, process group 1",
                                 "rank 2: NCCL reported an error (not a time-out), which PyTorch "
                                 "noted for ALLREDUCE, SeqNum 3"})
    EXPECT_TRUE(is_said(one, said)) << join(one.verdict.waits, "; ");
  for (const char* const wrong : {"not finished", "12 s", "behind", "the first collective"})
    EXPECT_FALSE(is_said(one, wrong)) << join(one.verdict.waits, "; ");
  // One that timed out did so, whatever follows.
  const Case both(timeout(0, 1, "ALLREDUCE", front_of(0)) + async_error(0, 1, "ALLREDUCE"));
  EXPECT_TRUE(is_said(both, "rank 0: ALLREDUCE not finished after 600 s"));
  EXPECT_FALSE(is_said(both, "NCCL reported an error"));
}

/// ProcessGroupNCCL.cpp, getNCCLWatchdogTimeoutErrorMsg.
std::string dump(std::uint32_t rank, const std::string& from, int enqueued, int completed) {
  return cat("[rank", rank,
             "]:[E703 21:51:54.112142364 ProcessGroupNCCL.cpp:1987] [PG ID 0 PG "
             "GUID 0(default_pg) Rank ",
             rank, "] Received a dump signal due to a collective timeout from ", from,
             " and we will try our best to dump the debug info. Last enqueued NCCL work: ",
             enqueued, ", last completed NCCL work: ", completed,
             ".This is most likely caused by incorrect usages of collectives\n");
}

TEST(NcclLogJobTorch, WhoHeardOfATimeoutAndHowFarItWas) {
  const Case one(dump(6, " rank 7", 56116, 56116) + dump(1, " rank 7", 56116, 56116) +
                 dump(2, " rank 7", 56117, 56116));
  EXPECT_TRUE(is_said(one, "a collective of rank 7 timed out or failed, as ranks 1,2,6 heard"))
      << join(one.verdict.waits, "; ");
  EXPECT_TRUE(is_said(one,
                      "ranks 1,6 began work 56116, process group 0 PG GUID 0(default_pg), and "
                      "finished it: the call that timed out is of another process group, or these "
                      "ranks did not make it"))
      << join(one.verdict.waits, "; ");
  EXPECT_TRUE(is_said(one,
                      "rank 2 began work 56117, process group 0 PG GUID 0(default_pg), and "
                      "finished 56116"));
  // Nothing of the group was ever done: the number is -1.
  const Case first(dump(3, "this local rank", 1, -1));
  EXPECT_TRUE(is_said(first, "a collective of rank 3 timed out or failed"));
  EXPECT_TRUE(is_said(first, "and none of this group was ever finished"));
  // A line that is cut says nothing of what was finished.
  const std::string whole = dump(3, "this local rank", 10, 8);
  EXPECT_FALSE(is_said(Case(whole.substr(0, whole.find("last completed"))), "finished"));
  // What the rank says of the call itself is more, and who timed out is not silent.
  const Case both(timeout(0, 9, "ALLREDUCE", front_of(0)) + dump(0, "this local rank", 10, 8) +
                  dump(1, " rank 0", 8, 8) + dump(2, " rank 3", 8, 8));
  EXPECT_FALSE(is_said(both, "a collective of rank 0"));
  EXPECT_FALSE(is_said(both, "rank 0 began"));
  EXPECT_FALSE(is_said(both, "silent")) << join(both.verdict.waits, "; ");
}

TEST(NcclLogJobTorch, RanksThatMakeOtherCalls) {
  // NVIDIA/nccl issue 1409.
  const Case one(timeout(7, 80078, "BROADCAST", front_of(7)) +
                 timeout(3, 80078, "ALLREDUCE", front_of(3)));
  EXPECT_TRUE(is_said(one, "at SeqNum 80078 rank 3 made ALLREDUCE and rank 7 BROADCAST"));
  EXPECT_TRUE(is_said(one, "if they are in the same process group"));
}

/// pytorch/pytorch issue 20630.
TEST(NcclLogJobTorch, OtherCallsAreWhatWasFound) {
  const auto wait = [](int rank, const char* operation) {
    return cat(
        "[rank", rank, "]:[E ProcessGroupNCCL.cpp:563] [Rank ", rank,
        "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4084, OpType=", operation,
        ", NumelIn=48, NumelOut=48, Timeout(ms)=600000) ran for 600077 "
        "milliseconds before timing out.\n");
  };
  const std::string line = "n1:301:382 [3] NCCL INFO [Service thread] Connection closed by 3\n";
  const std::string text =
      printed(Case(wait(2, "ALLREDUCE") + wait(1, "ALLREDUCE") + wait(3, "BROADCAST") + line));
  for (const char* const said :
       {"It fits what was found: at SeqNum 4084 ranks 1,2 made ALLREDUCE and rank 3 BROADCAST",
        "with NCCL's prefix (host:pid:tid) the log has lines of 1 process"})
    EXPECT_NE(text.find(said), text.npos) << text;
  EXPECT_EQ(text.find("was not found in the log."), text.npos) << text;
  // No call differs.
  const std::string alike = printed(Case(wait(2, "ALLREDUCE") + wait(1, "ALLREDUCE")));
  EXPECT_NE(alike.find("This follows from something else"), alike.npos) << alike;
  EXPECT_NE(alike.find("no line with NCCL's prefix (host:pid:tid) was read"), alike.npos);
}

/// A report of a run of DDP on four GPUs: one rank prints its call as well as how far it is.
TEST(NcclLogJobTorch, AllRanksThatBeganAWorkAreNamed) {
  std::string text;
  for (const int rank : {3, 1, 2, 0})
    text += cat("[rank", rank,
                "]:[E606 09:09:08.172519935 ProcessGroupNCCL.cpp:1987] [PG ID 0 PG "
                "GUID 0(default_pg) Rank ",
                rank,
                "] Received a dump signal due to a collective "
                "timeout from this local rank and we will try our best to dump the debug info. "
                "Last enqueued NCCL work: 1, last completed NCCL work: -1.This is\n");
  text +=
      "[rank1]:[E606 09:10:08.172519935 ProcessGroupNCCL.cpp:688] [Rank 1] Watchdog caught "
      "collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLGATHER, NumelIn=1, "
      "NumelOut=4, Timeout(ms)=600000) ran for 600077 milliseconds before timing out.\n";
  const std::string said = printed(Case(text));
  EXPECT_NE(said.find("ranks 0-3 began work 1"), said.npos) << said;
}

TEST(NcclLogJobTorch, WhatEndedTheJobFromOutside) {
  const std::string closed =
      "n0:10:2 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer "
      "n1<42830>\n";
  const std::string limit =
      "slurmstepd: error: *** JOB 494583 ON n0 CANCELLED AT 2024-04-20T09:09:37 DUE TO TIME LIMIT "
      "***\n";
  EXPECT_EQ(Case(limit + closed).first(), "slurm-time-limit");
  // What was wrong before is not the time limit's doing.
  EXPECT_EQ(Case(closed + limit).first(), "peer-closed");
  const auto after = [&](const std::string& line) { return Case(closed + line + "\n").first(); };
  EXPECT_EQ(after("ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) "
                  "local_rank: 3 (pid: 812917) of binary: /usr/bin/python"),
            "killed");  // hpcaitech/ColossalAI issue 3514
  EXPECT_EQ(after("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0"),
            "out-of-memory");
  EXPECT_EQ(after("[  12.3] Out of memory: Killed process 812917 (python) total-vm:1kB"),
            "out-of-memory");
  EXPECT_EQ(after("NVRM: Xid (PCI:0000:44:00): 79, pid=7, GPU has fallen off the bus."),
            "gpu-lost");
  EXPECT_EQ(after("NVRM: Xid (PCI:0000:44:00): 45, pid=7, Ch 00000001"), "peer-closed");
  // The launcher ends the others where one failed: that is not from outside.
  EXPECT_EQ(
      after("W1212 03:27:32.718000 4609 torch/distributed/elastic/multiprocessing/api.py:891] "
            "Sending process 4675 closing signal SIGTERM"),
      "peer-closed");
  EXPECT_EQ(Case("torch.distributed.elastic.multiprocessing.api.SignalException: Process 12 got "
                 "signal: 15\n" +
                 closed)
                .first(),
            "terminated");
}

/// torch/distributed/elastic/multiprocessing/errors: what failed first stands last.
std::string torchrun_summary(const std::string& others, const std::string& root) {
  return cat("train.py FAILED\n------------\nFailures:\n", others,
             "------------\nRoot Cause (first observed failure):\n[0]:\n", root, "============\n");
}

std::string torchrun_failure(std::uint32_t rank, int code, const std::string& traceback) {
  return cat("  time      : 2026-09-07_13:02:58\n  host      : n0\n  rank      : ", rank,
             " (local_rank: ", rank, ")\n  exitcode  : ", code,
             " (pid: 14692)\n  error_file: <N/A>\n  traceback : ", traceback, "\n");
}

TEST(NcclLogJobTorch, WhomTorchrunKillsIsNoCause) {
  const std::string killed = torchrun_failure(0, -9, "Signal 9 (SIGKILL) received by PID 14689");
  const std::string failed = torchrun_failure(1, 1, "To enable traceback see: https://x");
  // vllm-project/speculators issue 1115.
  EXPECT_EQ(Case(torchrun_summary("[1]:\n" + killed, failed)).first(), "rank-failed");
  EXPECT_EQ(Case(torchrun_summary("  <NO_OTHER_FAILURES>\n", killed)).first(), "killed");
  EXPECT_EQ(Case(torchrun_summary("[1]:\n" + failed, killed) +
                 torchrun_summary("[1]:\n" + killed, failed))
                .first(),
            "killed");
  // The error of NCCL before comes first.
  EXPECT_EQ(Case("n0:1:2 [0] x.cc:1 NCCL WARN Cuda failure 'out of memory'\n" +
                 torchrun_summary("[1]:\n" + killed, failed))
                .first(),
            "cuda-oom");
}

TEST(NcclLogJobTorch, AProcessThatFailedByItself) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  EXPECT_EQ(first("ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) "
                  "local_rank: 0 (pid: 12) of binary: /usr/bin/python"),
            "rank-failed");
  EXPECT_EQ(first("srun: error: n7: task 3: Exited with exit code 1"), "rank-failed");
  EXPECT_EQ(first("[2024-01-03 10:28:15,104] [ERROR] [launch.py:321:sigkill_handler] "
                  "['/usr/bin/python3', 'train.py'] exits with return code = 1"),
            "rank-failed");
  // deepspeedai/DeepSpeed issue 4890.
  EXPECT_EQ(first("[2024-01-03 10:28:15,104] [ERROR] [launch.py:321:sigkill_handler] "
                  "['/usr/bin/python3', 'train.py'] exits with return code = -9"),
            "killed");
  EXPECT_EQ(first("[n7:186363] Signal: Aborted (6)"), "aborted");  // NVIDIA/nccl issue 1611
}

TEST(NcclLogJobTorch, ErrorsOfCudaThatOthersSay) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  // vllm-project/vllm issue 4108, pytorch/pytorch issue 152780.
  EXPECT_EQ(first("[E ProcessGroupNCCL.cpp:916] [Rank 0] NCCL watchdog thread terminated with "
                  "exception: CUDA error: an illegal memory access was encountered"),
            "cuda-program-kernel");
  EXPECT_EQ(first("  what():  CUDA error: an illegal memory access was encountered"),
            "cuda-program-kernel");
  // pytorch/pytorch issue 113128; NVIDIA/semantic-segmentation issue 33.
  for (const char* const line :
       {"[rank12]:[E817 ProcessGroupNCCL.cpp:1515] [PG 0 Rank 12] Process group watchdog thread "
        "terminated with exception: CUDA error: uncorrectable ECC error encountered",
        "RuntimeError: cuda runtime error (39) : uncorrectable ECC error encountered at "
        "/x.cpp:265"})
    EXPECT_EQ(first(line), "cuda-program-ecc");
  // TideDra/lmm-r1 issue 43, deepseek-ai/DeepEP issue 143.
  EXPECT_EQ(first("RuntimeError: CUDA Error: out of memory at /w/cumem_allocator.cpp:62"),
            "program-gpu-memory");
  EXPECT_EQ(first("  what():  Failed: CUDA error /w/deep_ep.cpp:89 'an illegal memory access was "
                  "encountered'"),
            "cuda-program-kernel");
  // horovod/horovod issue 1651.
  EXPECT_EQ(first("tensorflow.python.framework.errors_impl.UnknownError:  ncclCommInitRank failed: "
                  "unhandled system error"),
            "nccl-system-error");
  EXPECT_EQ(first("horovod.common.exceptions.HorovodInternalError: ncclAllReduce failed: unhandled "
                  "cuda error"),
            "nccl-cuda-error");
  // openxla/xla pull 7201.
  const std::string xla =
      "NCCL operation ncclCommInitRank(&comm, nranks, id, rank) failed: unhandled cuda error (run "
      "with NCCL_DEBUG=INFO for details). Last NCCL warning(error) log entry (may be unrelated) '";
  EXPECT_EQ(first(xla + "Cuda failure 2 'out of memory''.; current tracing scope: x"), "cuda-oom");
  EXPECT_EQ(first(xla + "Missing \"iommu=pt\" from kernel command line'."), "nccl-cuda-error");
  EXPECT_EQ(first(xla), "nccl-cuda-error");
  // om-ai-lab/VLM-R1 issue 257: a line that a terminal cut.
  EXPECT_EQ(
      first("0(default_pg) Rank 6] Terminating the process after attempting to dump debug info, "
            "due to ProcessGroupNCCL"),
      "watchdog-stuck");
  // leptonai/gpud pull 1209: without a number.
  EXPECT_EQ(Case("NVRM: The NVIDIA GPU 0000:b3:00.0\n  NVRM: (PCI ID: 10de:26b5) installed in this "
                 "system has\n  NVRM: fallen off the bus and is not responding to commands.\n")
                .first(),
            "gpu-lost");
  // pytorch/pytorch issue 58155.
  EXPECT_EQ(first("RuntimeError: CUDA error: uncorrectable NVLink error detected during the "
                  "execution"),
            "cuda-program-nvlink");
  EXPECT_EQ(first("RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running "
                  "collective: CollectiveFingerPrint(SequenceNumber=7, OpType=ALLREDUCE)"),
            "torch-calls-differ");
}

/// The exception that ends a traceback of Python, with `front` before each line.
std::string traceback(const std::string& front, const std::string& exception) {
  return cat(front, "Traceback (most recent call last):\n", front,
             "  File \"/app/train.py\", line 352, in <module>\n", front, "    main(args)\n", front,
             exception, "\n");
}

std::string text_of_first(const Case& one) {
  return one.verdict.first ? one.log.events[*one.verdict.first].text : "";
}

TEST(NcclLogJobTorch, TheExceptionOfATraceback) {
  const std::string failed =
      "E0525 14:43:32.923000 101 torch/distributed/elastic/multiprocessing/api.py:882] failed "
      "(exitcode: 1) local_rank: 1 (pid: 101714) of binary: /usr/bin/python3\n";
  for (const char* const front :
       {"", "[rank3]: ", "(Worker rank=3 pid=406) ERROR 07-23 19:34:51 [executor.py:487] "})
    for (const std::size_t piece : {1U, 7U, 1000U}) {
      const Case one(traceback(front, "ValueError: head_dim (96) must be 64") + failed, piece);
      EXPECT_EQ(one.first(), "program-exception") << front;
      EXPECT_EQ(text_of_first(one), "ValueError: head_dim (96) must be 64") << front;
      EXPECT_EQ(one.log.events[*one.verdict.first].line, 4U) << front << piece;
    }
  // sgl-project/sglang issue 4503: what stands in front of the first line stands there alone.
  EXPECT_EQ(Case(traceback("", "ValueError: TP rank 1 could finish the model loading")
                     .insert(0, "[2025-03-17 17:15:55 TP1] Scheduler hit an exception: "))
                .first(),
            "program-exception");
  // Two ranks write between each other.
  const Case two(
      "[rank0]: Traceback (most recent call last):\n[rank1]: Traceback (most recent call last):\n"
      "[rank0]:   File \"a.py\"\n[rank1]:   File \"a.py\"\n[rank1]: KeyError: 'x'\n[rank0]: "
      "AssertionError\n");
  EXPECT_EQ(text_of_first(two), "KeyError: 'x'");
  EXPECT_EQ(two.verdict.events.size(), 2U);
  EXPECT_EQ(
      text_of_first(Case(traceback("", "torch._dynamo.exc.BackendCompilerFailed: x raised:"))),
      "torch._dynamo.exc.BackendCompilerFailed: x raised:");
  EXPECT_EQ(Case(traceback("", "Failed: x")).first(), "none");
  // docker's json-file.
  std::string json;
  const std::string lines = traceback("", "OSError: [Errno 28] No space left on device");
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    json += "{\"log\":\"";
    for (const char c : line) json += c == '"' ? std::string("\\\"") : std::string(1, c);
    json += "\\n\",\"stream\":\"stderr\",\"time\":\"2026\"}\n";
  }
  EXPECT_EQ(text_of_first(Case(json)), "OSError: [Errno 28] No space left on device");
}

/// mlcommons/training_results_v4.0: a job of eight ranks that nothing tells apart.
TEST(NcclLogJobTorch, AsManyExceptionsAsTracebacksBegan) {
  const std::string begin = "Traceback (most recent call last):\n";
  const std::string raised = "RuntimeError: Could not open file /data/train.rec\n";
  const Case all(begin + begin + begin + "  File \"train.py\", line 7, in f\n" + raised +
                 "    main()\n" + raised + raised + raised);
  ASSERT_EQ(all.log.events.size(), 1U);
  EXPECT_EQ(all.log.events[0].count, 3U);
  EXPECT_EQ(all.log.events[0].line, 5U);
  // One of a launcher, or an interrupt, ends its traceback, too.
  EXPECT_EQ(Case(begin + "KeyboardInterrupt\n" + raised).first(), "interrupted");
  const Case launcher(begin + "ChildFailedError: \n" + raised);
  EXPECT_EQ(launcher.first(), "none");
}

/// Somebody copied the end of one.
TEST(NcclLogJobTorch, AFileMayBeginWithinATraceback) {
  const std::string raised = "RuntimeError: mat1 and mat2 must have the same dtype\n";
  const std::string frame = "  File \"train.py\", line 7, in f\n";
  for (const std::string& front :
       {frame + "    main(args)\n", std::string("    main(args)\n"), "[rank3]: x\n" + frame})
    for (const std::size_t piece : {1U, 1000U}) {
      const Case one(front + raised, piece);
      EXPECT_EQ(text_of_first(one), "RuntimeError: mat1 and mat2 must have the same dtype");
      EXPECT_EQ(one.verdict.events.size(), 1U);
    }
  for (const char* const other : {"starting\n", "config:\n    lr: 1\n"})
    EXPECT_EQ(Case(other + raised).first(), "none") << other;
  EXPECT_EQ(Case(frame + std::string(300, '\n') + raised).first(), "none");
}

TEST(NcclLogJobTorch, ExceptionsThatSayNothingOfTheCause) {
  const auto first = [](const std::string& exception) {
    return Case(traceback("", exception)).first();
  };
  for (const char* const exception :
       {"torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "subprocess.CalledProcessError: Command '['python']' failed",
        "ray.exceptions.RayTaskError(ValueError): ray::Worker.run()",
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        "Exception: ", "Step: 12 Error", "INFO: no Error"})
    EXPECT_EQ(first(exception), "none") << exception;
  EXPECT_EQ(first("KeyboardInterrupt"), "interrupted");
  // Of vLLM: it says that there is one.
  EXPECT_EQ(first("RuntimeError: Engine core initialization failed. See root cause above."),
            "python-server-failed");
  // Those of a cause that is known.
  EXPECT_EQ(first("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB."),
            "program-gpu-memory");
  EXPECT_EQ(first("RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO)"),
            "nccl-cuda-error");
  EXPECT_EQ(Case("Exception ignored in: <function Pool.__del__ at 0x7f>\n" +
                 traceback("", "TypeError: 'NoneType' object is not callable"))
                .first(),
            "none");
  // Without a traceback it may be anything.
  EXPECT_EQ(Case("ValueError: text\n").first(), "none");
}

TEST(NcclLogJobTorch, RanksThatAreTheSameInTheirProcessGroups) {
  const auto late = [](const std::string& front, std::uint32_t rank) {
    return cat(front, "[E1 ProcessGroupNCCL.cpp:1] [Rank ", rank,
               "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
               "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600040 "
               "milliseconds before timing out.\n");
  };
  // PyTorch says the same of each of them with and without the rank in front.
  const auto all_errors = [&](std::uint32_t in_group) {
    const std::string text =
        late("[rank1]:", 1) + late("", 1) + late("[rank4]:", in_group) + late("", in_group);
    const std::string shown = printed(Case(text));
    return shown.substr(shown.find("watchdog: "));
  };
  EXPECT_TRUE(all_errors(4).starts_with("watchdog: 4 lines, ranks 1,4\n")) << all_errors(4);
  EXPECT_TRUE(
      all_errors(0).starts_with("watchdog: 4 lines, ranks 1,4, ranks 0,1 of their process "
                                "groups\n"))
      << all_errors(0);
}

/// CPython Python/errors.c (PyErr_WriteUnraisable); a log of PyTorch's profiler in which all ranks
/// printed such a traceback last.
TEST(NcclLogJobTorch, WhatPythonIgnoredAboveALauncher) {
  const std::string ended =
      "[2026-01-02 03:04:05,678] torch.distributed.elastic.multiprocessing.api: [ERROR] failed "
      "(exitcode: 1) local_rank: 0 (pid: 77) of binary: /usr/bin/python3\n";
  const std::string raised = traceback("", "TypeError: 'NoneType' object is not callable");
  for (const char* const ignored : {"Exception ignored in: <function Observer.__del__ at 0x7f>\n",
                                    "Exception ignored while calling deallocator <f at 0x7f>:\n"}) {
    EXPECT_EQ(Case(ignored + raised + ended).first(), "rank-failed");
    // The exception directly above the launcher's line is another one.
    EXPECT_EQ(Case(ignored + raised + "ValueError: text\n" + ended).first(), "program-exception");
  }
  EXPECT_EQ(Case(raised + ended).first(), "program-exception");
}

/// pytorch/pytorch c10/util/Exception.h (TORCH_INTERNAL_ASSERT).
TEST(NcclLogJobTorch, ACheckInsidePyTorch) {
  const std::string failed =
      "stack.size() INTERNAL ASSERT FAILED at \"../torch/csrc/autograd/profiler_python.cpp\":964, "
      "please report a bug to PyTorch. Python replay stack is empty.";
  const std::string ended =
      "[ERROR] failed (exitcode: 1) local_rank: 0 (pid: 77) of binary: /usr/bin/python3\n";
  const Case caught(cat("[n1] Rank 7, Local Rank 3, ", failed, "\n", ended));
  EXPECT_EQ(caught.first(), "torch-internal-assert");
  // At the end of a traceback it is one event as well.
  const Case raised(traceback("[rank0]: ", cat("RuntimeError: ", failed)) + ended);
  EXPECT_EQ(raised.first(), "torch-internal-assert");
  EXPECT_EQ(raised.log.events[*raised.verdict.first].count, 1U);
  EXPECT_EQ(raised.verdict.events.size(), 2U);
  // What came before is the cause.
  EXPECT_EQ(Case(timeout(1, 9, "ALLREDUCE", front_of(1)) + failed + "\n").first(), "watchdog");
}

/// pytorch/pytorch torch/distributed/elastic/rendezvous: the nodes that are left lose the one that
/// held it.
TEST(NcclLogJobTorch, ARendezvousThatIsLostAfterARank) {
  const std::string ended =
      "[ERROR] failed (exitcode: -6) local_rank: 1 (pid: 77) of binary: /usr/bin/python3\n";
  const std::string api = "torch.distributed.elastic.rendezvous.api.Rendezvous";
  const std::string raised = traceback("[rank0]: ", "ValueError: text");
  for (const std::string& lost :
       {api + "ConnectionError: The connection to the C10d store has failed.\n",
        api + "ClosedError\n", api + "TimeoutError\n"}) {
    EXPECT_EQ(Case(ended + lost).first(), "aborted") << lost;
    EXPECT_EQ(Case(raised + lost).first(), "program-exception") << lost;
    EXPECT_EQ(Case(timeout(1, 9, "BROADCAST", front_of(1)) + ended + lost).first(), "watchdog");
    EXPECT_TRUE(Case(lost + ended).first().starts_with("torch-rendezvous")) << lost;
    EXPECT_TRUE(Case(lost).first().starts_with("torch-rendezvous")) << lost;
  }
}

/// What bash prints of a child that a signal ended (jobs.c), in a log of eight ranks of which three
/// then timed out.
TEST(NcclLogJobTorch, AShellThatReportsSigterm) {
  const std::string step = "Epoch: 10 [   200/   1000], loss: 2.5\n";
  const std::string late = timeout(0, 9, "ALLREDUCE", front_of(0));
  for (const char* const line :
       {"Terminated\n", "Terminated              python train.py --lr 1\n",
        "[1]+  Terminated              torchrun train.py\n",
        "./run.sh: line 7: 4242 Terminated              mpirun -n 8 ./a\n"}) {
    const Case one(step + line + late);
    EXPECT_EQ(one.first(), "shell-terminated") << line;
    EXPECT_EQ(one.log.events[*one.verdict.first].line, 2U);
    // A script may have ended a helper of its own.
    EXPECT_EQ(Case(line + step + step + step + late).first(), "watchdog") << line;
    EXPECT_EQ(Case(line + step).first(), "none") << line;
    EXPECT_EQ(Case(late + line + late).first(), "watchdog") << line;
  }
  for (const char* const line :
       {"Terminated by the user\n", "[1]+  Terminated              tail -f log\n",
        "INFO state: Terminated  python\n"})
    EXPECT_EQ(Case(line + late).first(), "watchdog") << line;
}

TEST(NcclLogJobTorch, AnExceptionCountsWhereItCameFirst) {
  const std::string raised = traceback("[rank0]: ", "ValueError: text");
  const std::string closed =
      "n0:10:2 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer "
      "n1<42830>\n";
  const std::string retried =
      "n0:10:2 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer n1<1> with "
      "status=12 opcode=0 len=0 vendor err 129 (Send)\n";
  const std::string complete =
      "n0:10:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n";
  EXPECT_EQ(Case(raised + closed).first(), "program-exception");
  EXPECT_EQ(Case(closed + raised).first(), "peer-closed");
  EXPECT_EQ(Case(raised + retried).first(), "program-exception");
  EXPECT_EQ(Case(retried + raised).first(), "ib-retry-exceeded");
  EXPECT_EQ(Case(raised + timeout(1, 9, "ALLREDUCE", front_of(1))).first(), "program-exception");
  EXPECT_EQ(Case(timeout(1, 9, "ALLREDUCE", front_of(1)) + raised).first(), "watchdog");
  // Killed for want of memory: that is the cause wherever it stands.
  EXPECT_EQ(
      Case(raised + "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0\n").first(),
      "out-of-memory");
  // Where ranks made a communicator after it, somebody caught it.
  EXPECT_EQ(Case(raised + complete).first(), "none");
  EXPECT_EQ(Case(complete + raised).first(), "program-exception");
  EXPECT_EQ(Case(raised + complete + raised).first(), "program-exception");
  // A call to NCCL that failed before is why.
  EXPECT_EQ(Case("[rank0]: RuntimeError: NCCL error: unhandled system error\n" + raised).first(),
            "nccl-system-error");
}

/// pytorch/pytorch issue 128680, sgl-project/sglang issue 20859; pytorch/gloo gloo/transport/tcp.
TEST(NcclLogJobTorch, LinesOfTheStoreAndOfGloo) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  for (const char* const line :
       {"[rank8]:[W318 10:00:41.929 ProcessGroupNCCL.cpp:1771] [PG ID 0 PG GUID 0 Rank 8] Failed "
        "to "
        "check the \"should dump\" flag on TCPStore, (maybe TCPStore server has shut down too "
        "early), with error: Connection reset by peer",
        "[rank1]:[E614 11:14:03.086 ProcessGroupNCCL.cpp:1319] [PG 0 Rank 1] Failed to get "
        "exception "
        "dump flag from the global store.Connection reset by peer",
        "[W522 11:47:46.952 TCPStore.cpp:106] [c10d] sendBytes failed on SocketImpl(fd=77, "
        "addr=[::ffff:127.0.0.1]:39732): Broken pipe",
        "[rank12]:[W318 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=135, "
        "addr=[n1]:48750): Connection reset by peer",
        "torch.distributed.DistNetworkError: failed to recv, got 0 bytes"})
    EXPECT_EQ(first(line), "torch-store-gone") << line;
  // huggingface/accelerate issue 2246.
  for (const char* const line :
       {"[E socket.cpp:472] [c10d] The server socket has failed to listen on any local network "
        "address.",
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
        "network address. port: 2333, useIpv6: false, code: -98, name: EADDRINUSE, message: "
        "address "
        "already in use",
        "RuntimeError: Address already in use"})
    EXPECT_EQ(first(line), "torch-port") << line;
  EXPECT_EQ(first("[W304 socket.cpp:767] [c10d] The client socket cannot be initialized to connect "
                  "to [n1]:29500 (errno: 97 - Address family not supported by protocol)."),
            "none");
  // pytorch/pytorch issue 76287.
  const std::string node =
      "WARNING:torch.distributed.elastic.rendezvous.dynamic_rendezvous:The node 'n1_187281_0' has "
      "failed to ";
  const std::string type =
      " the rendezvous 'none' due to an error of type RendezvousConnectionError.";
  EXPECT_EQ(first(node + "send a keep-alive heartbeat to" + type), "torch-rendezvous-lost");
  EXPECT_EQ(first(node + "shutdown" + type), "torch-rendezvous-end");
  const std::string api = "torch.distributed.elastic.rendezvous.api.Rendezvous";
  EXPECT_EQ(first(api + "ClosedError"), "torch-rendezvous-lost");
  EXPECT_EQ(first(api + "TimeoutError"), "torch-rendezvous-wait");
  EXPECT_EQ(first(api + "ConnectionError: The connection to the C10d store has failed."),
            "torch-rendezvous");
  // dask/dask issue 10091.
  EXPECT_EQ(first("XGBoostError: Check failed: n_uniques == world (1 vs. 2) : Multiple processes "
                  "within communication group running on same CUDA device is not supported."),
            "program-duplicate-gpu");
  const std::string gloo = "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/";
  EXPECT_EQ(first(gloo + "pair.cc:534] Connection closed by peer [10.64.77.53]:34971"),
            "gloo-closed");
  EXPECT_EQ(first(gloo + "unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to "
                         "complete"),
            "gloo-wait");
  EXPECT_EQ(first("RuntimeError: Application timeout caused pair closure"), "gloo-wait");
  EXPECT_EQ(first(gloo + "pair.cc:799] connect [127.0.1.1]:3521: Connection refused"),
            "gloo-connect");
}

/// pytorch/gloo, torch/csrc/distributed/c10d/socket.cpp; user guides and documents in which a
/// terminal broke the lines.
TEST(NcclLogJobTorch, LinesThatSomebodyBroke) {
  const std::string slurm =
      "slurmstepd: error: *** JOB 31580279 ON anode150 CANCELLED AT\n        2020-07-29T18:45:16 "
      "DUE "
      "TO NODE FAILURE,\n        SEE SLURMCTLD LOG FOR DETAILS ***\n";
  EXPECT_EQ(Case(slurm).first(), "slurm-node-failure");
  EXPECT_EQ(Case("slurmstepd: error: *** STEP 24928305.interactive ON nc10433\n    CANCELLED AT "
                 "2024-01-27T23:38:18 DUE TO TIME LIMIT ***\n")
                .first(),
            "slurm-step-time-limit");
  // Why it ended is not known where the line is cut.
  EXPECT_EQ(Case(slurm.substr(0, slurm.find('\n') + 1) + "other text\n").first(), "slurm-ended");
  EXPECT_EQ(
      Case("slurmstepd: error: *** JOB 3 ON n1 CANCELLED AT 2020-07-29T18:45:16 ***\n").first(),
      "slurm-cancelled");
  const std::string gloo =
      "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:538]";
  const Case reset(gloo + " \nRead error [10.32.80.130]:60313: Connection reset by peer\nnext\n");
  EXPECT_EQ(reset.first(), "gloo-closed");
  EXPECT_EQ(reset.log.events[*reset.verdict.first].line, 1U);
  EXPECT_EQ(Case(gloo + "\nConnection closed by peer [127.0.0.1]:58054\n").first(), "gloo-closed");
  EXPECT_EQ(Case(gloo + "\nRuntimeError: CUDA error: out of memory\n").first(),
            "program-gpu-memory");
  EXPECT_EQ(Case("torch.distributed.DistNetworkError: The client socket has timed out after "
                 "600000ms\nwhile trying to connect to (10.10.12.11, 25000).\n")
                .first(),
            "torch-rendezvous");
  EXPECT_EQ(Case("The client socket has timed out after 600000ms\nstep 3\n").first(), "none");
}

/// pytorch/gloo gloo/transport/tcp/pair.cc and device.cc, gloo/rendezvous; ProcessGroupGloo.cpp.
TEST(NcclLogJobTorch, OtherLinesOfGloo) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  const std::string check =
      "what():  [enforce fail at /pytorch/third_party/gloo/gloo/transport/tcp/";
  EXPECT_EQ(Case("terminate called after throwing an instance of 'gloo::EnforceNotMet'\n" + check +
                 "pair.cc:456]\n  op.preamble.length <= op.nbytes. 6232 vs 4\n")
                .first(),
            "gloo-sizes");
  EXPECT_EQ(first(check + "pair.cc:456] op.preamble.length <= op.nbytes. 6232 vs 4"), "gloo-sizes");
  EXPECT_EQ(first(check + "device.cc:83] ifa != nullptr. Unable to find address for: eth0"),
            "gloo-address");
  EXPECT_EQ(first(check + "pair.cc:1] x == y. 1 vs 2"), "gloo-check");
  EXPECT_EQ(first("RuntimeError: [gloo/transport/tcp/pair.cc:598] Read timeout [10.0.0.1]:1"),
            "gloo-wait");
  EXPECT_EQ(
      first("RuntimeError: [gloo/rendezvous/file_store.cc:1] Wait timeout for key(s): rank_3"),
      "gloo-store");
  EXPECT_EQ(first("[Rank 0]: Rank 1 failed to pass monitoredBarrier in 1800000 ms"),
            "torch-monitored-barrier");
  EXPECT_EQ(first("RuntimeError: use_libuv was requested but PyTorch was build without libuv"),
            "torch-no-libuv");
  EXPECT_EQ(first("[W socket.cpp:601] [c10d] The client socket has failed to connect to [n1]:29500 "
                  "(errno: 110 - Connection timed out)."),
            "torch-rendezvous");
  EXPECT_EQ(first("[W socket.cpp:601] [c10d] The client socket has failed to connect to [n1]:29500 "
                  "(errno: 97 - Address family not supported by protocol)."),
            "none");
  EXPECT_EQ(
      first("[W socket.cpp:601] [c10d] The IPv6 network addresses of (master-0, 23456) cannot "
            "be retrieved (gai error: -2 - Name or service not known)."),
      "none");
}

/// A report of a job at NERSC; the traceback above may be cut.
TEST(NcclLogJobTorch, TheExceptionBeforeALaunchersLine) {
  const std::string raised =
      "FileExistsError: [Errno 17] File exists:\n'/pscratch/sd/j/x/S043'\n\n";
  const std::string exited = "srun: error: nid008637: task 3: Exited with exit code 1\n";
  const Case one(raised + exited);
  EXPECT_EQ(one.first(), "program-exception");
  EXPECT_EQ(one.log.events[*one.verdict.first].line, 1U);
  EXPECT_EQ(Case("[rank1]: ValueError: bad\n" + exited).first(), "program-exception");
  EXPECT_EQ(
      Case("[rank1]: ValueError: bad\nW0611 api.py:897] Sending process 1 closing signal "
           "SIGTERM\nE0611 api.py:914] failed (exitcode: 1) local_rank: 0 (pid: 2) of binary: x\n")
          .first(),
      "program-exception");
  for (const char* const other : {"ConnectionResetError: [Errno 104] Connection reset by peer\n",
                                  "a line\n", "ValueError: caught long before\n1\n2\n3\n4\n"})
    EXPECT_EQ(Case(other + exited).first(), "rank-failed") << other;
  EXPECT_EQ(Case(raised).first(), "none");
}

/// The watchdog's last words say less than who closed the connection.
TEST(NcclLogJobTorch, TheWatchdogsLastWords) {
  const std::string ends =
      "[rank1]:[E ProcessGroupNCCL.cpp:577] [Rank 1] Some NCCL operations have failed or timed "
      "out. "
      "Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on "
      "corrupted/incomplete data.\n[rank1]:[E ProcessGroupNCCL.cpp:583] [Rank 1] To avoid data "
      "inconsistency, we are taking the entire process down.\n";
  EXPECT_EQ(Case(ends).first(), "watchdog-ends");
  EXPECT_EQ(Case(ends + "ncclRemoteError: A call failed possibly due to a network error.\nLast "
                        "error:\nsocketProgress: Connection closed by remote peer n1<45074>\n"
                        "Exception raised from x\n")
                .first(),
            "peer-closed");
  EXPECT_EQ(Case("[rank0]: torch.distributed.elastic SignalException: Process 12 got signal: 1\n")
                .first(),
            "hangup");
}

TEST(NcclLogJobTorch, OtherEverydayLines) {
  const auto first = [](const std::string& line) { return Case(line + "\n").first(); };
  EXPECT_EQ(first("RuntimeError: Distributed package doesn't have NCCL built in"), "not-compiled");
  EXPECT_EQ(first("g0010: Test CUDA failure common.cu:941 'invalid device ordinal'"),
            "test-device-ordinal");  // NVIDIA/nccl-tests issue 263
  EXPECT_EQ(first("[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB."),
            "program-gpu-memory");
  for (const char* const line :
       {"[8d6bf97c:3039 :0:3095] Caught signal 7 (Bus error: nonexistent physical address)",
        "APPLICATION TERMINATED WITH THE EXIT STRING: Bus error (signal 7)",
        "=   KILLED BY SIGNAL: 7 (Bus error)",
        "  traceback : Signal 7 (SIGBUS) received by PID 3112",
        "subprocess.CalledProcessError: Command '['python']' died with <Signals.SIGBUS: 7>."})
    EXPECT_EQ(first(line), "bus-error") << line;  // msr-fiddle/pipedream issue 76, openai/mlsh 17
  EXPECT_EQ(first("APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)"),
            "crashed");
  EXPECT_EQ(first("APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)"), "killed");
  EXPECT_EQ(first("Rank 0 scheduler died (exit code: -9). If you see an OOM error"), "killed");
  EXPECT_EQ(first("x: Unknown: ncclCommInitRank failed: unhandled system error"),
            "nccl-system-error");  // horovod/horovod issue 4053
  // verl-project/verl issue 1096: the newest line first.
  EXPECT_EQ(Case("Duplicate GPU detected : rank 9 and rank 1 both on CUDA device 34000\n"
                 " Last error:\nncclInvalidUsage: This usually reflects invalid usage of NCCL "
                 "library.\nRuntimeError: NCCL error in: x.hpp:268, invalid usage\n")
                .first(),
            "program-duplicate-gpu");
  // LargeWorldModel/LWM issue 44.
  EXPECT_EQ(first("INTERNAL: nccl_utils.cc:134: NCCL operation ncclGetUniqueId(&id) failed: Unable "
                  "to load NCCL library. Last NCCL warning(error) log entry (may be unrelated) "
                  "'Unable to load NCCL library. Multi-GPU collectives will not work.'."),
            "nccl-not-loaded");
  EXPECT_EQ(first("Failed to initialize NVML: Driver/library version mismatch"), "none");
  EXPECT_EQ(first("step 12 loss 0.5 signal to noise 3"), "none");
  EXPECT_EQ(first("a connection refused somewhere in NCCL's docs"), "none");
}

/// The reader looks at a line only where NCCL or one of the marks is in it.
TEST(NcclLogJobTorch, EveryCauseOfTheJobHasAMark) {
  for (const Cause& cause : causes()) {
    if (cause.by != Cause::By::job || !cause.at.empty()) continue;
    for (const auto& texts : cause.any) {
      const std::string line = join(texts, " ");
      EXPECT_TRUE(line.find("NCCL") != std::string::npos ||
                  find_marked_line(line, 0) != std::string_view::npos)
          << cause.id << ": " << line;
    }
  }
}

TEST(NcclLogJobTorch, MarkedLinesAreFoundWhereverTheyStand) {
  const std::string line = "slurmstepd: error: Detected x";
  for (std::size_t before = 0; before < 300; before += 7)
    for (std::size_t behind : {0U, 1U, 5U, 140U}) {
      const std::string text =
          cat(std::string(before, 'a'), "\n", line, "\n", std::string(behind, 'b'), "\n");
      EXPECT_EQ(find_marked_line(text, 0), before + 1) << before << " " << behind;
    }
  EXPECT_EQ(find_marked_line(std::string(1000, 'x'), 0), std::string_view::npos);
  EXPECT_EQ(find_marked_line("", 0), std::string_view::npos);
  // The first of two, and one that ends where the text does.
  const std::string two = "a\nx slurmstepd\nb CUDA error: 1\nfailed (exitcode: ";
  EXPECT_EQ(find_marked_line(two, 0), two.find("x slurm"));
  EXPECT_EQ(find_marked_line(two, two.find("b CUDA")), two.find("b CUDA"));
  EXPECT_EQ(find_marked_line(two, two.find("failed")), two.find("failed"));
  EXPECT_EQ(find_marked_line(two.substr(0, two.size() - 1), two.find("failed")), two.npos);
}

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

/// sgl-project/sglang issue 4096: a launcher's label may be the number of a node.
TEST(NcclLogJobTorch, TheRankThatSetsUpACommunicator) {
  const std::string text =
      "torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving "
      "ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: "
      "x\n";
  const auto first = [](const std::string& all) {
    const Case one(all);
    EXPECT_TRUE(one.verdict.first);
    return one.verdict.first ? one.log.events[*one.verdict.first] : Event();
  };
  EXPECT_EQ(first("head\n0: " + text).rank, kNone);
  EXPECT_EQ(first("head\n0: " + text).group_rank, 1U);
  EXPECT_EQ(first("head\n1: " + text).rank, 1U);
  EXPECT_EQ(first("[rank5]: " + text).rank, 5U);
}

/// NCCL 2.18.1 src/transport/net_ib.cc, PyTorch 2.1 profiler_python.cpp: an exception that was
/// caught, after which ranks made other calls.
TEST(NcclLogJobTorch, AnExceptionBeforeCallsThatDoNotMatch) {
  const std::string assertion =
      "stack.size() INTERNAL ASSERT FAILED at \"../torch/csrc/x.cpp\":964, please report a bug to "
      "PyTorch. Empty.\n";
  const std::string mismatch =
      "n0:7:7 [3] transport/net_ib.cc:1081 NCCL WARN NET/IB : req 0/1 tag 3 peer 10.0.0.13<48895> "
      "collective mismatch error, local size 78848 remote size 65536\n";
  EXPECT_EQ(Case(assertion + mismatch).first(), "torch-internal-assert");
  EXPECT_EQ(Case(mismatch + assertion).first(), "call-mismatch");
}

}  // namespace
}  // namespace nettune::tools::nccl::log::job
