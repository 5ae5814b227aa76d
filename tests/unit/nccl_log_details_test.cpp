// SPDX-License-Identifier: Apache-2.0
//
// What is said of an error besides its cause: the part of its line that counts, who says it, what
// it is about. Lines in the shape of those of the issues that are named at them.
#include "base/text.hpp"
#include "nccl/log/event_details.hpp"
#include "nccl/log/stalls.hpp"
#include "nccl/log/voice.hpp"
#include "unit/nccl_log_fixture.hpp"

namespace nettune::nccl_log {
namespace {

std::string details_of(const Case& one) {
  if (!one.verdict.first) return "none";
  return join(event_details(one.log, causes(), one.log.events[*one.verdict.first]), "; ");
}

std::string text_of(const Case& one) {
  return one.verdict.first ? one.log.events[*one.verdict.first].text : "none";
}

bool prints(const Case& one, const std::string& text) {
  return printed(one).find(text) != std::string::npos;
}

/// The command line of a job, as launchers repeat it.
std::string arguments(int count) {
  std::string text = "['/usr/bin/python3', '-u', 'train.py'";
  for (int i = 0; i < count; ++i) text += cat(", '--option-", i, "', '", i * i, "'");
  return text + "]";
}

/// pytorch/pytorch issue 61839, microsoft/DeepSpeed issue 3160: what counts stands at the end.
TEST(NcclDetails, AQuoteHasWhatCounts) {
  const Case crashed(cat("subprocess.CalledProcessError: Command '", arguments(60),
                         "' died with <Signals.SIGSEGV: 11>."));
  EXPECT_EQ(crashed.first(), "crashed");
  EXPECT_TRUE(text_of(crashed).starts_with("subprocess.CalledProcessError: Command '['/usr/bin"));
  EXPECT_TRUE(text_of(crashed).ends_with("died with <Signals.SIGSEGV: 11>."));
  EXPECT_NE(text_of(crashed).find(" ... "), std::string::npos);
  EXPECT_LE(text_of(crashed).size(), 400U);
  const Case killed(cat("[2026-04-07 13:09:33,220] [ERROR] [launch.py:324:sigkill_handler] ",
                        arguments(60), " exits with return code = -9"));
  EXPECT_EQ(killed.first(), "killed");
  EXPECT_TRUE(text_of(killed).ends_with("exits with return code = -9"));
  // What stands at the begin is quoted from there on, and a short line whole.
  const Case front(cat("died with <Signals.SIGSEGV: 11>: ", arguments(60)));
  EXPECT_EQ(text_of(front).find(" ... "), std::string::npos);
  EXPECT_EQ(text_of(Case("Command 'a' died with <Signals.SIGSEGV: 11>.")),
            "Command 'a' died with <Signals.SIGSEGV: 11>.");
}

TEST(NcclDetails, QuotesOfEveryLength) {
  const Cause cause{
      .id = "x", .any = {{"begins", "counts"}}, .at = {}, .why = {}, .check = {}, .source = {}};
  EXPECT_EQ(quote_of("short", nullptr, 400), "short");
  for (const std::size_t before : {0U, 5U, 350U, 394U, 395U, 400U, 1000U, 5000U})
    for (const std::size_t behind : {0U, 1U, 59U, 60U, 61U, 1000U})
      for (const char filler : {'x', ' '}) {
        const std::string text = cat("it begins", std::string(before, filler), "counts",
                                     std::string(behind, filler), ".");
        const std::string quote = quote_of(text, &cause, 400);
        EXPECT_LE(quote.size(), 400U);
        EXPECT_NE(quote.find("counts"), std::string::npos) << before << " " << behind;
        EXPECT_TRUE(quote.starts_with("it begins"));
        EXPECT_EQ(quote_of(text, nullptr, 400), text.substr(0, 400));
      }
}

/// vllm-project/vllm issue 4108, kohya-ss/sd-scripts issue 1434: PyTorch up to 2.2 has no
/// "[rank0]:" in front, and its rank is that in the process group.
TEST(NcclDetails, TheRankInTheProcessGroup) {
  const std::string front =
      "[E ProcessGroupNCCL.cpp:916] [Rank 0] NCCL watchdog thread terminated ";
  const Case one(front + "with exception: CUDA error: an illegal memory access was encountered");
  EXPECT_EQ(one.first(), "cuda-program-kernel");
  EXPECT_TRUE(prints(one, "  rank 0 of its process group, log:1: [E Proc")) << printed(one);
  EXPECT_TRUE(prints(one, "cuda-program-kernel: 1 line, rank 0 of its process group\n"));
  const std::string ecc = "CUDA error: uncorrectable ECC error encountered";
  const Case two(cat("RuntimeError: ", ecc,
                     "\n[E ProcessGroupNCCL.cpp:916] [Rank 1] NCCL watchdog ",
                     "thread terminated with exception: ", ecc));
  EXPECT_EQ(details_of(two), "rank 1 of its process group says the same");
  EXPECT_TRUE(prints(two, "2 lines, an unnamed process, rank 1 of its process group"));
  // With the rank of the job in front, that one is named.
  const Case three(
      cat("[rank5]:[E1 ProcessGroupNCCL.cpp:9] [PG ID 1 PG GUID 1 Rank 1] Process group ",
          "watchdog thread terminated with exception: ", ecc));
  EXPECT_TRUE(prints(three, "  rank 5, log:1"));
  EXPECT_FALSE(prints(three, "of its process group"));
  EXPECT_EQ(rank_in_group("[PG ID 0 PG GUID 0(default_pg) Rank 12] ProcessGroupNCCL's watchdog"),
            12U);
  EXPECT_EQ(rank_in_group("0(default_pg) Rank 6] Terminating ... due to ProcessGroupNCCL"), 6U);
  EXPECT_EQ(rank_in_group("[Rank 3] step=10, skipped=0"), std::nullopt);
  EXPECT_EQ(rank_in_group("[Rank 3 ProcessGroupNCCL"), std::nullopt);
  EXPECT_EQ(rank_in_group("ProcessGroupNCCL Rank 3 watchdog MyRank 4]"), std::nullopt);
}

/// om-ai-lab/VLM-R1 issue 257: a terminal broke the lines.
TEST(NcclDetails, AWatchdogsLineOverTwoLines) {
  const std::string rank = "[rank6]:[E429 13:55:49.38 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID ";
  const Case one(cat(rank, "0(default_pg) Rank 6] ProcessGroupNCCL'\n",
                     "s watchdog got stuck for 480 seconds without making progress in\n"));
  ASSERT_EQ(one.first(), "watchdog-stuck");
  EXPECT_EQ(one.log.events[*one.verdict.first].rank, 6U);
  EXPECT_EQ(one.log.events[*one.verdict.first].line, 1U);
  EXPECT_NE(text_of(one).find("ProcessGroupNCCL's watchdog got stuck for 480"), std::string::npos);
  const Case two(cat(rank,
                     "\n0(default_pg) Rank 6] Terminating the process after attempting to dump ",
                     "debug info, due to ProcessGroupNCCL watchdog hang.\n"));
  ASSERT_EQ(two.first(), "watchdog-stuck");
  EXPECT_EQ(two.log.events[*two.verdict.first].rank, 6U);
  // Lines of others behind such a line are theirs, and a line further on is not its rest.
  const std::string other = "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n";
  const Case three(cat(rank, "0 Rank 6] some words\n", other));
  ASSERT_EQ(three.first(), "out-of-memory");
  EXPECT_EQ(three.log.events[*three.verdict.first].rank, kNone);
  EXPECT_EQ(
      Case(cat(rank, "0 Rank 6] ProcessGroupNCCL'\nx\ns watchdog got stuck for 480 s\n")).first(),
      "none");
  for (const std::size_t piece : {1U, 30U, 150U})
    EXPECT_EQ(Case(cat(rank, "0(default_pg) Rank 6] ProcessGroupNCCL'\ns watchdog got stuck for\n"),
                   piece)
                  .first(),
              "watchdog-stuck");
}

/// nextflow-io/nextflow issue 5932, and srun when a step could not be started.
TEST(NcclDetails, NodesAndTasksOfSrun) {
  const Case one(
      "slurmstepd: error: Detected 1 oom_kill event in StepId=113.0. Some of the step tasks have "
      "been OOM Killed.\nsrun: error: n7: task 0: Out Of Memory\nsrun: error: n9: tasks 2-3: Out "
      "Of "
      "Memory\n");
  EXPECT_EQ(one.first(), "out-of-memory");
  EXPECT_EQ(details_of(one), "task 0 on n7; tasks 2-3 on n9");
  // What is quoted is not said again.
  EXPECT_EQ(details_of(Case("srun: error: n7: task 0: Out Of Memory\n")), "");
  EXPECT_EQ(
      detail_of("srun: error: Task launch for StepId=96.0 failed on node n2: No such process"),
      "node n2");
  for (const char* const none :
       {"srun: error: Unable to create step", "n7: task 0: x", "srun: error: n7: task",
        "srun: error: n7: tasks: x", "srun: error: a b: task 0: x", "srun: error: n7: task 0"})
    EXPECT_EQ(detail_of(none), "") << none;
}

/// volcengine/verl issue 4921, OpenRLHF/OpenRLHF issue 621.
TEST(NcclDetails, TheWorkerOfRayThatDied) {
  const std::string died =
      "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n";
  const Case one(died +
                 "        class_name: WorkerDict\n        actor_id: 5066c2\n        pid: 87687\n"
                 "        name: x\n        namespace: b88\n        ip: 10.0.0.5\nThe actor is dead "
                 "because its worker process has died. Worker exit type: SYSTEM_ERROR\n");
  EXPECT_EQ(one.first(), "ray-worker-died");
  EXPECT_EQ(details_of(one), "worker pid 87687 on 10.0.0.5");
  EXPECT_EQ(details_of(Case(died + "\tpid: 7\n\tip: [10.0.0.5](http://10.0.0.5/)\n\n")),
            "worker pid 7 on 10.0.0.5");
  EXPECT_EQ(
      details_of(Case(died + "\tpid: 7\nThe actor is dead because its worker process has died.\n")),
      "worker pid 7");
  EXPECT_EQ(details_of(Case(died + "x\n")), "");
  EXPECT_EQ(
      details_of(Case("A worker died or was killed while executing a task by an unexpected system "
                      "error. Worker ID: ab Node ID: cd Worker IP address: 10.0.0.6 Worker port: "
                      "10003 Worker PID: 1234 Worker exit type: SYSTEM_ERROR\n")),
      "worker pid 1234 on 10.0.0.6");
}

/// NVIDIA/nccl issue 1837.
TEST(NcclDetails, VariablesThatTheCauseSpeaksOf) {
  const std::string family =
      "[trainer0]:ncclInternalError: Internal check failed.\n[trainer0]:Last error:\n"
      "[trainer0]:ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) "
      "nor "
      "AF_INET6(10)\n";
  const auto sets = [](int pid, const std::string& value) {
    return cat("n:", pid, ":1 [3] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ", value,
               "\n");
  };
  const Case one(sets(1, "eth2") + "x\n" + family);
  EXPECT_EQ(one.first(), "no-address");
  EXPECT_EQ(details_of(one), "NCCL_SOCKET_IFNAME is eth2");
  EXPECT_TRUE(prints(one, "  also in the log: NCCL_SOCKET_IFNAME is eth2\n  why: "));
  EXPECT_EQ(
      details_of(Case(sets(1, "eth2") + sets(2, "ib0") + "x\n" + family)),
      "NCCL_SOCKET_IFNAME is eth2 (1 of 2 processes says so); NCCL_SOCKET_IFNAME is ib0 (1 of 2 "
      "processes says so)");
  EXPECT_EQ(
      details_of(Case("n:1:1 [3] NCCL INFO NCCL_IB_TC set by environment to 106.\nx\n" + family)),
      "");
}

/// A check that asks for NCCL_DEBUG=INFO is not about its value.
TEST(NcclDetails, DebugIsNoVariableOfACause) {
  const Case one("n:1:1 [3] NCCL INFO NCCL_DEBUG set by environment to INFO.\nx\n" +
                 block("", "ncclSystemError", "x"));
  ASSERT_TRUE(one.verdict.first);
  for (const Event& event : one.log.events)
    for (const std::string& detail : event_details(one.log, causes(), event))
      EXPECT_EQ(detail.find("NCCL_DEBUG"), std::string::npos) << detail;
}

/// InternLM/lmdeploy issue 1108.
TEST(NcclDetails, TheDriverWhereItIsTooOld) {
  const std::string old =
      "init.cc:1582 NCCL WARN Cuda failure 'CUDA driver version is insufficient for CUDA runtime "
      "version'\n";
  const Case one("NCCL INFO cudaDriverVersion 11070\n\n" + old);
  EXPECT_EQ(one.first(), "cuda-driver-old");
  EXPECT_EQ(details_of(one), "the driver supports CUDA up to 11.7 (cudaDriverVersion 11070)");
  EXPECT_TRUE(prints(one, "CUDA of the driver: 11.7"));
  EXPECT_EQ(details_of(Case(old)), "");
  // At the end of a file a digit may be missing.
  EXPECT_EQ(read("n:1:2 [0] NCCL INFO cudaDriverVersion 1208").processes.at(0).cuda_driver, 0U);
  const Case two(
      "a:1:2 [0] NCCL INFO cudaDriverVersion 12080\nb:1:2 [0] NCCL INFO cudaDriverVersion "
      "12040\nx\n");
  ASSERT_EQ(two.verdict.differences.size(), 1U);
  EXPECT_EQ(two.verdict.differences[0].what, "CUDA of the driver");
}

std::string caught(int rank, int sequence, int milliseconds) {
  return cat("[E ProcessGroupNCCL.cpp:458] [Rank ", rank, "] Watchdog caught collective operation ",
             "timeout: WorkNCCL(SeqNum=", sequence,
             ", OpType=ALLREDUCE, Timeout(ms)=1800000) ran for ", milliseconds,
             " milliseconds before timing out.\n");
}

/// pytorch/pytorch issue 118369: the watchdog looked hours later.
TEST(NcclDetails, HowLongAndHowFar) {
  const Case late(caught(0, 96120, 25624887) + caught(0, 96117, 25625613) +
                  caught(0, 96125, 25625593) + caught(7, 64088, 25625251));
  const std::string all = join(late.verdict.waits, "\n");
  EXPECT_NE(all.find("rank 7: ALLREDUCE not finished after 25625 s (limit 1800 s), SeqNum 64088"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("rank 7 is behind: at SeqNum 64088, others up to 96125"), std::string::npos)
      << all;
  const Case usual(caught(0, 5, 1800123));
  EXPECT_NE(join(usual.verdict.waits, "\n").find("not finished after 1800 s, SeqNum 5"),
            std::string::npos);
  // What the one behind waits for as well does not count.
  const Case both(caught(0, 5, 1800123) + caught(0, 9, 1800123) + caught(1, 6, 1800123));
  EXPECT_NE(join(both.verdict.waits, "\n").find("rank 0 is behind: at SeqNum 5, others up to 6"),
            std::string::npos);
}

const char* const kStall =
    "WARNING: One or more tensors were submitted to be reduced, gathered or broadcasted by subset "
    "of "
    "ranks and are waiting for remainder of ranks for more than 60 seconds. ";

/// horovod/horovod issue 336.
TEST(NcclDetails, RanksThatWaitForEachOtherInHorovod) {
  const Case ready(cat(kStall,
                       "Stalled ops: loss_Mean_0 [ready ranks: 3], grad_1 [ready ranks: 2, 0, ",
                       "1], grad_2 [ready ranks: 2, 0, 1]"));
  EXPECT_EQ(ready.first(), "horovod-order");
  EXPECT_EQ(details_of(ready),
            "ranks 0-2 submitted grad_1 and not loss_Mean_0; rank 3 submitted loss_Mean_0 and not "
            "grad_1");
  const Case missing(cat("[1,0]<stderr>:", kStall,
                         "\n[1,0]<stderr>:Stalled ops:a [missing ranks: 1]\n",
                         "[1,0]<stderr>:b [missing ranks: 0, 2]\n"));
  EXPECT_EQ(missing.first(), "horovod-order");
  EXPECT_EQ(details_of(missing), "rank 1 submitted b and not a; ranks 0,2 submitted a and not b");
  const Case by_rank(cat("[1,0]<stderr>:", kStall, "\n[1,0]<stderr>:Missing ranks:\n",
                         "[1,0]<stderr>:0: [b, c, d, e, f, g ...]\n[1,0]<stderr>:2!: [a]\n"));
  EXPECT_EQ(by_rank.first(), "horovod-order");
  EXPECT_EQ(details_of(by_rank), "rank 2 submitted b and not a; rank 0 submitted a and not b");
}

/// horovod/horovod issues 134, 534 and 1012: some are ahead, and none of them lacks what others
/// have.
TEST(NcclDetails, RanksThatAreMerelyBehindInHorovod) {
  for (const char* const list :
       {"Stalled ops: a [ready ranks: 2], b [ready ranks: 2]",
        "Stalled ops: a [ready ranks: 2], b [ready ranks: 2, 1], c [ready ranks: 0, 1, 2]",
        "\nStalled ops:\na [missing ranks: 0]\nb [missing ranks: 0, 1]\n",
        "Stalled ops: a [ready ranks: 2], b [ready ranks: 1",  // cut
        "\nMissing ranks:\n0: [a]\n1: [a, b]\n",
        "\nMissing ranks:\n0: [a, b ...]\n1: [c, d ...]\n"})
    EXPECT_EQ(Case(cat(kStall, list)).first(), "horovod-stall") << list;
  // Two listings are not one.
  EXPECT_EQ(Case(cat(kStall, "Stalled ops: a [ready ranks: 2]\n", kStall,
                     "Stalled ops: b [ready ranks: 1]\n"))
                .first(),
            "horovod-stall");
}

}  // namespace
}  // namespace nettune::nccl_log
