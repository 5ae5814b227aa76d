// SPDX-License-Identifier: Apache-2.0
//
// Excerpts as people put them into reports: a few lines, one line, the begin of a line. Lines in
// the shape of those of the issues that are named at them.
#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

std::string first_of(const std::string& text) { return Case(text + "\n").first(); }

std::string remarks_said(const std::string& text) { return join(Case(text).verdict.remarks, "\n"); }

std::string devices_of(int process, const std::string& list) {
  return cat("a:", process, ":2 [0] NCCL INFO NET/IB : Using ", list,
             " [RO]; OOB eth0:10.0.0.1<0>\n");
}

std::string says_bootstrap(int process) {
  return cat("a:", process, ":2 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n");
}

std::string says_start(int process) {
  return cat("a:", process, ":2 [0] NCCL INFO comm 0x5 rank ", process,
             " nranks 8 cudaDev 0 commId 0x9 - Init START\n");
}

/// NVIDIA/nccl issues 1129 and 1029: one process of several says which devices it has.
TEST(NcclLogExcerpts, OneDeviceServesManyOnlyWhereAllOfThemSaySo) {
  const std::string one = "[0]mlx5_0:1/IB";
  std::string silent = devices_of(1, one);
  std::string all = devices_of(1, one);
  std::string differ = devices_of(1, one);
  for (int process = 2; process <= 4; ++process) {
    silent += says_bootstrap(process);
    all += devices_of(process, one);
    differ += devices_of(process, cat("[0]mlx5_", process, ":1/IB"));
  }
  EXPECT_NE(remarks_said(all).find("one RDMA device serves 4 processes on a"), std::string::npos);
  EXPECT_EQ(remarks_said(silent), "");
  EXPECT_EQ(remarks_said(differ), "");
  // Ranks of one communicator: what else runs there does not matter.
  const std::string ranks = says_start(1) + says_start(2) + says_start(3) + says_start(4);
  EXPECT_EQ(remarks_said(devices_of(1, one) + ranks), "");
  EXPECT_NE(
      remarks_said(all + ranks + says_bootstrap(5)).find("one RDMA device serves 4 GPUs on a"),
      std::string::npos);
}

/// pytorch/pytorch issue 38702, Oneflow-Inc/oneflow issue 3586.
TEST(NcclLogExcerpts, TheBeginOfAMessageSaysLessThanWhatWasTriedAgain) {
  const std::string refused =
      "w:1:2 [0] NCCL INFO Call to connect returned Connection refused, retrying\n";
  for (const char* const cut : {"Connect to", "Connect to f", "Net : Conn"}) {
    const Log log = read(refused + "\nw:1:2 [0] include/socket.h:403 NCCL WARN " + cut + "\n");
    const judge::Verdict verdict = judge::judge(log, causes());
    ASSERT_TRUE(verdict.first) << cut;
    EXPECT_TRUE(log.events[*verdict.first].retried) << cut;
  }
  // Alone, or with a line behind it, it is what there is.
  const Log alone = read("w:1:2 [0] include/socket.h:403 NCCL WARN Connect to\n");
  const judge::Verdict verdict = judge::judge(alone, causes());
  ASSERT_TRUE(verdict.first);
  EXPECT_TRUE(alone.events[*verdict.first].cut);
  const Case whole(refused + "w:1:2 [0] x.cc:1 NCCL WARN New words\nw:1:2 [0] NCCL INFO x\n");
  EXPECT_EQ(whole.first(), "uncatalogued");
  const Log longer = read(refused + "w:1:2 [0] x.cc:1 NCCL WARN Many words that nobody knows\n");
  EXPECT_FALSE(longer.events.back().cut);
}

/// tatsu-lab/stanford_alpaca issue 207, deepseek-ai/DeepEP issue 106.
TEST(NcclLogExcerpts, AnErrorBlockOnOneLine) {
  const std::string front =
      "what(): NCCL error: remote process exited or there was a network error, NCCL version 2.14.3 "
      "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting "
      "prematurely. Last error: ";
  const std::string completion = "NET/IB : Got completion from peer 10.0.0.2<39138> with error ";
  EXPECT_EQ(first_of(front + completion + "12, opcode 0, len 0, vendor err 129"),
            "ib-retry-exceeded");
  const Case flushed(front + "   " + completion +
                     "5, opcode 48, len 32710, vendor err 249     Exception raised from "
                     "checkForNCCLErrorsInternal at ../x.cpp:1736 (most recent call first):  frame "
                     "#0: c10::Error::Error\n");
  EXPECT_EQ(flushed.first(), "ib-flushed");
  EXPECT_TRUE(flushed.log.events[*flushed.verdict.first].text.ends_with("vendor err 249"));
  // The text on the next line, and none at all.
  EXPECT_EQ(first_of(front + "\n" + completion + "12, opcode 0, len 0, vendor err 129"),
            "ib-retry-exceeded");
  EXPECT_EQ(first_of(front + "\n\nx\ny"), "nccl-remote-error");
}

/// ROCm/rccl issue 2188, NVIDIA/dgx-spark-playbooks pull request 103.
TEST(NcclLogExcerpts, VersionsInOtherWords) {
  const auto versions = [](const std::string& text) {
    return join(Case(text + "\n").verdict.versions, ", ");
  };
  EXPECT_EQ(versions("[lib] load RCCL version: 2.27.7"), "2.27.7 (RCCL)");
  EXPECT_EQ(versions("node [0] NCCL INFO RCCL version : 2.27.7-HEAD:29e1567"), "2.27.7 (RCCL)");
  EXPECT_EQ(versions("n:1:2 [0] NCCL INFO RCCL version : 2.21.5-main:a29a210+"), "2.21.5 (RCCL)");
  EXPECT_EQ(versions("RCCL version 2.18.3+hip6.0 HEAD:2f6d59e+"), "2.18.3 (RCCL)");
  EXPECT_EQ(versions("RCCL version"), "");
  EXPECT_EQ(versions("# nccl-tests version 2.17.8 (b4d5bee) nccl-headers=22807 nccl-library=22807"),
            "2.28.7");
  EXPECT_EQ(versions("# nccl-tests version 2.17.8 nccl-headers=22807 nccl-library=228"), "");
}

/// NVIDIA/nccl issues 229 and 1027; src/graph/rings.cc: 20 of the ranks at most.
TEST(NcclLogExcerpts, RanksInTheOrderOfARing) {
  const auto ranks = [](const std::string& text) { return Case(text).verdict.said_ranks; };
  const std::string front = "n:1:2 [0] NCCL INFO Channel 00/02 :";
  EXPECT_EQ(ranks(front + "    0   1   3   2\nx\n"), 4U);
  EXPECT_EQ(ranks("n:1:2 [0] NCCL INFO Channel 00 :    0   1\nx\n"), 2U);
  EXPECT_EQ(ranks("n:1:2 [0] NCCL INFO Ring 00 :    0   1   2\nx\n"), 3U);
  EXPECT_EQ(ranks(front + " 0 1\n" + front + " 0 1 2 3\nx\n"), 4U);
  EXPECT_TRUE(printed(Case(front + " 0 1\nx\n"))
                  .starts_with("NCCL (version not shown), a communicator of 2 ranks: "));
  // Some of the ranks, more than a line has room for, and a line that was broken or cut.
  EXPECT_EQ(ranks(front + "    0   1   3\nx\n"), 0U);
  EXPECT_EQ(ranks(front + "    0\nx\n"), 0U);
  EXPECT_EQ(ranks(front + "    0   1   1\nx\n"), 0U);
  EXPECT_EQ(ranks(front + " 0 1 2 3...\nx\n"), 0U);
  std::string twenty = front;
  for (int rank = 0; rank < 20; ++rank) twenty += cat(rank < 10 ? "   " : "  ", rank);
  EXPECT_EQ(ranks(twenty + "\nx\n"), 0U);
  EXPECT_EQ(ranks(front + "    0   1   2   3\n   4   5   6   7\nx\n"), 0U);
  EXPECT_EQ(judge::judge(read(front + "    0   1"), causes()).said_ranks, 0U);
  // A rank that it lacks has a connection.
  EXPECT_EQ(
      ranks(front + "    0   1\nn:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 2[2] via P2P/IPC\n"),
      0U);
  // What names the communicator comes first.
  EXPECT_EQ(ranks(says_start(1) + front + " 0 1\nx\n"), 0U);
}

/// Lightning-AI/pytorch-lightning issue 14986.
TEST(NcclLogExcerpts, RanksOfTheBootstrap) {
  const Case one(
      "n:1:2 [0] bootstrap.cc:131 NCCL WARN Bootstrap Root : rank 1 of 8 ranks has already "
      "checked in\n");
  EXPECT_EQ(one.first(), "rank-checked-in");
  EXPECT_EQ(one.verdict.said_ranks, 8U);
  EXPECT_EQ(Case("n:1:2 [0] bootstrap.cc:131 NCCL WARN Bootstrap Root : rank 1 of 8\n")
                .verdict.said_ranks,
            0U);
}

/// NVIDIA/nccl-tests issue 249: a document took "#" for a heading.
TEST(NcclLogExcerpts, TheListOfRanksWithoutItsMark) {
  const auto listed = [](const std::string& line) {
    return Case(line + "\nx\n").log.tests.ranks.listed;
  };
  const std::string rest = "  0 Group  0 Pid    127 on w-0 device  0 [0x00] NVIDIA A10G";
  EXPECT_EQ(listed("  Rank" + rest), std::set<std::uint32_t>{0});
  EXPECT_EQ(listed("Rank" + rest), std::set<std::uint32_t>{0});
  EXPECT_EQ(listed("#  Rank" + rest), std::set<std::uint32_t>{0});
  EXPECT_TRUE(listed("the Rank" + rest).empty());
  EXPECT_TRUE(listed("  Rank  0 Group  0 Pid    127 on w-0").empty());
  EXPECT_TRUE(listed("  Rank  0 Group  0 Pid    127 on w-0 device  0").empty());
}

/// NVIDIA/nccl issues 210 and 1664: lines without NCCL's prefix, by its own files and words.
TEST(NcclLogExcerpts, WarningsWithoutAPrefix) {
  const std::string completion =
      "Got completion from peer 10.0.0.2<36315> with status=12 opcode=32698 len=32696 vendor err "
      "129";
  const std::vector<std::pair<std::string, std::string>> all = {
      {"NET/IBP:" + completion + " (Send)", "ib-retry-exceeded"},
      {"NET/IB : " + completion, "ib-retry-exceeded"},
      {"[rank3]: NET/IB : Got completion from peer 10.0.0.2<3> with error 12, opcode 0, len 0, "
       "vendor "
       "err 129",
       "ib-retry-exceeded"},
      {completion, "ib-retry-exceeded"},
      {"NET/IB : mlx5_0:1 Got async event : port error", "ib-async-port"},
      {"include/socket.h:344 WARN Socket creation failed : Address family not supported by "
       "protocol",
       "no-address"},
      {"misc/ibvwrap.cc:252 WARN Call to ibv_modify_qp failed with error Connection timed out",
       "ib-qp-timeout"},
      {"misc/ibvwrap.cc:252 Call to ibv_modify_qp failed with error Network is unreachable",
       "ib-qp-unreachable-gid"},
      {"Call to ibv_create_cq failed with error Cannot allocate memory", "ib-cq-memlock"},
      {"(worker pid=7) socketProgress: Connection closed by remote peer n1<42830>", "peer-closed"},
      {"ncclSocketInit: connecting to address  with family 0 is neither AF_INET(2) nor "
       "AF_INET6(10)",
       "no-address"},
      // What others may say as well.
      {"Got completion from peer review with error", "none"},
      {"we call include/socket.h:344 WARN Socket creation failed", "none"},
      {"include/socket.h:344 Socket creation failed : Address family not supported", "none"},
      {"app/include/socket.h:12 WARN Socket creation failed : Address family not supported",
       "none"},
      {"how to fix \"Call to ibv_create_cq failed with error Cannot allocate memory\"", "none"}};
  for (const auto& [line, cause] : all) {
    const Case one(line + "\n");
    EXPECT_EQ(one.first(), cause) << line;
    EXPECT_EQ(one.log.messages, cause == "none" ? 0U : 1U) << line;
  }
  EXPECT_EQ(Case(all[2].first + "\n").log.events.at(0).rank, 3U);
}

/// NVIDIA/nccl-tests issue 107.
TEST(NcclLogExcerpts, TestsWithoutMpi) {
  const auto listed = [](int rank, int pid, const std::string& host) {
    return cat("#  Rank  ", rank, " Group  0 Pid   ", pid, " on ", host,
               " device  0 [0x1a] NVIDIA H100 80GB HBM3\n");
  };
  const std::string word = "nccl-tests lists rank 0 more than once";
  EXPECT_NE(remarks_said(listed(0, 1320, "a") + listed(0, 2066, "b")).find(word),
            std::string::npos);
  EXPECT_NE(remarks_said("#   Rank  0 Pid   1320 on a device  0 [0x00] Tesla V100\n"
                         "#   Rank  0 Pid   2066 on b device  0 [0x00] Tesla V100\n")
                .find(word),
            std::string::npos);
  EXPECT_EQ(remarks_said(listed(0, 1, "a") + listed(1, 2, "b") + listed(0, 1, "a")), "");
  // One run after the other.
  EXPECT_EQ(remarks_said(listed(0, 1, "a") + "# Out of bounds values : 0 OK\n" + listed(0, 5, "a"))
                .find(word),
            std::string::npos);
}

/// A port scanner met the ports of two ranks, and nccl-tests then ended well, on all ranks: neither
/// a failure, nor ranks that left while others were at work.
TEST(NcclLogExcerpts, AConnectionOfAScannerInAGoodRun) {
  const std::string closed =
      "n0:1:9 [0] misc/socket.cc:57 NCCL WARN socketProgress: Connection closed by remote peer "
      "n0.cluster<5194>\nn0:1:9 [0] NCCL INFO misc/socket.cc:791 -> 6\n"
      "n0:1:9 [0] NCCL INFO proxy.cc:1461 -> 6\n";
  const auto ranks = [](const std::string& behind) {
    std::string text;
    for (int rank = 0; rank < 2; ++rank)
      text += cat("n0:", rank + 1, ":3 [", rank, "] NCCL INFO comm 0x", rank + 1, " rank ", rank,
                  " nranks 2 cudaDev ", rank, " busId 1000 commId 0x7 - ", behind, "\n");
    return text;
  };
  const std::string good = "# Out of bounds values : 0 OK\n";
  const std::string begin = ranks("Init COMPLETE") + closed;
  EXPECT_EQ(Case(begin + good + ranks("Destroy COMPLETE")).first(), "none");
  // Not nccl-tests: the warning stands, but no rank was still at work.
  const Case other(begin + ranks("Destroy COMPLETE"));
  EXPECT_EQ(other.first(), "peer-closed");
  EXPECT_TRUE(other.verdict.left.empty());
}

/// A terminal's log of several runs: what the end of one shows is not of another.
TEST(NcclLogExcerpts, RunsOfNcclTestsOneBelowTheOther) {
  const auto listed = [](int pid) {
    return cat("#  Rank  0 Group  0 Pid   ", pid, " on a device  0 [0x1a] NVIDIA H100 80GB HBM3\n");
  };
  const std::string good = "# Out of bounds values : 0 OK\n";
  const std::string missing =
      "./all_reduce_perf: error while loading shared libraries: libmpi.so.40: cannot open\n"
      "srun: error: a: task 0: Exited with exit code 127\n";
  const std::string stopped = "[mpiexec@a] Sending Ctrl-C to processes as requested\n";
  const auto shows = [](int runs, const std::string& ended) {
    return cat("the log shows ", runs, " runs of nccl-tests, one below the other; ", ended,
               ended == "1" ? " of them reached its end" : " of them reached their end");
  };
  const auto said = [](const std::string& text, const std::string& what) {
    return remarks_said(text).find(what) != std::string::npos;
  };
  const std::string all = listed(1) + good + listed(2) + good;
  EXPECT_TRUE(said(all, shows(2, "all")));
  EXPECT_EQ(Case(all).first(), "none");
  for (const std::string& end :
       {missing, stopped, std::string("^C\n"), std::string("Segmentation fault\n"),
        std::string("a: Test NCCL failure common.cu:393 'unhandled cuda error'\n")}) {
    EXPECT_TRUE(said(listed(1) + end + listed(2) + good, shows(2, "1"))) << end;
    EXPECT_FALSE(said(listed(1) + end + listed(2) + good, "more than once")) << end;
  }
  const std::string started =
      "a:2:9 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 1 cudaDev 0 commId 0x5 - Init "
      "COMPLETE\n";
  EXPECT_EQ(
      Case("Connection to git.a closed by remote host.\n" + listed(2) + started + good).first(),
      "none");
  // Of another run, and of the same one.
  EXPECT_EQ(Case(listed(1) + good + stopped + listed(2) + good).first(), "interrupted");
  EXPECT_EQ(Case(listed(1) + good + listed(2) + stopped + good).first(), "none");
  EXPECT_EQ(Case(missing + good).first(), "none");
  // What failed, or did not start, above the first list was something else.
  EXPECT_EQ(Case(missing + listed(2) + good).first(), "program-library-missing");
  EXPECT_EQ(Case("n0:7:9 [0] x.cc:1 NCCL WARN Cuda failure 700 'an illegal memory access was "
                 "encountered'\nn0:7:9 [0] NCCL INFO enqueue.cc:9 -> 1\n" +
                 listed(2) + good)
                .first(),
            "cuda-kernel");
  // In a run that ended well, and then in one that did not; and the other way round.
  EXPECT_EQ(Case(listed(1) + stopped + good + listed(2) + stopped).first(), "interrupted");
  EXPECT_EQ(Case(listed(1) + stopped + listed(2) + stopped + good).first(), "interrupted");
  EXPECT_EQ(Case(listed(1) + stopped + good + stopped).first(), "none");  // of the same run
  // What kept a run from starting is said, though another one started below.
  EXPECT_EQ(Case(missing + started + listed(2) + good).first(), "program-library-missing");
  EXPECT_EQ(Case(listed(1) + good + missing + listed(2) + started + good).first(),
            "program-library-missing");
  // Files are not below each other.
  reader::Reader reader(causes());
  for (int i = 0; i < 2; ++i) {
    reader.begin_file(cat("log", i));
    reader.feed(listed(i) + good);
  }
  EXPECT_EQ(reader.finish().tests.ranks.runs, 1U);
}

TEST(NcclLogExcerpts, WhatOthersSay) {
  const std::pair<const char*, const char*> lines[] = {
      // ZhehengJiangLancaster/AMVUR issue 2
      {"Root Cause (first observed failure) :\n[0]:\nrank2 (local rank: 2)exitcode: -9 (pid: "
       "36071)error file: <N/A>\ntraceback : signal 9 (SIGKILL) received by PID 36071",
       "killed"},
      // NVIDIA/pyxis issue 107
      {"srun: error: Task launch for StepId=96.0 failed on node n2: No such process",
       "slurm-launch"},
      {"slurmstepd: error: pyxis: container start failed with error code: 1", "container-failed"},
      // pytorch/pytorch issue 176829, rwth-i6/returnn issue 1802
      {"ImportError: /x/torch/lib/libtorch_cuda.so: undefined symbol: ncclAlltoAll", "nccl-symbol"},
      {"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nImportError: "
       "/x/libtorch_cuda.so: undefined symbol: ncclMemFree",
       "nccl-symbol"},
      {"ImportError: libnccl.so.2: cannot open shared object file: No such file or directory",
       "nccl-library-missing"},
      // NVIDIA/open-gpu-kernel-modules issue 1150
      {"kernel: NVRM: Xid (PCI:0000:dc:00): 45, pid=1818990, name=python3, Ch 00000001 caused by "
       "previous Xid 149",
       "gpu-nvlink5-error"},
      {"NVRM: Xid (PCI:0000:dc:00): 45, pid=18, name=python3, Ch 00000001 caused by previous Xid "
       "31",
       "gpu-cleared-after"},
      {"NVRM: Xid (PCI:0000:dc:00): 45, pid=18, name=python3, Ch 00000001", "gpu-cleared"},
      // rapidsai/ucx-py issue 131
      {"[dgx15:34226:0:34226] ib_mlx5_log.c:139  Transport retry count exceeded on mlx5_3:1/IB "
       "(synd 0x15 vend 0x81 hw_synd 0/0)",
       "ucx-unreachable"},
      // uccl-project/uccl issue 641
      {"Failed to modify QP to RTR: Connection timed out", "rdma-unreachable"},
      {"Failed to modify QP to INIT: Invalid argument", "rdma-connection"},
      // horovod/horovod issues 534 and 1012
      {"WARNING: One or more tensors were submitted to be reduced, gathered or broadcasted by "
       "subset of ranks and are waiting for remainder of ranks for more than 60 seconds.",
       "horovod-stall"},
      {"HorovodBroadcast_dense_kernel_Momentum_0 [missing ranks: 1]", "horovod-stall"},
      // NVIDIA/nccl issue 849
      {"RuntimeError: [Rank 0]: Ranks 4, 5, 6, 7 failed to pass monitoredBarrier in 2000000 ms",
       "torch-monitored-barrier"},
      {"RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for "
       "key: store_based_barrier_key:1 (world_size=2, worker_count=1, timeout=0:30:00)",
       "torch-store"},
      {"RuntimeError: No CUDA GPUs are available", "cuda-program-no-device"},
      {"MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD", "mpi-rank-failed"},
      {"There are not enough slots available in the system to satisfy the 8", "launcher-slots"},
      {"ssh: connect to host node2 port 22: Connection refused", "launcher-ssh"},
      // deepspeedai/DeepSpeed issue 4907
      {"subprocess.CalledProcessError: Command 'ssh -o PasswordAuthentication=no 10.0.0.1 "
       "hostname' "
       "returned non-zero exit status 255.",
       "launcher-ssh-failed"},
      // torch/csrc/DataLoader.cpp, aten/src/ATen/MapAllocator.cpp
      {"RuntimeError: DataLoader worker (pid 12847) is killed by signal: Killed. ",
       "worker-killed"},
      {"RuntimeError: DataLoader worker (pid 77) is killed by signal: Bus error. It is possible "
       "that "
       "dataloader's workers are out of shared memory.",
       "worker-bus-error"},
      {"RuntimeError: unable to write to file </torch_77_1>", "worker-shm"},
      {"RuntimeError: DataLoader worker (pid(s) 77, 78) exited unexpectedly", "worker-crashed"},
      {"RuntimeError: received 0 items of ancdata", "program-files-limit"},
      {"Traceback (most recent call last):\nOSError: [Errno 28] No space left on device",
       "disk-full"},
      {"RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't "
       "allocate memory: you tried to allocate 34359738368 bytes. Error code 12",
       "program-host-memory"},
      // ai-dynamo/dynamo issue 1229
      {"RuntimeError: CUDA error: peer access is not supported between these two devices",
       "cuda-program-peer-access"},
      {"[W socket.cpp:426] [c10d] The server socket has failed to bind to [::]:25641 (errno: 98 - "
       "Address already in use).",
       "torch-port-bind"},
      // torch/csrc/distributed/c10d/reducer.cpp
      {"RuntimeError: Expected to have finished reduction in the prior iteration before starting a "
       "new one.",
       "ddp-unused-parameters"},
      {"RuntimeError: Expected to mark a variable ready only once.", "ddp-ready-twice"},
      // NVIDIA/nccl issue 1838
      {"n1:7:9 [0] transport/shm.cc:590 NCCL WARN Cuda failure 217 'peer access is not supported "
       "between these two devices'",
       "shm-cumem-peer-access"},
      // vllm-project/vllm issue 19204: it is no cause
      {"n1:7:9 [0] ras/client_support.cc:160 NCCL WARN Call to bind failed: Address already in use",
       "none"},
      {"ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
       "ray-memory"}};
  for (const auto& [line, cause] : lines) EXPECT_EQ(first_of(line), cause) << line;
}

TEST(NcclLogExcerpts, WhatNcclSays) {
  const std::pair<const char*, const char*> lines[] = {
      // wenet-e2e/wenet issue 1891
      {"Connect to fe80::c4eb:49ff:fe04:e32d%6<57335> failed : Network is unreachable",
       "connect-link-local-6"},
      {"Connect to fe80::c4eb:49ff:fe04:e32d%6<57335> failed : Connection refused",
       "connect-refused"},
      // aws/aws-ofi-nccl issue 1020, NVIDIA/nccl issue 1928
      {"NET/OFI OFI fi_getinfo() call failed: No data available", "ofi-no-provider"},
      {"NET/OFI Only EFA provider is supported", "ofi-no-provider"},
      {"NET/OFI Request 0x7f14cc5b60c0 completed with error. RC: 113. Error: 2 (UNDELIVERABLE). "
       "Completed length: 0",
       "ofi-undeliverable"},
      // aws/aws-ofi-nccl src
      {"NET/OFI Closing send_comm 0x7f0 with inflight requests. Invalidating domain",
       "ofi-closing"},
      {"NET/OFI Request completed with error. RC: 21. Error: unknown error", "ofi-failed"},
      {"NET/OFI Number of forced rails (3) not a multiple of numer of rails (4)", "ofi-unexpected"},
      // src/init.cc, src/gin, src/mem_manager.cc, src/register
      {"Failed to determine local ranks rank 3 hostHash 1a pidHash 2b localRank -1 localRanks 0 "
       "localRank0 -1",
       "local-ranks"},
      {"No GIN-capable devices found.", "gin-not-possible"},
      {"MemManager: Already suspended", "memory-manager"},
      {"rank 3 deregister NET buffer handle 0x5 proxy rank 3 failed", "deregister"},
      {"FP8 reduction support begins with sm90 capable devices.", "fp8-reduction"},
      {"Your program may be hanging, this may be caused by a collective mismatch around rank 3.",
       "call-may-differ"}};
  for (const auto& [text, cause] : lines)
    EXPECT_EQ(first_of(cat("n:1:2 [0] x.cc:1 NCCL WARN ", text)), cause) << text;
  // NVIDIA/nccl issue 442; it is a hint where something else says it, or the process went on.
  const std::string path =
      "Could not find real path of /sys/class/pci_bus/0000:21/../0000:21:00.0\n";
  const std::string at_xml = cat("n:1:2 [0] graph/xml.cc:332 NCCL WARN ", path);
  EXPECT_EQ(first_of(at_xml + "n:1:2 [0] NCCL INFO graph/xml.cc:469 -> 2"), "pci-path");
  EXPECT_EQ(first_of(cat("n:1:2 [0] misc/topo.cc:22 NCCL WARN ", path,
                         "n:1:2 [0] NCCL INFO init.cc:876 -> 2")),
            "pci-path");
  EXPECT_EQ(first_of(at_xml + "n:1:2 [0] NCCL INFO Connected all rings"), "none");
  EXPECT_EQ(first_of(block("", "ncclSystemError", path)), "nccl-system-error");
}

}  // namespace
}  // namespace nettune::tools::nccl::log
