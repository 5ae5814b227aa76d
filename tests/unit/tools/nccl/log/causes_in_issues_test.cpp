// SPDX-License-Identifier: Apache-2.0
//
// Lines in the shape of those in issues and reports that are named at them.

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

std::string cause_of(const std::string& text) { return Case(text + "\n").first(); }

std::string shown(const std::string& text) { return printed(Case(text + "\n")); }

/// What is printed is wrapped: the words count.
std::string unwrapped(const std::string& text) {
  std::string words;
  for (const std::string_view word : nettune::words(text)) words += cat(word, " ");
  return words;
}

bool has_words(const std::string& text, const std::string& part) {
  return unwrapped(shown(text)).find(part) != std::string::npos;
}

std::string said_by_process(const std::string& process, const std::string& text) {
  return cat(process, ":2 [0] ", text, "\n");
}

/// A log of microsoft/msrflute: what ended one process beats what its peer then saw.
TEST(NcclLogCausesInIssues, MemoryThatGlooCannotRead) {
  const std::string exception =
      "terminate called after throwing an instance of 'gloo::IoException'\n"
      "  what():  [../third_party/gloo/gloo/transport/tcp/pair.cc:395] writev [10.0.0.7]:45263: "
      "Bad address\n";
  const std::string peer =
      "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by "
      "peer [10.0.0.7]:49556\n";
  for (const std::string& text : {exception + peer, peer + exception}) {
    EXPECT_EQ(cause_of(text), "gloo-memory");
    EXPECT_TRUE(has_words(text, "A possible reason is a tensor on a GPU")) << shown(text);
  }
  EXPECT_EQ(cause_of(peer), "gloo-closed");
}

/// ofsoundof/GRL-Image-Restoration issue 27, hpcaitech/Open-Sora issue 667.
TEST(NcclLogCausesInIssues, AHostWithANameOfDigits) {
  const std::string client =
      "[W socket.cpp:558] [c10d] The client socket has failed to connect to ";
  const std::string failed = " (errno: 110 - Connection timed out).\n";
  const std::string end =
      "[E socket.cpp:610] [c10d] The client socket has failed to connect to any network address of "
      "(6841231, 47389).\n";
  for (const char* const address : {"[::ffff:0.104.99.143]:47389", "0.104.99.143:47389"}) {
    const std::string text = client + address + failed + end;
    EXPECT_EQ(cause_of(text), "torch-host-number") << address;
    EXPECT_TRUE(has_words(text, "the host that was asked for is \"6841231\"")) << shown(text);
  }
  for (const char* const address : {"10.0.0.5:29500", "[::ffff:10.0.0.5]:29500"})
    EXPECT_EQ(cause_of(client + address + failed), "torch-rendezvous") << address;
  for (const char* const address : {"0.0.0.0:29500", "[::ffff:0.0.0.0]:29500"})
    EXPECT_EQ(cause_of(client + address + failed), "torch-rendezvous-local") << address;
}

/// A report of torchrun with localhost:29400; pytorch/pytorch issue 107021.
TEST(NcclLogCausesInIssues, ARendezvousOnThisNode) {
  const std::string timed_out =
      "[E socket.cpp:860] [c10d] The client socket has timed out after 60s while trying to connect "
      "to ";
  const std::string lost =
      "\ntorch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the "
      "C10d store has failed. See inner exception for details.";
  for (const char* const local :
       {"(localhost, 29400).", "(127.0.0.1, 29400).", "localhost:29400"}) {
    EXPECT_EQ(cause_of(timed_out + local + lost), "torch-rendezvous-local") << local;
    EXPECT_FALSE(has_words(timed_out + local + lost, "check: a firewall"));
  }
  const std::string other = timed_out + "192.0.2.1:1234" + lost;
  EXPECT_EQ(cause_of(other), "torch-rendezvous");
  EXPECT_TRUE(has_words(other, "--rdzv-endpoint, or MASTER_ADDR and MASTER_PORT"));
}

/// vllm-project/vllm-ascend issue 4546: the program chose the port itself.
TEST(NcclLogCausesInIssues, APortThatTheProgramChose) {
  const std::string text =
      "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
      "network address. port: 56065, useIpv6: false, code: -98, name: EADDRINUSE, message: address "
      "already in use";
  EXPECT_EQ(cause_of(text), "torch-port");
  EXPECT_TRUE(has_words(text, "what chose the port that the line names"));
  EXPECT_FALSE(has_words(text, "Slurm"));
  // OpenDriveLab/DriveLM issue 40: the first of the lines counts.
  EXPECT_TRUE(
      has_words("[W socket.cpp:426] [c10d] The server socket has failed to listen on "
                "[::]:38429 (errno: 98 - Address already in use).\n"
                "[W socket.cpp:426] [c10d] The server socket has failed to bind to "
                "[::]:38429 (errno: 98 - Address already in use).",
                "torch-port-bind: 2 lines"));
}

/// A task of ClearML: without errno it is not known why the file could not become so large.
TEST(NcclLogCausesInIssues, WhatIsLikelyIsSaidToBeSo) {
  EXPECT_TRUE(
      has_words("n0:1:2 [0] misc/shmutils.cc:72 NCCL WARN Error: failed to extend "
                "/dev/shm/nccl-UbzKZ9 to 9637892 bytes",
                "most likely /dev/shm is full or too small"));
  // huggingface/accelerate issue 2017
  const std::string unused =
      "RuntimeError: Expected to have finished reduction in the prior iteration before starting a "
      "new one.";
  EXPECT_TRUE(has_words(unused, "in the iteration before this one some got none"));
  for (const std::string& text :
       {unused,
        std::string("RuntimeError: CUDA error: peer access is not supported between these two "
                    "devices"),
        std::string("[rank25]:[E ProcessGroupNCCL.cpp:1316] [PG 0 Rank 25] Heartbeat monitor timed "
                    "out! Process will be terminated after dumping debug info."),
        std::string("n0:1:2 [0] NCCL WARN Net : Connect to 10.0.0.9<5> failed : No route to host")})
    EXPECT_TRUE(has_words(text, "Possible reasons: ")) << shown(text);
  // ray-project/ray issue 16979, horovod/horovod issue 785
  for (const char* const text :
       {"failed to open CUDA IPC handle : 217 peer access is not supported between these two "
        "devices",
        "failed to open CUDA IPC handle : 11 invalid argument"})
    EXPECT_TRUE(has_words(cat("n0:1:2 [0] transport/p2p.cc:238 NCCL WARN ", text, "\n",
                              "n0:1:2 [0] NCCL INFO transport.cc:68 -> 1"),
                          "processes that do not see each other's GPU"))
        << text;
}

/// An OpenFold job on Slurm with pyxis; NVIDIA/enroot src/docker.sh.
TEST(NcclLogCausesInIssues, AnImageThatCannotBeFetched) {
  const std::string front = "slurmstepd: error: pyxis: ";
  const std::string failed = front + "failed to import docker image\n";
  EXPECT_EQ(cause_of(failed + front + "    [INFO] Fetching image manifest list\n" + front +
                     "    [ERROR] Could not process JSON input"),
            "container-image");
  EXPECT_EQ(cause_of(failed + front +
                     "    [ERROR] URL https://auth.docker.io/token?x returned error code: 401 "
                     "Unauthorized"),
            "container-image");
  EXPECT_EQ(cause_of(failed + front + "    [ERROR] No such file or directory: /etc/x"),
            "container-reason");
}

/// sgl-project/sglang issues 36081 and 4503.
TEST(NcclLogCausesInIssues, WhatTheServerOfSglangSays) {
  const std::string quit =
      "[2026-08-23 09:11:09] SIGQUIT received. signum=None, frame=None. It usually means one child "
      "failed.";
  EXPECT_EQ(cause_of(quit), "server-child-failed");
  EXPECT_EQ(cause_of("[2026-02-25 16:33:59] Received sigquit from a child process. It usually "
                     "means the child failed."),
            "server-child-failed");
  EXPECT_EQ(cause_of("[2026-08-23 09:11:09] No live scheduler processes found; skipping py-spy and "
                     "CUDA coredump."),
            "server-child-failed");
  EXPECT_EQ(cause_of(quit + "\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
                            "GiB."),
            "program-gpu-memory");
  const std::string loading =
      "[2025-03-17 17:15:55 TP1] Scheduler hit an exception: Traceback (most recent call last):\n"
      "  File \"/sglang/srt/model_executor/model_runner.py\", line 417, in load_model\n"
      "    raise ValueError(\n"
      "ValueError: TP rank 1 could finish the model loading, but there are other ranks th";
  EXPECT_EQ(cause_of(loading + "at didn't finish loading.\n"), "server-loading");
  EXPECT_TRUE(has_words(loading + "at didn't.\n", "only reports that others had not"));
  EXPECT_FALSE(has_words(loading + "at didn't.\n", "The problem is in the program"));
}

/// pytorch/pytorch issue 64990.
TEST(NcclLogCausesInIssues, AnEventOfTorchelastic) {
  const std::string event =
      R"({"name": "torchelastic.worker.status.FAILED", "source": "WORKER", "timestamp": 0, )"
      R"("metadata": {"run_id": "1234", "global_rank": 1, "group_rank": 1, "worker_id": "28454", )"
      R"("role": "default", "hostname": "n-2-79", "state": "FAILED"}, "agent_restarts": 3})";
  EXPECT_EQ(cause_of(event), "torchelastic-failed");
  const std::string memory = event + "\n    \"message\": \"MemoryError: std::bad_alloc\",";
  for (const std::string& text : {event, memory})
    EXPECT_TRUE(has_words(text,
                          "also in the log: torchelastic reports a worker that failed: global rank "
                          "1, pid 28454, on n-2-79"))
        << shown(text);
  const std::string succeeded =
      R"({"name": "torchelastic.worker.status.SUCCEEDED", "source": "AGENT", "timestamp": 0})";
  EXPECT_EQ(cause_of(succeeded), "none");
  EXPECT_EQ(cause_of(memory), "program-host-memory");
  EXPECT_EQ(cause_of("terminate called after throwing an instance of 'std::bad_alloc'"),
            "program-host-memory");
}

/// NVIDIA/TensorRT-LLM issue 1039; src/init.cc, ncclCommEnsureReady.
TEST(NcclLogCausesInIssues, ACommunicatorThatIsNotReady) {
  const std::string text =
      "n0:9:9 [2] init.cc:303 NCCL WARN Attempt to use communicator before the previous operation "
      "returned ncclSuccess\n"
      "n0:9:9 [2] NCCL INFO enqueue.cc:1605 -> 512";
  EXPECT_EQ(cause_of(text), "communicator-not-ready");
  EXPECT_TRUE(has_words(text, "a number above 8 is no result of NCCL"));
}

/// deepspeedai/DeepSpeed issue 4907, kubeflow/mpi-operator issue 501: 255 is ssh's own.
TEST(NcclLogCausesInIssues, SshThatFails) {
  const std::string command = "subprocess.CalledProcessError: Command 'ssh 10.0.0.1 hostname' ";
  EXPECT_EQ(cause_of(command + "returned non-zero exit status 255."), "launcher-ssh-failed");
  EXPECT_EQ(cause_of("ssh exited with exit code 255"), "launcher-ssh-failed");
  EXPECT_EQ(cause_of(command + "returned non-zero exit status 127."), "launcher-start");
}

/// NVIDIA/nccl issues 1105 and 193.
TEST(NcclLogCausesInIssues, WhatIsCutOrSaidBefore) {
  EXPECT_EQ(
      cause_of("n8:795:822 [0] include/socket.h:409 NCCL WARN Net : Connect to 10.0.0.9<54263> "
               "failed : No route to\nlater"),
      "connect-no-route");
  EXPECT_EQ(
      cause_of("w0:15:91 [3] include/socket.h 398 NCCL WARN Call to write failed : Connection "
               "reset by peer.\n"
               "w0:15:91 [3] transport.cu:153 NCCL WARN transport.cu:153 ->2 [Proxy thread "
               "error]"),
      "peer-reset");
}

/// A log of ROCm on a computer with four GPUs; aws/aws-ofi-nccl up to 1.9.
TEST(NcclLogCausesInIssues, HintsAreListed) {
  std::string text;
  for (int gpu = 0; gpu < 4; ++gpu)
    text += cat("n0:9:9 [", gpu,
                "] src/init.cc:303 NCCL WARN Missing \"iommu=pt\" from kernel command line which "
                "can lead to system instablity or hang!\n");
  const Case one(text +
                 "n0:9:9 [0] configure_nvls_option:287 NCCL WARN NET/OFI Could not find "
                 "ncclGetVersion symbol\n");
  EXPECT_EQ(one.first(), "none");
  EXPECT_FALSE(one.verdict.failed);
  const std::string told = unwrapped(printed(one));
  EXPECT_NE(told.find("Hints, printed as warnings kernel-command-line: 4 lines"), told.npos)
      << told;
  EXPECT_NE(told.find("Missing \"iommu=pt\" from"), told.npos) << told;
  EXPECT_NE(told.find("ofi-news: 1 line"), told.npos) << told;
  EXPECT_EQ(one.verdict.notes.size(), 2U);
  EXPECT_EQ(shown("n0:9:9 [0] NCCL INFO Using network IB").find("Hints"), std::string::npos);
}

/// RCCL's words for a library that is missing.
TEST(NcclLogCausesInIssues, NoLibibverbsIsNoDeviceThatIsDown) {
  const std::string text = said_by_process("n0:9", "NCCL INFO Could not open libibverbs.so") +
                           said_by_process("n0:9", "NCCL INFO NET/IB : No device found.") +
                           said_by_process("n0:9", "NCCL INFO Using network Socket");
  EXPECT_EQ(join(Case(text).verdict.why, "; "), "libibverbs could not be loaded");
}

/// A gist of djberenberg, NCCL 2.7.8.
TEST(NcclLogCausesInIssues, AVersionWithoutANewline) {
  const std::string first = said_by_process("worker22:1810802", "NCCL INFO Using network Socket");
  for (const char* const host : {"worker22", "4e9a7654171e"}) {
    const std::string glued =
        cat("NCCL version 2.7.8+cuda10.2", host,
            ":1810803:1810803 [0] NCCL INFO Bootstrap : Using [0]eno1:10.1.1.7<0>\n");
    const Case one(first + glued);
    ASSERT_EQ(one.log.processes.size(), 2U) << host;
    EXPECT_EQ(one.log.processes[1].host, host);
    EXPECT_TRUE(one.verdict.versions.front().starts_with("2.7.8+cuda10.2"));
  }
  EXPECT_TRUE(has_words(first + "NCCL version 2.7.8+cuda10.2worker22:1810803:1810803 [0] NCCL INFO "
                                "Bootstrap : Using [0]eno1:10.1.1.7<0>",
                        "2 processes on 1 host"));
}

/// horovod/horovod issue 785: the lines show that it failed.
TEST(NcclLogCausesInIssues, AnInitialisationThatFailedIsNotOpen) {
  const auto begin = [](int rank) {
    return said_by_process(cat("n0:", 10 + rank),
                           cat("NCCL INFO comm 0x7f9114224540 rank ", rank, " nranks 2"));
  };
  const auto fail = [](int rank) {
    const std::string process = cat("n0:", 10 + rank);
    return said_by_process(process,
                           "transport/p2p.cu:548 NCCL WARN failed to open CUDA IPC handle : 11 "
                           "invalid argument") +
           said_by_process(process, "NCCL INFO init.cu:568 -> 1");
  };
  const std::string question = "how initialisation ended for ";
  const auto open = [](const std::string& text) { return join(Case(text).verdict.open, "; "); };
  EXPECT_NE(open(begin(0) + begin(1)).find(question + "ranks 0,1"), std::string::npos);
  EXPECT_NE(open(begin(0) + begin(1) + fail(1)).find(question + "rank 0,"), std::string::npos)
      << open(begin(0) + begin(1) + fail(1));
  EXPECT_EQ(open(begin(0) + begin(1) + fail(0) + fail(1)).find(question), std::string::npos);
}

/// OpenNMT/OpenNMT-py issue 1606.
TEST(NcclLogCausesInIssues, RanksWithoutAConnectionAreCounted) {
  const auto complete = [](int rank) {
    return said_by_process(cat("n1:", 10 + rank), cat("NCCL INFO comm 0x7f65 rank ", rank,
                                                      " nranks 6 cudaDev 3 - Init COMPLETE"));
  };
  const std::string all = complete(3) + complete(4) + complete(5);
  const std::string edge =
      said_by_process("n1:13", "NCCL INFO Ring 00 : 0 -> 3 [receive] via NET/Socket/0");
  EXPECT_TRUE(has_words(
      all + edge,
      "what 5 of 6 ranks say of their connections: the lines of rank 4,5 show no connection; "
      "no line is known to come from rank 0-2"))
      << shown(all + edge);
  EXPECT_TRUE(
      has_words(all, "what 6 of 6 ranks say of their connections: the lines of rank 3-5 show no"));
  const std::string rest = complete(0) + complete(1) + complete(2);
  EXPECT_TRUE(has_words(rest + all + edge,
                        "what 5 of 6 ranks say of their connections: the lines of rank 0-2,4"));
  EXPECT_FALSE(has_words(rest + all, " ranks say of their connections: "));
}

/// NVIDIA/nccl issue 573, with and without what follows; scripts that start a server.
TEST(NcclLogCausesInIssues, ProcessesThatAreStartedByPrograms) {
  const std::string spawn = "-- Process 1 terminated with the following error:\n";
  EXPECT_EQ(Case(spawn).first(), "spawned-process-failed");
  EXPECT_EQ(Case(spawn + "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\n"
                         "ValueError: text\n")
                .first(),
            "program-exception");
  EXPECT_EQ(Case("[x] Server did not become ready within 1800s.\n").first(), "server-not-ready");
}

/// PyTorch on Windows goes on with its next address.
TEST(NcclLogCausesInIssues, AnAddressThatCannotBeReachedIsTriedAgain) {
  const std::string warning =
      "[W420 19:27:52.000000000 socket.cpp:764] [c10d] The client socket has failed to connect to "
      "[n1]:55240 (system error: 10049 - The requested address is not valid in its context.).\n";
  EXPECT_TRUE(has_words(warning, "What is warned of"));
  EXPECT_EQ(Case(warning + "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n").first(),
            "program-gpu-memory");
}

TEST(NcclLogCausesInIssues, ControlCAtThePromptIsNoEndOfAJob) {
  const std::string end =
      "slurmstepd: error: *** STEP 3.0 ON n1 CANCELLED AT 2024-04-16T22:14:41 DUE TO TIME LIMIT "
      "***\n";
  EXPECT_EQ(Case("^C\n" + end).first(), Case(end).first());
  EXPECT_EQ(Case("^C\n").first(), "interrupted");
}

TEST(NcclLogCausesInIssues, TheSizeOfTheWorldThatProgramsSay) {
  for (const char* const line :
       {"| distributed init (world_size 24, global rank 20, local gpu id 4): env://",
        "Rank: 3, World Size: 24, Device: cuda:0", "export WORLD_SIZE=24", "{'world_size': 24}",
        "[INFO]   global_world_sizes=[24, 24]", "local_world_size=8 world_size=24",
        "dist_world_size=24", "'distributed_world_size': 24", "ddp_world_size: 24",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/24",
        "All distributed processes registered. Starting with 24 processes",
        "Rank 3: Completed store-based barrier for key:store_based_barrier_key:1 with 24 nodes.",
        "with multiple processes, 1 device per process.Process 0, total 24, device cuda:0."})
    EXPECT_TRUE(has_words(cat(line, "\n"), "programs say a world size of 24")) << line;
  for (const char* const line :
       {"world_size=world_size", "world_size: -1", "the world size", "[INFO]   group_world_size=2",
        "[INFO]   role_world_sizes=[2, 2]", "LOCAL_WORLD_SIZE=8", "self.mp_world_size=1",
        "tensor parallel world size 2", "data_parallel_world_size=2", "GLOBAL_RANK: 0, MEMBER: all",
        "Rank 3: Completed store-based barrier for key:store_based_barrier_key:2 with 2 nodes.",
        "1 device per process."})
    EXPECT_FALSE(has_words(cat(line, "\n"), "world size of")) << line;
  EXPECT_TRUE(has_words("world_size=24\n", "not shown by NCCL (programs say a world size of 24)"));
  EXPECT_FALSE(has_words("world_size=24\nworld_size=8\n", "not shown by NCCL ("));
}

/// What is left of a message stands in front of the next one's host.
TEST(NcclLogCausesInIssues, AHostWithTheRestOfAMessageInFrontOfIt) {
  const std::string line =
      "gpu-1:10:10 [0] NCCL INFO comm 0x1 rank 5 nranks 8 busId a8gpu-1:12:12 [7] NCCL INFO comm "
      "0x2 rank 7 nranks 8 busId cagpu-1:11:11 [1] NCCL INFO comm 0x3 rank 1 nranks 8\n";
  const Case one(said_by_process("gpu-1:9", "NCCL INFO x") + line);
  for (const Process& process : one.log.processes) EXPECT_EQ(process.host, "gpu-1");
  EXPECT_EQ(named_processes(one.log), 4U);
}

TEST(NcclLogCausesInIssues, RanksThatHorovodNames) {
  const std::string stall =
      "[2021-02-02 21:19:07.345988: W horovod/common/stall_inspector.cc:105] One or more tensors "
      "were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting "
      "for remainder of ranks for more than 10 seconds.\nMissing ranks:\n0: [grad_a, grad_b]\n";
  EXPECT_TRUE(has_words(stall, "missing: rank 0")) << shown(stall);
}

TEST(NcclLogCausesInIssues, WhatAProgramMayNotWrite) {
  EXPECT_EQ(Case("Error creating directories: [Errno 13] Permission denied: '/lustre/x'\n").first(),
            "permission-denied");
  EXPECT_EQ(Case("RuntimeError: The Inner error is reported as above. The process exits for this "
                 "inner error, and the current working operator name is HcclAllreduce.\n")
                .first(),
            "npu-failure");
}

/// The pid of one dead worker of Ray is not that of the next one.
TEST(NcclLogCausesInIssues, FieldsOfTwoDeadWorkers) {
  const std::string died =
      "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n";
  const std::string other = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n";
  const std::string two = died + "\tpid: 111\n" + other + died + "\tip: 10.9.9.9\nx\n";
  const auto details = [](const std::string& text) {
    std::vector<std::string> all;
    for (const Event& event : Case(text).log.events)
      all.insert(all.end(), event.details.begin(), event.details.end());
    return join(all, "; ");
  };
  EXPECT_EQ(details(died + "\tpid: 111\n\tip: 10.9.9.9\nx\n"), "worker pid 111 on 10.9.9.9");
  EXPECT_EQ(details(two), "");
  const std::string in_one =
      "ray.exceptions.ActorDiedError: The actor died unexpectedly. Worker IP address: 10.0.0.5 "
      "Worker port: 10003 Worker PID: 87687 Worker exit type: SYSTEM_ERROR\n";
  EXPECT_TRUE(has_words(in_one, "worker pid 87687 on 10.0.0.5")) << shown(in_one);
}

TEST(NcclLogCausesInIssues, SignalsAsAbseilAndPalsTellThem) {
  for (const auto& [number, name, cause] :
       {std::tuple(15, "SIGTERM", "terminated"), std::tuple(6, "SIGABRT", "aborted"),
        std::tuple(11, "SIGSEGV", "crashed")}) {
    EXPECT_EQ(cause_of(cat("*** ", name, " received at time=1700000000 on cpu 5 ***")), cause);
    EXPECT_EQ(cause_of(cat("n0.example.org: rank 1 died from signal ", number)), cause);
  }
}

TEST(NcclLogCausesInIssues, RanksAsPalsTellTheirEnd) {
  EXPECT_EQ(cause_of("n0.example.org: rank 3 died from signal 9"), "rank-killed");
  EXPECT_EQ(cause_of("n0.example.org: rank 3 exited with code 1"), "rank-failed");
}

/// NVIDIA/nccl issues 1240 and 2101, Megatron-LM issue 1874, Azure/azhpc-images.
TEST(NcclLogCausesInIssues, WhatTheTextProves) {
  const auto warns = [](const std::string& text) {
    return cause_of("n0:9:9 [0] x.cc:1 NCCL WARN " + text);
  };
  EXPECT_EQ(warns("XML Import Channel : dev 1 not found."), "graph-file-gpu");
  EXPECT_EQ(warns("XML Import Invalid"), "xml-file");
  EXPECT_EQ(warns("Failed to open libnvidia-ml.so.1"), "nvml-library");
  EXPECT_EQ(warns("NET/IB : Got async event : client rereg"), "none");
  EXPECT_EQ(cause_of("RuntimeError: Triton Error [CUDA]: device kernel image is invalid"),
            "cuda-program-code");
  for (const char* const text :
       {"pure virtual method called", "terminate called without an active exception"})
    EXPECT_EQ(cause_of(text), "cxx-terminated");
}

/// A script that prints what it caught.
TEST(NcclLogCausesInIssues, ACommandThatFailedIsNoRank) {
  const std::string text = "Command 'fi_info -p cxi' returned non-zero exit status 127.";
  EXPECT_EQ(cause_of("check failed: " + text), "none");
  EXPECT_EQ(cause_of("subprocess.CalledProcessError: " + text), "rank-failed");
}

/// commPoison() in src/init.cc of NCCL; horovod/horovod issue 3752.
TEST(NcclLogCausesInIssues, ACommunicatorThatIsGone) {
  EXPECT_EQ(
      cause_of("n1:7:8 [1] misc/argcheck.cc:39 NCCL WARN Broadcast : invalid root 0 (root should "
               "be in the 0..-1 range)"),
      "communicator-gone");
  EXPECT_EQ(
      cause_of("n1:7:8 [1] misc/argcheck.cc:39 NCCL WARN Broadcast : invalid root 9 (root should "
               "be in the 0..7 range)"),
      "invalid-root");
}

TEST(NcclLogCausesInIssues, AnAbortThatDoesNotEnd) {
  const std::string abort =
      "[rank0]:[E ProcessGroupNCCL.cpp:1025] [PG 0 Rank 0] Future for ProcessGroup abort timed out "
      "after 600000 ms\n";
  const std::string stuck =
      "[rank1]:[E ProcessGroupNCCL.cpp:1316] [PG 0 Rank 1] Heartbeat monitor timed out! Process "
      "will "
      "be terminated after dumping debug info. workMetaList_.size()=0\n";
  EXPECT_EQ(cause_of(abort + stuck), "torch-abort-stuck");
}

/// The address of a bridge that each node has (dmlc/xgboost issue 7982), and the proxy that only
/// says that something failed.
TEST(NcclLogCausesInIssues, TheAddressOfABridge) {
  const auto text = [](const char* interface) {
    return cat(
        "n1:7:8 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.5<0> [1]", interface,
        ":172.18.0.1<0>\n",
        "n1:7:8 [0] proxy.cc:1040 NCCL WARN [Proxy Service 3] Failed to execute operation Connect "
        "from rank 3, retcode 2\n",
        "n1:7:8 [0] misc/socket.cc:503 NCCL WARN Net : Call to recv from 172.18.0.1<34483> failed "
        ": "
        "Broken pipe\n");
  };
  const std::string said =
      "172.18.0.1 is the address of br-8a9e04832258 on n1, which is a container bridge local to "
      "one node";
  EXPECT_NE(cause_of(text("br-8a9e04832258")), "proxy");
  EXPECT_TRUE(has_words(text("br-8a9e04832258"), said)) << shown(text("br-8a9e04832258"));
  for (const char* const other : {"ens8", "br-ex"})
    EXPECT_FALSE(has_words(text(other), "is the address of"));
}

/// MLPerf's log reports a success: what NCCL warned of before it did no harm, unless somebody else
/// says that a process ended.
TEST(NcclLogCausesInIssues, WarningsBeforeASuccess) {
  const std::string warned =
      "n1:7:8 [0] misc/ibvwrap.cc:5 NCCL WARN Call to ibv_open_device failed\n";
  const std::string end =
      "slurmstepd: error: *** STEP 9.0 ON n1 CANCELLED AT 2024-01-01 DUE TO TIME LIMIT ***\n";
  const std::string success =
      ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"INTERVAL_END\", \"key\": "
      "\"run_stop\", \"value\": null, \"metadata\": {\"file\": \"t.py\", \"lineno\": 1, "
      "\"status\": "
      "\"success\"}}\n";
  EXPECT_NE(cause_of(warned), "none");
  EXPECT_EQ(cause_of(warned + success), "none");
  EXPECT_NE(cause_of(warned + end + success), "none");
  EXPECT_TRUE(has_words(warned + success, "Before a run that the program reports as a success"));
}

/// SageMaker says it of a job of all hosts; a notebook may start the next one below.
TEST(NcclLogCausesInIssues, AJobThatSageMakerCompleted) {
  const std::string begin = "2026-01-02 03:04:05 Starting - Starting the training job...\n";
  const std::string failed = "srun: error: n4: task 0: Exited with exit code 1\n";
  const std::string warned =
      "algo-1:7:8 [0] nccl_net_ofi_init:1444 NCCL WARN NET/OFI Only EFA provider is supported\n";
  const std::string success = "2026-01-02 03:24:05 Completed - Training job completed\n";
  EXPECT_EQ(cause_of(begin + warned), "ofi-no-provider");
  EXPECT_EQ(cause_of(begin + warned + success), "none");
  EXPECT_TRUE(
      has_words(begin + warned + success, "the program reports that its run was a success"));
  EXPECT_EQ(cause_of(begin + warned + success + begin + failed), "rank-failed");
  EXPECT_EQ(cause_of(begin + failed + success), "rank-failed");
  // One that a notebook only attaches to begins in the middle, or is seen to end.
  const std::string lost =
      "n1:7:8 [0] socket.cc:9 NCCL WARN Net : Connection closed by remote peer n2<4>\n" + failed;
  for (const char* const phase : {"Starting - Preparing the instances for training", "Pending - x",
                                  "Downloading - Downloading input data", "Training - x"})
    EXPECT_NE(cause_of(cat(success, "2026-01-03 03:04:05 ", phase, "\n", lost)), "none") << phase;
  EXPECT_NE(cause_of(success + lost + "2026-01-03 03:05:05 Failed - Training job failed\n"),
            "none");
  EXPECT_NE(cause_of(success + lost + "2026-01-03 03:05:05 Stopped - Training job stopped\n"),
            "none");
  EXPECT_EQ(cause_of("2026-01-03 03:05:05 Failed - Training job failed\n"), "rank-failed");
  // The program's own words.
  EXPECT_NE(cause_of("epoch 1 Completed - Training job completed, now evaluating\n" + lost),
            "none");
}

/// A step of its own: the run began behind it (mlcommons/training_results_v5.0).
TEST(NcclLogCausesInIssues, AStepThatFailedBeforeASuccess) {
  const auto mark = [](const char* key, const char* status) {
    return cat(
        ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"INTERVAL_END\", "
        "\"key\": \"",
        key, "\", \"value\": null, \"metadata\": {\"file\": \"t.py\", \"lineno\": 1", status,
        "}}\n");
  };
  const std::string failed = "srun: error: n4: task 0: Exited with exit code 1\n";
  const std::string begin = mark("init_start", "");
  const std::string success = mark("run_stop", ", \"status\": \"success\"");
  EXPECT_EQ(cause_of(failed), "rank-failed");
  EXPECT_EQ(cause_of(failed + begin + success), "none");
  EXPECT_TRUE(
      has_words(failed + begin + success, "Before a run that the program reports as a success"));
  EXPECT_EQ(cause_of(begin + failed + success), "rank-failed");
  EXPECT_EQ(cause_of(failed + success), "rank-failed");
  EXPECT_EQ(cause_of(failed + begin), "rank-failed");
}

/// slurmstepd in a log of its own, of which srun --label passes the line on.
TEST(NcclLogCausesInIssues, ATimeLimitWithoutTheNameOfSlurmstepd) {
  EXPECT_EQ(cause_of("0: [2025-10-09T09:17:21.003] error: *** STEP 10.12 ON n1 CANCELLED AT "
                     "2025-10-09T09:17:21 DUE TO TIME LIMIT ***"),
            "slurm-step-time-limit");
  EXPECT_EQ(cause_of("[2025-10-09T09:17:21.003] error: *** JOB 10 ON n1 CANCELLED AT "
                     "2025-10-09T09:17:21 DUE TO TIME LIMIT ***"),
            "slurm-time-limit");
}

/// Horovod's check of ranks that are late: the job may go on.
TEST(NcclLogCausesInIssues, AWarningOfHorovodIsNoFailure) {
  const std::string stall =
      "W horovod/common/stall_inspector.cc:105] One or more tensors were submitted to be reduced, "
      "gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more "
      "than 60 seconds.\n";
  EXPECT_EQ(cause_of(stall), "horovod-stall");
  EXPECT_TRUE(has_words(stall, "What is warned of"));
  EXPECT_FALSE(has_words(stall, "First cause"));
  EXPECT_TRUE(has_words(stall + "srun: error: n1: task 3: Killed\n", "First cause"));
}

/// The list of interfaces says nothing where the job's network is known from other processes.
TEST(NcclLogCausesInIssues, InterfacesOfAJobWithAnotherNetwork) {
  const auto socket = [](const char* pid) {
    return cat("n1:", pid, ":", pid, " [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n");
  };
  EXPECT_TRUE(has_words(socket("7") + socket("8"), "interfaces for sockets"));
  EXPECT_FALSE(
      has_words(socket("7") + socket("8") + "n1:7:7 [0] NCCL INFO Using network AWS Libfabric\n",
                "interfaces for sockets"));
}

/// DeepSpeed's launcher says of each rank how it ended.
TEST(NcclLogCausesInIssues, WhatFollowsTheGoodEndOfARank) {
  const std::string spawned =
      "n1: [2026-04-11 11:17:02,1] [INFO] [launch.py:256:main] process 77 spawned with command: "
      "['python', 'train.py']\n";
  const std::string good =
      "n1: [2026-04-11 11:24:09,202] [INFO] [launch.py:367:main] Process 77 exits successfully.\n";
  const std::string failed =
      "n1: [2026-04-11 11:24:12,1] [ERROR] [launch.py:325:sigkill_handler] ['python', 'train.py'] "
      "exits with return code = 1\n";
  const std::string gone =
      "n1: [rank6]:[W411 11:24:09.688060298 TCPStore.cpp:125] [c10d] recvValue failed on "
      "SocketImpl(fd=114, addr=[::]:36223, remote=[fdff::]:43285): Connection reset by peer\n";
  EXPECT_EQ(cause_of(gone), "torch-store-gone");
  EXPECT_EQ(cause_of(spawned + good + gone), "none");
  EXPECT_TRUE(has_words(spawned + good + gone, "Printed after a rank had ended well"));
  EXPECT_NE(cause_of(spawned + good + gone + failed), "none");
  EXPECT_FALSE(has_words(spawned + good + "RuntimeError: CUDA out of memory. Tried\n" + gone,
                         "no line says that one failed"));
  EXPECT_TRUE(has_words(spawned + good + failed, "Before it, a rank had ended well"));
  EXPECT_EQ(cause_of(good + spawned + gone), "torch-store-gone");  // of the next job
  EXPECT_EQ(cause_of(spawned + good +
                     "n1:7:9 [0] misc/socket.cc:50 NCCL WARN socketProgress: "
                     "Connection closed by remote peer n2<5>\n"),
            "peer-closed");
}

/// The abort flag of a communicator ends the calls of its proxy thread with ncclInternalError (3).
TEST(NcclLogCausesInIssues, AProxyThatEndsWithItsCommunicator) {
  const std::string name = "n1:7:9 [0] proxy.cc:1458 NCCL WARN ";
  for (const char* const text :
       {"[Service thread] Accept failed Operation now in progress",
        "[Service thread] Could not receive type from localRank 0, res=3, closed=0",
        "[Proxy Service 0] Failed to execute operation Close from rank 0, retcode 3"}) {
    EXPECT_EQ(cause_of(name + text), "proxy-aborted") << text;
    EXPECT_TRUE(has_words(name + text, "What NCCL warns of")) << text;
    EXPECT_FALSE(has_words(name + text, "First cause")) << text;
    // Where something failed it may be the first that shows it (pytorch/pytorch issue 124380).
    const std::string failed = cat("n1:7:9 [0] NCCL INFO group.cc:12 -> 2\n", name, text,
                                   "\nn1:8:9 [1] misc/socket.cc:50 NCCL WARN socketProgress: "
                                   "Connection closed by remote peer n1<5>\n");
    EXPECT_EQ(cause_of(failed), "proxy-aborted") << text;
  }
  EXPECT_EQ(cause_of(name + "[Service thread] Accept failed Input/output error"), "service-thread");
  EXPECT_EQ(cause_of(name + "[Proxy Service 4] Failed to execute operation Connect from rank 4, "
                            "retcode 3"),
            "proxy");
}

/// jsrun of IBM's LSF.
TEST(NcclLogCausesInIssues, ALauncherThatWasInterrupted) {
  EXPECT_EQ(cause_of("WARNING: exiting due to 2 SIGINT's within 1 second."), "interrupted");
}

/// Queue pairs of NVSHMEM are no network of NCCL (sgl-project/sglang issue 7450).
TEST(NcclLogCausesInIssues, QueuePairsOfNvshmem) {
  const std::string failed = "ibrc.cpp:418: non-zero status: 22 ibv_modify_qp failed";
  EXPECT_FALSE(has_words("/x/nvshmem/src/modules/transport/ibrc/" + failed, "NET/IB"))
      << shown(failed);
  EXPECT_TRUE(
      has_words("RuntimeError: NCCL error: ncclSystemError: x\nLast error:\nCall to ibv_modify_qp "
                "failed with 110 Connection timed out",
                "NET/IB"));
}

/// A rank took the ncclUniqueId of the group before: tcwalther/bugreport-mosaicml-streaming-
/// lightning-torchrun, README.md.
TEST(NcclLogCausesInIssues, TheIdOfADestroyedCommunicator) {
  const auto line = [](int rank, const char* address, const char* id, const char* what) {
    return cat("n1:1", rank, ":9 [0] NCCL INFO ncclCommInitRankConfig comm ", address, " rank ",
               rank, " nranks 2 cudaDev 0 nvmlDev 0 busId 10 commId ", id, " - Init ", what, "\n");
  };
  std::string first;
  for (const char* const what : {"START", "COMPLETE"})
    for (const int rank : {0, 1}) first += line(rank, rank == 0 ? "0xa" : "0xb", "0x56", what);
  for (const int rank : {0, 1})
    first += cat("n1:1", rank, ":8 [0] NCCL INFO comm ", rank == 0 ? "0xa" : "0xb", " rank ", rank,
                 " nranks 2 cudaDev 0 busId 10 - Destroy COMPLETE\n");
  const std::string refused =
      "n1:11:9 [1] NCCL INFO socketPollConnect: connect returned Connection refused, retrying "
      "(34/34) after sleep for 3400 msec\n";
  const std::string stale = line(1, "0xc", "0x56", "START");
  const std::string other = line(0, "0xd", "0x13", "START");
  for (const std::string& text :
       {first + stale + other + refused, first + other + stale + refused}) {
    EXPECT_EQ(cause_of(text), "stale-unique-id") << text;
    EXPECT_TRUE(has_words(text, "rank 0 begins one with commId 0x13")) << shown(text);
  }
  EXPECT_EQ(cause_of(first + line(1, "0xc", "0x13", "START") + other + refused), "connect-refused");
  // It was never destroyed, or its id is always the same.
  EXPECT_EQ(cause_of(line(1, "0xb", "0x56", "START") + stale + refused), "connect-refused");
  for (const char* const process : {"n1:10:9 [0]", "n1:11:9 [1]"})
    EXPECT_EQ(cause_of(cat(process, " NCCL INFO NCCL_COMM_ID set by environment to 10.0.0.1:5000\n",
                           first, stale, refused)),
              "connect-refused");
  const std::string complete = line(1, "0xc", "0x56", "COMPLETE");
  EXPECT_EQ(cause_of(first + stale + complete), "none");
  EXPECT_TRUE(Case(first + stale + complete).verdict.went_on.empty());
  const Case one(first + stale + other + refused);
  ASSERT_TRUE(one.verdict.first);
  EXPECT_EQ(one.log.events[*one.verdict.first].line, 7U);
  // Up to 2.20 the line names no call, and a split of the same parts has the same id again.
  const auto old = [](std::string text) {
    const std::string call = "ncclCommInitRankConfig ";
    for (auto at = text.find(call); at != text.npos; at = text.find(call))
      text.erase(at, call.size());
    return text;
  };
  EXPECT_EQ(cause_of(old(first + stale) + refused), "connect-refused");
}

/// torch/distributed/distributed_c10d.py, _store_based_barrier(): it waits for equal numbers.
TEST(NcclLogCausesInIssues, MoreWorkersThanRanks) {
  const auto barrier = [](int workers) {
    return cat(
        "RuntimeError: Timed out initializing process group in store based barrier on rank: "
        "1, for key: store_based_barrier_key:1 (world_size=2, worker_count=",
        workers, ", timeout=0:30:00)\n");
  };
  EXPECT_EQ(cause_of(barrier(4)), "torch-store-leftover");
  EXPECT_EQ(cause_of(barrier(1)), "torch-store");
  EXPECT_EQ(cause_of("INFO config (world_size=2, worker_count=4, batch=8)"), "none");
}

/// PyTorch's plugin for Ascend NPUs words its watchdog as PyTorch does.
TEST(NcclLogCausesInIssues, AWatchdogOfAnotherLibrary) {
  const std::string text =
      "[E compiler_depend.ts:421] [Rank 5] Watchdog caught collective operation timeout: "
      "WorkHCCL(SeqNum=11, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600196 milliseconds "
      "before timing out.\n";
  EXPECT_EQ(cause_of(text), "watchdog");
  EXPECT_TRUE(has_words(text, "HCCL of Ascend NPUs, no NCCL, number of ranks"));
  EXPECT_TRUE(has_words(text, "how HCCL was used"));
  EXPECT_FALSE(has_words(text, "which NCCL version"));
  // An import of PyTorch's plugin for them shows nothing.
  for (const char* const other :
       {"n1:1:1 [0] NCCL INFO Using network IB\n", "NCCL version 2.21.5+cuda12.4\n",
        "[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation "
        "timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE) ran for 600 milliseconds\n"}) {
    EXPECT_FALSE(has_words(other + text, "HCCL of Ascend")) << other;
    EXPECT_FALSE(
        has_words(cat("x/torch_npu/y.py: torch-npu is not installed\n", other), "HCCL of Ascend"))
        << other;
  }
}

/// MindSpore's documentation of distributed training: its exception refers to what is below.
TEST(NcclLogCausesInIssues, WhatHcclSays) {
  const std::string head =
      "Traceback (most recent call last):\n  File \"train.py\", line 7, in f\n    "
      "g()\nRuntimeError: Preprocess failed before run graph 0. The details "
      "refer to 'Ascend Error Message'.\n\n- Ascend Error Message:\n";
  EXPECT_EQ(cause_of(head + "EI0005: The arguments for collective communication are inconsistent "
                            "between ranks: tag [x], parameter [count], local [9], remote [8]\n"),
            "hccl-mismatch");
  EXPECT_EQ(cause_of(head + "EI0006: Getting socket times out. Reason: 1. The remote does not "
                            "initiate a connect request.\n"),
            "hccl-socket-timeout");
}

/// JAX logs the exception and goes on with the CPUs.
TEST(NcclLogCausesInIssues, JaxWithoutCuda) {
  const std::string text =
      "ERROR:2026-02-06 17:06:48,122:jax._src.xla_bridge:487: Jax plugin configuration error: "
      "Exception when calling jax_plugins.xla_cuda13.initialize()\n"
      "Traceback (most recent call last):\n  File \"/opt/jax/xla_bridge.py\", line 485, in f\n"
      "    plugin_module.initialize()\nRuntimeError: jaxlib/cuda/versions_helpers.cc:113: "
      "operation "
      "cuInit(0) failed: Unknown CUDA error 303\n";
  const Case one(text + "Training complete!\n");
  EXPECT_EQ(one.first(), "jax-no-cuda");
  EXPECT_FALSE(one.verdict.failed);
  EXPECT_TRUE(has_words(text + "Training complete!\n", "last line: log:6: Training complete!"));
}

/// What the job did when somebody ended it.
TEST(NcclLogCausesInIssues, WhatTheJobPrintedBeforeItsEnd) {
  const std::string end =
      "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT "
      "***\n";
  const std::string said = "before it the job printed: ";
  EXPECT_TRUE(has_words("epoch 3 done\n" + end, said + "epoch 3 done"));
  EXPECT_TRUE(has_words("x\r 40%|##  | 4/10\r 50%|### | 5/10\n\n" + end, said + "50%|### | 5/10"));
  EXPECT_TRUE(
      has_words("epoch 3\nsrun: Job step aborted: Waiting up to 32 seconds for job step to "
                "finish.\n" +
                    end,
                said + "epoch 3"));
  EXPECT_TRUE(has_words("{\"log\":\"epoch 3 done\\n\",\"stream\":\"stdout\"}\n" + end,
                        said + "epoch 3 done"));
  EXPECT_TRUE(has_words("epoch 3\n^C\n", said + "epoch 3"));
  EXPECT_FALSE(has_words(end, said));
  EXPECT_FALSE(has_words("epoch 3\nCUDA error: out of memory\n", said));
}

/// The numbers in the line rule out that others hold the memory.
TEST(NcclLogCausesInIssues, AGpuThatIsFullOfOneProcess) {
  const auto full = [](const char* wanted, const char* free, const char* own) {
    return cat("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ", wanted,
               ". GPU 0 has a total capacity of 23.60 GiB of which ", free,
               " is free. Including non-PyTorch memory, this process has ", own,
               " memory in use.\n");
  };
  EXPECT_EQ(cause_of(full("14.14 GiB", "8.22 GiB", "15.36 GiB")), "program-gpu-memory-own");
  EXPECT_EQ(cause_of(full("20.00 MiB", "1.00 MiB", "23.50 GiB")), "program-gpu-memory-own");
  EXPECT_EQ(cause_of(full("14.14 GiB", "8.22 GiB", "5.36 GiB")), "program-gpu-memory");
  EXPECT_EQ(cause_of(full("20.00 MiB", "8.22 GiB", "15.36 GiB")), "program-gpu-memory");
  EXPECT_FALSE(has_words(full("14.14 GiB", "8.22 GiB", "15.36 GiB"), "other processes"));
  std::string hip = full("14.14 GiB", "8.22 GiB", "15.36 GiB");
  hip.replace(hip.find("CUDA"), 4, "HIP");
  EXPECT_EQ(cause_of(hip), "program-gpu-memory-hip");
}

/// CPython Lib/argparse.py, ArgumentParser.error().
TEST(NcclLogCausesInIssues, OptionsThatTheProgramDoesNotKnow) {
  const std::string ended =
      "E0902 15:37:28.952000 1133389 torch/distributed/elastic/multiprocessing/api.py:880] failed "
      "(exitcode: 2) local_rank: 0 (pid: 7) of binary: /x/python3\n";
  for (const char* const text :
       {"train.py: error: unrecognized arguments: true",
        "[rank1]: train.py: error: the following arguments are required: --data",
        "train.py: error: argument --lr: invalid float value: 'x'",
        "train.py: error: argument --mode: expected one argument", "Error: No such option: --foo"})
    EXPECT_EQ(cause_of(cat("usage: train.py [-h]\n", text, "\n", ended)), "program-arguments")
        << text;
  EXPECT_EQ(cause_of("n1: error: argument list too long\n" + ended), "rank-failed");
  const std::string usage = "check.py: error: unrecognized arguments: --foo\n";
  EXPECT_EQ(cause_of(usage), "program-arguments") << "the file ends with it";
  // A helper, and a text about it.
  EXPECT_EQ(cause_of(usage + "NCCL version 2.21.5+cuda12.4\nTraining finished\n"), "none");
  for (const char* const text :
       {"README: a typo gives \"train.py: error: unrecognized arguments: --foo\"\n",
        "warn: see train.py: error: argument --x: expected one argument; using default\n"})
    EXPECT_EQ(cause_of(text), "none") << text;
}

/// CUDA reports this one at the call itself.
TEST(NcclLogCausesInIssues, WhereADeviceWasChosen) {
  const auto raised = [](const char* error) {
    return cat(
        "[rank12]: Traceback (most recent call last):\n[rank12]:   File \"/tmp/t.py\", line "
        "6, in <module>\n[rank12]:     x = torch.ones(9).cuda(rank)\n[rank12]:         "
        "^^^^^^^\n[rank12]: torch.AcceleratorError: CUDA error: ",
        error, "\n");
  };
  EXPECT_TRUE(has_words(raised("invalid device ordinal"),
                        "raised in <module> at /tmp/t.py:6: x = torch.ones(9).cuda(rank)"));
  EXPECT_FALSE(has_words(raised("an illegal memory access was encountered"), "raised in"));
}

TEST(NcclLogCausesInIssues, TheGoodEndOfAllProcesses) {
  const auto good = [](int pid) {
    return cat("n1: [2026-04-11 11:24:09,202] [INFO] [launch.py:367:main] Process ", pid,
               " exits successfully.\n");
  };
  EXPECT_TRUE(has_words(good(1) + good(2), "reports the good end of 2 processes"));
  EXPECT_TRUE(has_words(good(1), "reports the good end of 1 process"));
  EXPECT_FALSE(has_words(good(1) + "CUDA error: out of memory\n", "reports the good end"));
  const auto mlperf = [](const char* key, const char* status) {
    return cat(":::MLLOG {\"key\": \"", key, "\", \"metadata\": {\"status\": \"", status, "\"}}\n");
  };
  const std::string run = mlperf("run_start", "") + mlperf("run_stop", "success");
  EXPECT_TRUE(has_words(run, "the program reports that its run was a success"));
  EXPECT_FALSE(has_words(run + mlperf("run_start", "") + mlperf("run_stop", "aborted"),
                         "its run was a success"));
}

TEST(NcclLogCausesInIssues, LinesOfNccl1) {
  const std::string text =
      "NCCL version 1.3.4 compiled with CUDA 8.0\nINFO rank access 0 -> 1 via P2P device mem\n"
      "WARN src/reduce.cu:126 Cuda failure 'invalid resource handle'\n";
  EXPECT_TRUE(has_words(text, "that is not read in lines of NCCL 1"));
  EXPECT_FALSE(has_words(text, "NCCL_DEBUG=INFO shows it"));
}

/// vllm-project/vllm vllm/v1/executor/multiproc_executor.py.
TEST(NcclLogCausesInIssues, AServerThatHeardOfADeadWorker) {
  EXPECT_EQ(cause_of("CRITICAL 04-27 01:29:53 [core_client.py:359] Got fatal signal from worker "
                     "processes, shutting down. See stack trace above for root cause issue.\n"),
            "python-server-failed");
}

/// The line of the program names nobody, and mpirun does.
TEST(NcclLogCausesInIssues, WhomMpirunNames) {
  const std::string error = "Failed: Cuda error example.cu:107 'invalid device ordinal'\n";
  const auto report = [](const char* name) {
    return cat(
        "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
        "the job to be terminated. The first process to do so was:\n\n  Process name: ",
        name, "\n  Exit code:    1\n");
  };
  EXPECT_TRUE(has_words(error + report("[[34415,1],1]"), "mpirun reports that rank 1 ended first"));
  // Two first ones are of two runs, and this line may be of either.
  EXPECT_FALSE(has_words(error + report("[[34415,1],1]") + report("[[3441,1],0]"),
                         "ended first; this line"));
  // Who says that others are missing did not end because of it.
  EXPECT_FALSE(
      has_words("[missing ranks: 0]\n" + report("[[34415,1],1]"), "ended first; this line"));
  for (const char* const name : {"[[34415,1],x]", "[34415,1]", "prterun-n1-7@1"})
    EXPECT_FALSE(has_words(error + report(name), "ended first; this line")) << name;
}

/// In the shape of hpc_results and of the documentation of CSCS.
TEST(NcclLogCausesInIssues, WhatKeepsATaskFromStarting) {
  const std::string ended = "srun: error: n1: task 0: Exited with exit code 1\n";
  EXPECT_EQ(
      cause_of("0: libnuma: Warning: cpu argument 64-71 is out of range\n0: \n0: usage: numactl "
               "[--all | -a]\n0: <0-7,64-71> is invalid\n" +
               ended),
      "numa-binding");
  EXPECT_EQ(cause_of("slurmstepd: error: pyxis: container start failed with error code: 1\n"
                     "slurmstepd: error: pyxis:     id: cannot find name for user ID 42\n"
                     "slurmstepd: error: pyxis:     mkdir: cannot create directory '/scratch/42': "
                     "Permission denied\n" +
                     ended),
            "container-user");
  EXPECT_EQ(cause_of("groups: cannot find name for user ID 42\n" + ended), "rank-failed");
}

/// Whose code it was, where NCCL had no part in it.
TEST(NcclLogCausesInIssues, WhereACrashOfOthersWas) {
  const auto line = [](const char* text) { return cat("[n1:31808] ", text, "\n"); };
  const std::string crash = line("*** Process received signal ***") +
                            line("Signal: Segmentation fault (11)") +
                            line("[ 0] /lib64/libc.so.6(+0x42520)[0x7f81fb0d1520]");
  EXPECT_TRUE(has_words(crash + line("[ 1] /opt/mpi/lib/libmpi.so.40(NBC_Progress+0x164)[0x7f81]"),
                        "a trace begins in NBC_Progress() in libmpi.so.40"));
  EXPECT_TRUE(has_words(crash + line("[ 1] /opt/mpi/lib/libmpi.so.40(+0x19f1c8)[0x7f81]"),
                        "a trace begins in libmpi.so.40"));
  EXPECT_FALSE(has_words(crash + line("[ 3] /opt/mpi/lib/libmpi.so.40(+0x19f1c8)[0x7f81]"),
                         "a trace begins"));
}

/// Rank 0 ended first, which has the store, and the others warn of that.
TEST(NcclLogCausesInIssues, AStoreThatEndsAfterTheWork) {
  const std::string warned =
      "[rank3]:[W1210 05:39:36.098984420 TCPStore.cpp:125] [c10d] recvValue failed on "
      "SocketImpl(fd=98, addr=[localhost]:44628, remote=[localhost]:23456): failed to recv, got 0 "
      "bytes\n";
  EXPECT_FALSE(Case(warned + "DONE!\n").verdict.failed);
  EXPECT_TRUE(has_words(warned + "DONE!\n", "last line: log:2: DONE!"));
  EXPECT_TRUE(
      Case("torch.distributed.DistNetworkError: failed to recv, got 0 bytes\n").verdict.failed);
  EXPECT_TRUE(Case(warned + "srun: error: n1: task 0: Exited with exit code 1\n").verdict.failed);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
