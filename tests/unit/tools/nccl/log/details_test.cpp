// SPDX-License-Identifier: Apache-2.0
//
// What is said of an error besides its cause: the part of its line that counts, who says it, what
// it is about. Lines in the shape of those of the issues that are named at them.
#include "tools/nccl/log/details.hpp"

#include "base/text.hpp"
#include "tools/nccl/log/job/stalls.hpp"
#include "tools/nccl/log/judge/event_details.hpp"
#include "tools/nccl/log/voice.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

std::string details_of(const Case& one) {
  if (!one.verdict.first) return "none";
  return join(judge::event_details(one.log, causes(), one.log.events[*one.verdict.first]), "; ");
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
TEST(NcclLogDetails, AQuoteHasWhatCounts) {
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

TEST(NcclLogDetails, QuotesOfEveryLength) {
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
        // What is cut ends with a mark.
        const std::string cut = quote_of(text, nullptr, 400);
        EXPECT_LE(cut.size(), 400U);
        EXPECT_EQ(cut.ends_with(" ..."), text.size() > 400) << cut;
      }
}

/// vllm-project/vllm issue 4108, kohya-ss/sd-scripts issue 1434: PyTorch up to 2.2 has no
/// "[rank0]:" in front, and its rank is that in the process group.
TEST(NcclLogDetails, TheRankInTheProcessGroup) {
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
  EXPECT_EQ(details_of(two), "rank 1 of its process group prints such a line, too");
  EXPECT_TRUE(prints(two, "2 lines, some of them of rank 1 of its process group\n"));
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
TEST(NcclLogDetails, AWatchdogsLineOverTwoLines) {
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
TEST(NcclLogDetails, NodesAndTasksOfSrun) {
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
TEST(NcclLogDetails, TheWorkerOfRayThatDied) {
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
TEST(NcclLogDetails, VariablesThatTheCauseSpeaksOf) {
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
  EXPECT_EQ(one.first(), "address-garbage");
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
TEST(NcclLogDetails, DebugIsNoVariableOfACause) {
  const Case one("n:1:1 [3] NCCL INFO NCCL_DEBUG set by environment to INFO.\nx\n" +
                 block("", "ncclSystemError", "x"));
  ASSERT_TRUE(one.verdict.first);
  for (const Event& event : one.log.events)
    for (const std::string& detail : judge::event_details(one.log, causes(), event))
      EXPECT_EQ(detail.find("NCCL_DEBUG"), std::string::npos) << detail;
}

/// InternLM/lmdeploy issue 1108.
TEST(NcclLogDetails, TheDriverWhereItIsTooOld) {
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
TEST(NcclLogDetails, HowLongAndHowFar) {
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
TEST(NcclLogDetails, RanksThatWaitForEachOtherInHorovod) {
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

/// A listing may be long: what is added last is compared, and not all with all.
TEST(NcclLogDetails, ALateTensorOfALongListing) {
  std::string list = cat(kStall, "Stalled ops:\n");
  std::string ranks = "1";
  for (int i = 2; i < 60; ++i) {
    list += cat("grad_", i, " [ready ranks: ", ranks, "]\n");
    ranks += cat(", ", i);
  }
  EXPECT_EQ(Case(list).first(), "horovod-stall");
  EXPECT_EQ(details_of(Case(list + "loss [ready ranks: 0]\n")),
            "rank 0 submitted loss and not grad_2; rank 1 submitted grad_2 and not loss");
}

/// horovod/horovod issues 134, 534 and 1012: some are ahead, and none of them lacks what others
/// have.
TEST(NcclLogDetails, RanksThatAreMerelyBehindInHorovod) {
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

/// Who says it, where NCCL's prefix is missing: vllm-project/vllm issue 17170, horovod/horovod
/// issue 2365, baidu-research/DeepBench issue 97, torchrun's own words.
TEST(NcclLogDetails, WhoSaysALineWithoutAPrefix) {
  const std::string front = "ERROR 04-25 [multiproc_worker_utils.py:238] RuntimeError: ";
  const Case workers(cat("(VllmWorkerProcess pid=204) ", front,
                         "NCCL error: unhandled cuda error\n", "(VllmWorkerProcess pid=195) ",
                         front, "NCCL error: unhandled cuda error"));
  EXPECT_TRUE(prints(workers, "  VllmWorkerProcess pid=204, log:1: (Vllm")) << printed(workers);
  EXPECT_TRUE(prints(workers, "2 lines, VllmWorkerProcess pid=195, VllmWorkerProcess pid=204\n"));
  const Case hosts("[jetson-3:29969] Signal: Aborted (6)\n[jetson-2:08669] Signal: Aborted (6)\n");
  EXPECT_TRUE(prints(hosts, "aborted: 2 lines, jetson-2:08669, jetson-3:29969\n"))
      << printed(hosts);
  const Case local(
      "E1 torch/distributed/elastic/api.py:914] failed (exitcode: -9) local_rank: 3 "
      "(pid: 3390) of binary: /usr/bin/python");
  EXPECT_TRUE(prints(local, "  local_rank 3, pid 3390, log:1: ")) << printed(local);
  EXPECT_EQ(speaker_in("traceback : Signal 6 (SIGABRT) received by PID 2385923"), "PID 2385923");
  EXPECT_EQ(speaker_in("[socket.cpp:793] [c10d] signal"), "");
  EXPECT_EQ(speaker_in("[1,25]<stderr>:[c102:70259] *** Process received signal ***"),
            "c102:70259");
  const Case some(cat("(VllmWorkerProcess pid=204) ", front, "NCCL error: unhandled cuda error\n",
                      front, "NCCL error: unhandled cuda error"));
  EXPECT_TRUE(prints(some, "2 lines, some of them of VllmWorkerProcess pid=204\n"))
      << printed(some);
  // Where nothing names it, nothing is said of a process.
  const Case nobody("RuntimeError: NCCL error: unhandled cuda error");
  EXPECT_TRUE(prints(nobody, "\n  log:1: RuntimeError")) << printed(nobody);
  EXPECT_TRUE(prints(nobody, ": 1 line\n"));
  EXPECT_FALSE(prints(nobody, "process,"));
  // dmlc/xgboost issue 5963: somebody made it bold.
  const Case bold(
      "n1:88:37 [0] include/shm.h:28 **NCCL WARN Call to posix_fallocate failed : No "
      "space left on device**");
  EXPECT_TRUE(prints(bold, "  n1:88 [0], log:1: include/shm.h:28: Call")) << printed(bold);
}

/// NVIDIA/nccl issue 1773: devices of one process of which no line says a
/// rank have lines as well.
TEST(NcclLogDetails, LinesOfHowManyRanks) {
  const std::string one =
      "n1:67:69 [3] NCCL INFO Channel 00/0 : 3[3] -> 2[2] via P2P/direct pointer\n";
  const std::string other = "n1:67:66 [0] NCCL INFO Connected all rings\n";
  EXPECT_TRUE(prints(Case(one + other), "lines of at least 1 rank, 1 process"));
  EXPECT_TRUE(prints(Case(one), "lines of 1 rank, 1 process")) << printed(Case(one));
  EXPECT_TRUE(prints(Case("n1:27:37 [3] NCCL INFO comm 0x5 rank 3 nRanks 4 nNodes 1 localRanks 4 "
                          "localRank 3 MNNVL 0\n\nn1:27:37 [3] graph/rings.cc:38 NCCL WARN Error : "
                          "ring 2 does not loop back to start (0 != 3)"),
                     "  rank 3 of 4 (n1:27) [3], log:3: graph/rings.cc:38: Error"));
}

/// A report of two GeForce RTX 5090 with NCCL 2.25.1: an INFO long before says why.
TEST(NcclLogDetails, AKernelThatNeedsTooMuchSharedMemory) {
  const std::string warning =
      "n1:47:48 [1] enqueue.cc:1500 NCCL WARN Cuda failure 1 'invalid argument'";
  const std::string info =
      "n1:47:48 [1] NCCL INFO ncclMaxSharedMem 82240 exceeds device/fn maxSharedMem 79856\n";
  const Case one(info + warning);
  EXPECT_EQ(one.first(), "cuda-shared-memory");
  EXPECT_TRUE(one.verdict.failed);
  EXPECT_TRUE(prints(one,
                     "enqueue.cc:1500: Cuda failure 1 'invalid argument'; earlier: "
                     "ncclMaxSharedMem 82240"))
      << printed(one);
  EXPECT_EQ(Case(warning).first(), "cuda-launch");
}

/// src/init.cc, hpcaitech/Open-Sora issue 386: NCCL gives up after
/// them, also where the log ends there.
TEST(NcclLogDetails, WarningsThatAreFailures) {
  EXPECT_TRUE(Case("n1:2:3 [0] init.cc:981 NCCL WARN Invalid rank requested : 2/2").verdict.failed);
  EXPECT_TRUE(
      Case("n1:2:3 [0] enqueue.cc:1 NCCL WARN Cuda failure 'out of memory'").verdict.failed);
}

/// NVIDIA/nccl issue 246: which rank is on which host.
TEST(NcclLogDetails, RanksOfTwoHosts) {
  const Case one(
      "g1:11:16 [7] NCCL INFO Ring 00 : 7 -> 8 [send] via NET/IB/0\n"
      "g0:15:18 [7] NCCL INFO Ring 00 : 15 -> 0 [send] via NET/IB/0\n");
  EXPECT_TRUE(prints(one, "  7,15   g1: 7; g0: 15  IB")) << printed(one);
}

/// NVIDIA/nccl issue 792 (2.4), issues 1698 and 969, google/nccl-fastsocket issue 4.
TEST(NcclLogDetails, TheNetworkWithoutItsAnnouncement) {
  const std::string front = "n1:12:12 [0] NCCL INFO ";
  const std::string old =
      cat(front, "NET/IB : No device found.\n", front,
          "NET/Socket : Using [0]lo:127.0.0.1<0>\nNCCL version 2.4.8+cuda10.2\n");
  const std::string none = front + "NET/Plugin : No plugin found (libnccl-net.so).\n";
  EXPECT_EQ(Case(none + old).verdict.networks, std::vector<std::string>{"Socket"});
  EXPECT_EQ(Case(old).verdict.networks, std::vector<std::string>());
  const Case failed(
      "n1:12:13 [6] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer "
      "10.0.0.5<53908> with status=12 opcode=129 len=1 vendor err 129 (Recv)\n");
  EXPECT_TRUE(prints(failed, "network: not announced; an error is of NET/IB\n")) << printed(failed);
  const std::string ofi = "n0:10:2 [0] register_mr_buffers:465 NCCL WARN NET/OFI ";
  const std::string lacks = ofi + "Unable to register memory (type = 1) for device 0. RC: 12\n";
  EXPECT_TRUE(prints(Case(lacks + "n0:10:2 [0] NCCL INFO transport/net.cc:718 -> 2\n"),
                     "network: not announced; an error is of NET/OFI (libfabric)\n"));
  EXPECT_TRUE(prints(Case(lacks), "network: unknown\n"));
  EXPECT_TRUE(prints(Case(ofi + "Only EFA provider is supported\n"), "network: unknown\n"));
  EXPECT_FALSE(prints(failed, "which network was chosen"));
  EXPECT_EQ(Case(front + "NET/FastSocket : Connected after 1000 retries.\n").verdict.networks,
            std::vector<std::string>{"FastSocket"});
  EXPECT_TRUE(prints(Case(front + "NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 597 mtu 3 GID 3 (0/1)\n"),
                     "network: not announced; lines about queue pairs are of NET/IB\n"));
}

/// NCCL src/transport/net.cc calls the network that was chosen (up to 2.4 by include/net.h).
TEST(NcclLogDetails, TheNetworkThatGivesAnErrorToItsCaller) {
  const auto networks = [](const std::string& text) { return Case(text).verdict.networks; };
  const auto says = [](const std::string& text, int thread = 13) {
    return cat("n1:12:", thread, " [0] NCCL INFO ", text, "\n");
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(networks(says("transport/net_socket.cc:139 -> 2") + says("transport/net.cc:290 -> 2")),
            Texts{"Socket"});
  EXPECT_EQ(networks(says("transport/net_ib.cu:628 -> 2") + says("include/net.h:30 -> 2")),
            Texts{"IB"});
  EXPECT_EQ(networks("n1:12:13 [0] transport/net_socket.cc:488 NCCL WARN NET/Socket : peer "
                     "10.0.0.5<41988> message truncated : receiving 4 bytes instead of 2\n" +
                     says("transport/net.cc:1134 -> 3")),
            Texts{"Socket"});
  // What NCCL announced says it better; other calls are of something else.
  EXPECT_EQ(networks(says("Using network Socket") + says("transport/net_ib.cc:628 -> 2") +
                     says("transport/net.cc:290 -> 2")),
            Texts{"Socket"});
  EXPECT_EQ(networks(says("transport/net_ib.cc:628 -> 2") + says("include/alloc.h:1 -> 1") +
                     says("transport/net.cc:290 -> 1")),
            Texts());
  // One that is only tried, and what another thread says.
  EXPECT_EQ(networks(says("transport/net_ib.cc:628 -> 2") + says("init.cc:30 -> 2")), Texts());
  EXPECT_EQ(networks(says("transport/net_ib.cc:628 -> 2") + says("transport/net.cc:290 -> 2", 14)),
            Texts());
}

/// pytorch/pytorch ProcessGroupWrapper.cpp: the same call, with other tensors.
TEST(NcclLogDetails, TheSameCallWithOtherTensors) {
  const auto line = [](int sequence, int size) {
    return cat(
        "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running "
        "collective: CollectiveFingerPrint(SequenceNumber=0, OpType=_ALLGATHER_BASE, "
        "TensorShape=[359, 1, 1435, 16], TensorDtypes=BFloat16), but Rank 2 is running "
        "collective: CollectiveFingerPrint(SequenceNumber=",
        sequence, ", OpType=_ALLGATHER_BASE, TensorShape=[359, 1, ", size,
        ", 16], TensorDtypes=BFloat16)");
  };
  EXPECT_EQ(Case(line(0, 1436)).first(), "torch-tensors-differ");
  EXPECT_EQ(details_of(Case(line(0, 1436))),
            "rank 1: TensorShape=[359, 1, 1435, 16]; rank 2: TensorShape=[359, 1, 1436, 16]");
  EXPECT_EQ(Case(line(1, 1436)).first(), "torch-calls-differ");
  EXPECT_EQ(Case(line(0, 1435)).first(), "torch-calls-differ");
}

/// NVIDIA/OpenSeq2Seq issue 456: the lines behind name the rank.
TEST(NcclLogDetails, RanksThatHorovodMisses) {
  const std::string stall =
      "W horovod/common/operations.cc:588] One or more tensors were submitted to be reduced, "
      "gathered or broadcasted by subset of ranks and are waiting for remainder of ranks\n";
  EXPECT_EQ(details_of(Case(stall + "Stalled ops:loss/mul_1 [missing ranks: 0, 3]\n")),
            "missing: ranks 0,3");
  EXPECT_EQ(details_of(Case(stall + "Stalled ops:loss/mul_1 [ready ranks: 0, 3]\n")), "");
}

/// NVIDIA/nccl issue 1911: what ncclras reports of a running job.
TEST(NcclLogDetails, AReportOfRas) {
  const std::string table =
      "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
      "    #  in group  per comm  per node  per comm  in group\n"
      "    0         1         4         8        32        32   RUNNING  MISMATCH\n";
  const std::string report =
      "#0-0 (fa93daea854b060b) MISMATCH\n"
      "  Communicator ranks have different AllGather operation counts\n"
      "  30 ranks have launched up to operation 640\n"
      "  2 ranks have launched up to operation 641\n"
      "  Rank 12 -- GPU 4 managed by process 323032 on node 10.0.0.124\n";
  const Case one(table + "\nErrors\n======\n\n" + report);
  EXPECT_EQ(one.verdict.said_ranks, 32U);
  EXPECT_TRUE(prints(one, "different AllGather operation counts; 30 ranks have launched up to "))
      << printed(one);
  EXPECT_NE(join(one.verdict.remarks, "\n").find("operation 641; Rank 12 -- GPU 4"),
            std::string::npos);
  EXPECT_EQ(one.first(), "none");
  EXPECT_EQ(Case("    0         1         4         8        32        32   RUNNING  OK\n")
                .verdict.said_ranks,
            0U);
  // NVIDIA/nccl issue 1762.
  const Case silent(
      "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
      "    #  in group  per comm  per node  per comm  in group\n"
      "    0         1         1         1         2         1   RUNNING  INCOMPLETE\n\n"
      "Errors\n======\n\nINCOMPLETE\n  Missing communicator data from 1 job process\n"
      "  Process 604 on node 10.0.0.13 managing GPU 0\n\nDEAD\n"
      "  1 job process is considered dead (unreachable via the RAS network)\n"
      "  Process 605 on node 10.0.0.13 managing GPU 1\n");
  EXPECT_EQ(silent.verdict.said_ranks, 2U);
  const std::string said = join(silent.verdict.remarks, "\n");
  for (const char* const part :
       {"NCCL's RAS: Missing communicator data from 1 job process; Process 604 on node 10.0.0.13 "
        "managing GPU 0. RAS had no answer",
        "NCCL's RAS: 1 job process is considered dead (unreachable via the RAS network); Process "
        "605 on node 10.0.0.13 managing GPU 1. RAS had no answer"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
}

/// src/ras/client_support.cc: findings below each other, with what a launcher puts in front.
TEST(NcclLogDetails, FindingsOfRas) {
  const std::string silent =
      "INCOMPLETE\n  Missing communicator data from 1 job process\n"
      "  Process 604 on node 10.0.0.13 managing GPU 0\n\n";
  const std::string ranks =
      "#0-0 (fa93daea854b060b) INCOMPLETE\n  Missing communicator data from 1 rank\n"
      "  Rank 5 -- GPU 0 managed by process 604 on node 10.0.0.13\n\n";
  const std::string error =
      "#0-0 (fa93daea854b060b) ERROR\n  Asynchronous error on 1 rank\n"
      "  Rank 3 reported ncclRemoteError -- GPU 3 managed by process 7 on node 10.0.0.1\n\n";
  const std::string behind =
      "#0-0 (fa93daea854b060b) MISMATCH\n"
      "  Communicator ranks have different AllReduce operation counts\n"
      "  6 ranks have launched up to operation 640\n  2 ranks have not launched any operations\n";
  const std::string status =
      "#0-0 (fa93daea854b060b) MISMATCH\n  Communicator ranks have different status\n"
      "  6 ranks have status RUNNING\n"
      "  Rank 3 has status ABORT -- GPU 3 managed by process 7 on node 10.0.0.1\n";
  const auto said = [](const std::string& text) { return join(Case(text).verdict.remarks, "\n"); };
  const std::string all = said(silent + ranks + ranks + ranks + error + behind);
  EXPECT_NE(all.find("managing GPU 0. RAS had no answer from there"), std::string::npos) << all;
  EXPECT_NE(all.find("operation 640; 2 ranks have not launched any operations. In a running"),
            std::string::npos)
      << all;
  EXPECT_EQ(all.find("Rank"), std::string::npos) << all;
  const std::string differ = said(status);
  EXPECT_NE(differ.find("different status; 6 ranks have status RUNNING; Rank 3 has status ABORT -- "
                        "GPU 3 managed by process 7 on node 10.0.0.1. Look at the ranks"),
            std::string::npos)
      << differ;
  const std::string both = silent + behind;
  std::string labelled;
  for (const std::string_view line : split(both, '\n')) labelled += cat("[pod/a/b] ", line, "\n");
  EXPECT_NE(said(labelled).find("from 1 job process; Process 604"), std::string::npos)
      << said(labelled);
  EXPECT_NE(said(labelled).find("counts; 6 ranks have launched"), std::string::npos)
      << said(labelled);
  std::string many;
  for (int i = 0; i < 6; ++i) many += behind;
  EXPECT_NE(said(many).find("NCCL's RAS: 2 more findings"), std::string::npos);
  std::string long_one = behind;
  for (int i = 0; i < 100; ++i) long_one += "  2 ranks have launched up to operation 9\n";
  EXPECT_LT(said(long_one).size(), 800U);
}

/// NVIDIA/nccl-tests issue 232: the heading, and the rows below it.
TEST(NcclLogDetails, ResultsOfNcclTests) {
  const std::string head =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time   algbw   busbw #wrong\n";
  const auto row = [](const char* size, const char* busbw, const char* wrong) {
    return cat("[1,0]<stdout>: ", size,
               "  524288  float  sum  -1  113.2  18.53  18.53  0  93.35  22.46  ", busbw, "  ",
               wrong, "\n");
  };
  const std::string two = row("2097152", "22.46", "0") + row("4194304", "27.37", "0");
  EXPECT_TRUE(prints(Case(head + two),
                     "busbw up to 27.37 GB/s (in place, 4194304 bytes) in 2 rows, "
                     "none with wrong values"))
      << printed(Case(head + two));
  // NVIDIA/nccl-tests issue 214: in place they are not checked.
  EXPECT_TRUE(prints(Case(head + row("8", "22.46", "N/A")),
                     "in 1 row, none with wrong values out of place\n"));
  EXPECT_FALSE(prints(Case(head + row("8", "22.46", "N/A")), "not all values"));
  EXPECT_TRUE(prints(Case("# Avg bus bandwidth    : 84.8558\n#\n"), "average busbw 84.8558 GB/s"));
  const std::string zero = "# Avg bus bandwidth    : 0\n";
  const std::string listed = "#  Rank  0 Group  0 Pid 7 on n0 device  0 [0000:1b:00] NVIDIA A100\n";
  EXPECT_TRUE(prints(Case(listed + zero), "as of any single rank"));
  EXPECT_FALSE(prints(Case(listed + "# Avg bus bandwidth    : 84.8558\n"), "single rank"));
  EXPECT_FALSE(prints(Case(zero), "single rank"));
  const std::string none = "  4  1  float  sum  -1  3.54  0.00  0.00  0  0.11  0.03  0.00  0\n";
  EXPECT_TRUE(prints(Case(listed + head + none), "busbw 0 in 1 row: a single rank uses no network"))
      << printed(Case(listed + head + none));
  EXPECT_FALSE(prints(Case(listed + head + none + two), "single rank"));
  EXPECT_FALSE(prints(Case(head + none), "single rank"));
}

/// "init.cc:1138 -> 1" without what NCCL puts in front, as people copy it.
TEST(NcclLogDetails, CallsThatFailedWithoutAPrefix) {
  const std::string warning = "transport/nvls.cc:251 NCCL WARN Cuda failure 1 'invalid argument'\n";
  EXPECT_TRUE(Case(warning + "transport/nvls.cc:401 -> 1\ninit.cc:1138 -> 1\n").verdict.failed);
  EXPECT_FALSE(Case(warning + "some text\ninit.cc:1138 -> 1\n").verdict.failed);
  EXPECT_FALSE(Case(warning).verdict.failed);
}

/// ROCm/rccl src/misc/alt_rsmi.cc: a warning of no known meaning, and no failure.
TEST(NcclLogDetails, AWarningAloneIsNoCause) {
  const Case one(
      "n1:18:81 [1] misc/alt_rsmi.cc:254 NCCL WARN Error reading link properties files\n");
  EXPECT_TRUE(prints(one, "\nWhat NCCL warns of\n")) << printed(one);
  EXPECT_FALSE(prints(one, "First cause"));
  EXPECT_TRUE(prints(one, "Nothing in the log shows that the job failed because of it."));
}

/// c10d names the address in a later line: vllm-project/vllm issue 2427. Other errors than the
/// first cause are quoted as well: vllm-project/vllm issue 427.
TEST(NcclLogDetails, TheLineThatSaysMore) {
  const std::string front = "[W socket.cpp:663] [c10d] The client socket has failed to connect to ";
  const Case one(front + "?UNKNOWN? (errno: 110 - Connection timed out).\n" + front +
                 "n7:48247 (errno: 110 - Connection timed out).\n");
  EXPECT_NE(text_of(one).find("n7:48247"), std::string::npos) << text_of(one);
  const Case two(
      "A worker died or was killed while executing a task by an unexpected system error.\n"
      "Unhandled exception: St13runtime_error. what(): NCCL Error 5: invalid usage\n");
  EXPECT_NE(text_of(two).find("NCCL Error 5: invalid usage"), std::string::npos) << text_of(two);
  EXPECT_TRUE(prints(two, "    log:1: A worker died or was killed")) << printed(two);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
