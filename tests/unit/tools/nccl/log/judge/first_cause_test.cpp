// SPDX-License-Identifier: Apache-2.0
//
// Which of the errors of a log is the first cause, and what is none: lines in the shape of those of
// NVIDIA/nccl's sources and issues that are named at them.

#include "base/text.hpp"
#include "tools/nccl/log/judge/suggestions.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

std::string warn_of(std::uint32_t host, const std::string& text) {
  return cat("n", host, ":10:2 [0] x.cc:1 NCCL WARN ", text, "\n");
}

std::string info_of(std::uint32_t host, const std::string& text) {
  return cat("n", host, ":10:2 [0] NCCL INFO ", text, "\n");
}

std::string complete(std::uint32_t rank) {
  return info_of(rank, cat("ncclCommInitRank comm 0x1 rank ", rank,
                           " nranks 4 cudaDev 0 commId 0x5 - Init COMPLETE"));
}

const char* const kRetryExceeded =
    "NET/IB : Got completion from peer 10.0.0.1<3> with status=12 opcode=1 len=0 vendor err 129";
const char* const kClosed = "socketProgress: Connection closed by remote peer n1<42830>";

TEST(NcclLogJudgeFirstCause, AnEarlierWarningOfAPeerBeatsALaterConsequence) {
  EXPECT_EQ(
      Case(warn_of(1, "Something that nobody catalogued") + warn_of(0, kRetryExceeded)).first(),
      "uncatalogued");
  EXPECT_EQ(
      Case(warn_of(0, kRetryExceeded) + warn_of(1, "Something that nobody catalogued")).first(),
      "ib-retry-exceeded");
  // NVIDIA/nccl issue 1710: the event of the peer, whatever the order.
  const std::string event =
      warn_of(1, "NET/IB : mlx5_0:1 Got async event : local access violation work queue error");
  const std::string refused =
      warn_of(0,
              "NET/IB : Got completion from peer 10.1.3.201<33057> with status=9 opcode=0 len=0 "
              "vendor err 138 (Send)");
  EXPECT_EQ(Case(event + refused).first(), "ib-async-memory");
  EXPECT_EQ(Case(refused + event).first(), "ib-async-memory");
  // What can only be where it began comes before all of them.
  EXPECT_EQ(Case(warn_of(0, "Something that nobody catalogued") +
                 warn_of(1, "Duplicate GPU detected : rank 2 and rank 0 both on CUDA device 1000"))
                .first(),
            "duplicate-gpu");
}

/// NVIDIA/nccl issue 975: the line with the reason, also where it comes later.
TEST(NcclLogJudgeFirstCause, ALineWithAReasonBeatsACallThatGivesNone) {
  const std::string silent = info_of(0, "misc/socket.cc:504 -> 2 (Operation now in progress)");
  const std::string aborted =
      "socketStartConnect: Connect to fe80::966d:ae03:a2:8cf0%ib1<17943> failed : Software caused "
      "connection abort";
  EXPECT_EQ(Case(silent).first(), "connect-silent");
  const Case both(silent + warn_of(1, aborted));
  EXPECT_EQ(both.first(), "connect-aborted-link-local-6");
  EXPECT_NE(printed(both).find("link-local"), std::string::npos);
  // What follows from something else comes behind both.
  EXPECT_EQ(Case(warn_of(1, kClosed) + silent).first(), "connect-silent");
}

/// ROCm/rccl issue 526, and Intel's Fortran: somebody pressed Ctrl-C.
TEST(NcclLogJudgeFirstCause, AnInterruptIsSaid) {
  const std::string begun = info_of(0, "Connected all rings");
  for (const char* const line : {"^C", "^C\r", "KeyboardInterrupt", "[rank0]: KeyboardInterrupt",
                                 "forrtl: error (69): process interrupted (SIGINT)"}) {
    EXPECT_EQ(Case(cat(begun, "64\n", line, "\nmore\n")).first(), "interrupted") << line;
    EXPECT_EQ(Case(cat("128\n", line, "\n", begun)).first(), "interrupted") << line;
    EXPECT_EQ(Case(cat(warn_of(0, kRetryExceeded), line, "\n")).first(), "ib-retry-exceeded");
  }
  for (const char* const line : {"press ^C to stop", "^CUDA", "  except KeyboardInterrupt:"})
    EXPECT_EQ(Case(cat(begun, line, "\nmore\n")).first(), "none") << line;
}

/// NVIDIA/nccl-tests issue 300: NVML ran, and knows no such GPU.
TEST(NcclLogJudgeFirstCause, AGpuThatNvmlDoesNotFindIsNoMissingDriver) {
  const std::string text =
      printed(Case(warn_of(0, "nvmlDeviceGetHandleByPciBusId() failed: Not Found")));
  EXPECT_NE(text.find("hidden from this process"), std::string::npos) << text;
  EXPECT_EQ(text.find("not loaded"), std::string::npos) << text;
}

/// aws-samples/training-on-eks, ROCm/rccl issue 908, and a log of MLPerf Training 5.0: what the
/// line does not show is only possible.
TEST(NcclLogJudgeFirstCause, PossibleReasonsAreNoFacts) {
  for (const std::string& line :
       {warn_of(0, "NET/IB : Requested properties for vNic 4, only 4 vNics have been created"),
        cat("n0:10:2 [0] NCCL INFO init.cc:1 -> 2\n",
            "n0:10:2 [1] src/transport/p2p.cc:222 NCCL WARN Cuda failure 'invalid argument'\n"),
        warn_of(0, "hipIpcGetMemHandle failed : invalid argument"),
        warn_of(0,
                "NET/OFI Request 0x7f completed with error. RC: 103. Error: 4126 (Unresponsive "
                "receiver (reachable by EFA device but handshake failed)")}) {
    const Case one(line);
    ASSERT_TRUE(one.verdict.first) << line;
    const std::uint32_t cause = one.log.events[*one.verdict.first].cause;
    ASSERT_NE(cause, kNone) << line;
    const std::string why =
        why_of(one.log, one.verdict, causes()[cause], one.log.events[*one.verdict.first]);
    EXPECT_NE(why.find("Possible reasons: "), std::string::npos) << line;
  }
}

TEST(NcclLogJudgeFirstCause, AWarningAfterWhichTheProcessWentOnIsNone) {
  const std::string odd = warn_of(0, "Something that nobody catalogued");
  for (const std::string& went_on :
       {complete(0), info_of(0, "Connected all rings"), info_of(0, "Using network IB"),
        info_of(0, "comm 0x1 rank 0 nranks 4 cudaDev 0 busId 1000 - Destroy COMPLETE")}) {
    const Case one(odd + went_on);
    EXPECT_EQ(one.first(), "none") << went_on;
    EXPECT_EQ(one.verdict.went_on.size(), 1U) << went_on;
    EXPECT_EQ(Case(odd + went_on + warn_of(0, kClosed)).first(), "peer-closed");
  }
  EXPECT_EQ(Case(odd + complete(1)).first(), "uncatalogued");  // of another process
  // NCCL says that the call failed: the communicator that stands later is another one.
  EXPECT_EQ(Case(odd + info_of(0, "transport/net.cc:12 -> 3") + complete(0)).first(),
            "uncatalogued");
  // 7 is "in progress".
  EXPECT_EQ(Case(odd + info_of(0, "group.cc:12 -> 7") + complete(0)).first(), "none");
  // nccl-tests ended well.
  EXPECT_EQ(Case(odd + "# Out of bounds values : 0 OK\n").first(), "none");
  EXPECT_EQ(Case("# Out of bounds values : 0 OK\n" + odd).first(), "uncatalogued");
}

/// mlcommons/logging mlperf_logging/mllog; shapes of mlcommons/training_results_v5.0 and v5.1.
TEST(NcclLogJudgeFirstCause, WhatFollowsARunThatEndedWell) {
  const auto mlperf = [](const std::string& key, const std::string& status) {
    return cat(
        " 0: :::MLLOG {\"namespace\": \"\", \"time_ms\": 1000, \"event_type\": \"X\", "
        "\"key\": \"",
        key, "\", \"value\": null, \"metadata\": {\"file\": \"a.py\", \"lineno\": 1", status,
        "}}\n");
  };
  const std::string success = mlperf("run_stop", ", \"status\": \"success\"");
  const std::string closing =
      warn_of(2, "[Service thread] Accept failed Resource temporarily unavailable") +
      info_of(2, "misc/socket.cc:826 -> 3") + warn_of(2, "Something that nobody catalogued") +
      " 9: [rank9]:[W0102 03:04:05.6 TCPStore.cpp:125] [c10d] recvValue failed on "
      "SocketImpl(fd=7, addr=[n1]:40002, remote=[n0]:29500): Failed to recv, got 0 bytes.\n";
  const Case one(success + closing);
  EXPECT_EQ(one.first(), "none");
  EXPECT_FALSE(one.verdict.failed);
  EXPECT_EQ(one.verdict.after_success.size(), 3U);
  EXPECT_NE(printed(one).find("Printed after the program had reported success (log:1)\n"),
            std::string::npos)
      << printed(one);
  // It did not end well, it is not known, or it ended later.
  for (const std::string& other :
       {mlperf("run_stop", ", \"status\": \"aborted\""), mlperf("run_stop", ""),
        mlperf("eval_stop", ", \"status\": \"success\""), std::string()})
    EXPECT_EQ(Case(other + closing).first(), "uncatalogued") << other;
  EXPECT_EQ(Case(closing + success).first(), "uncatalogued");
  // Another run began, with an error that the end of the one before had as well.
  for (const std::string& again :
       {mlperf("init_start", ""), mlperf("run_start", ""), complete(0)}) {
    EXPECT_EQ(Case(success + again + closing).first(), "uncatalogued") << again;
    const Case two(success + closing + again + warn_of(3, kClosed) + closing);
    EXPECT_EQ(two.first(), "uncatalogued") << again;
    EXPECT_TRUE(two.verdict.after_success.empty()) << again;
    EXPECT_EQ(Case(success + closing + again).first(), "none") << again;
  }
  // Somebody else ended the job then, or a process raised an exception.
  const Case limit(success + closing +
                   "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE "
                   "TO TIME LIMIT ***\n");
  EXPECT_EQ(limit.first(), "slurm-step-time-limit");
  EXPECT_NE(printed(limit).find("Before it, the program reported that its run was a success "
                                "(log:1)."),
            std::string::npos)
      << printed(limit);
  EXPECT_EQ(Case(success + "Traceback (most recent call last):\n  File \"a.py\", line 1\n" +
                 "OSError: full\n")
                .first(),
            "program-exception");
}

TEST(NcclLogJudgeFirstCause, HintsAreNone) {
  for (const char* const text :
       {"Cannot get incoming CPU.",
        "Maximum retry reached for accept 3.",  // nccl-fastsocket issue 4
        "Could not find real path of /sys/class/net/eth0/device",
        "NET/IB : mlx5_0:1 Got async event : port active",
        "NET/IB : mlx5_0:1 Got async error event: client reregistration event",
        "socketFinalizeAccept: wrong magic 5353482d 2e302d4f != 1",
        "[Service thread] Unknown command 66326 from localRank -1",
        "NET/OFI Could not find ncclGetVersion symbol",  // aws/aws-ofi-nccl up to 1.9
        // ROCm/rccl-tests issue 50.
        "Missing \"amd_iommu=on\" from kernel command line which can lead to system instablity or "
        "hang!",
        "Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\" from environment which can lead to low RCCL "
        "performance, system instablity or hang!"})
    EXPECT_EQ(Case(warn_of(0, text)).first(), "none") << text;
}

TEST(NcclLogJudgeFirstCause, RetriesThatRanOutAreErrors) {
  // src/misc/socket.cc, NVIDIA/nccl v2.27.3.
  const auto retry = [](int time) {
    return info_of(0,
                   cat("socketPollConnect: connect to 10.0.0.2<45763> returned Connection refused, "
                       "retrying (",
                       time, "/34) after sleep for 100 msec"));
  };
  const Case tried(retry(33) + warn_of(0, kClosed));
  EXPECT_EQ(tried.first(), "peer-closed");
  const Case out(retry(33) + retry(34) + warn_of(0, kClosed));
  EXPECT_EQ(out.first(), "connect-refused");
  EXPECT_EQ(Case(retry(34) + complete(0)).first(), "none");
  EXPECT_EQ(Case(retry(2) + complete(0)).verdict.went_on.size(), 0U);
}

TEST(NcclLogJudgeFirstCause, ACallThatFailedWithoutAWarning) {
  // NVIDIA/nccl issue 675.
  const Case one(info_of(0, "transport/net.cc:140 -> 3") + info_of(0, "init.cc:778 -> 3") +
                 info_of(0, "group.cc:72 -> 3 [Async thread]"));
  EXPECT_EQ(one.first(), "call-failed");
  EXPECT_EQ(one.log.events.size(), 1U);
  // NVIDIA/nccl issue 697: a log that is cut there.
  EXPECT_EQ(
      Case(info_of(0, "include/net.h:25 -> 2") + info_of(0, "transport/net.cc:515 -> 2")).first(),
      "call-failed");
  // Deep in NCCL one may fail and be gone round: NVIDIA/nccl issue 367.
  EXPECT_EQ(Case(info_of(0, "include/net.h:19 -> 2")).first(), "none");
  EXPECT_EQ(Case(warn_of(0, kClosed) + info_of(0, "init.cc:778 -> 6")).log.events.size(), 1U);
  // So it does behind a warning (ncclNetPciPath() of 2.4, NVIDIA/nccl issue 367).
  const std::string device = warn_of(0, "Call to ibv_open_device failed");
  const std::string path = info_of(0, "include/net.h:19 -> 2");
  EXPECT_EQ(Case(device + path + complete(0)).first(), "none");
  EXPECT_EQ(Case(device + path + info_of(0, "transport/net.cc:515 -> 2") + complete(0)).first(),
            "ib-device-closed");
}

/// RCCL's files end with ".cpp", and are behind the directory of its build. That its proxy fails,
/// and closes the connection to its own process, follows (NVIDIA/nccl v2.16.5 src/proxy.cc).
TEST(NcclLogJudgeFirstCause, ACallThatFailedInRccl) {
  const std::string build = "/usr/src/debug/rccl/build/src/";
  const auto call = [&](const char* at) { return info_of(0, cat(build, at)); };
  const Case one(call("misc/socket.cpp:572 -> 2") + call("transport/net_socket.cpp:336 -> 2") +
                 call("include/net.h:26 -> 2") + call("transport/net.cpp:550 -> 2") +
                 warn_of(0,
                         "[Proxy Service 0] Failed to execute operation Connect from rank 0, "
                         "retcode 2") +
                 warn_of(0, "socketProgress: Connection closed by remote peer n0<57521>"));
  ASSERT_EQ(one.first(), "connect-silent");
  EXPECT_EQ(one.log.events[*one.verdict.first].text, "misc/socket.cpp:572 -> 2");
  EXPECT_EQ(one.verdict.networks, std::vector<std::string>{"Socket"});
  EXPECT_NE(printed(one).find("connect-silent: at least 4 lines"), std::string::npos);
  EXPECT_EQ(Case(call("misc/utils.cpp:5 -> 2")).first(), "none");
  EXPECT_EQ(Case(info_of(0, "/init/src/init.cpp:5 -> 3")).log.events[0].text, "init.cpp:5 -> 3");
  EXPECT_EQ(Case(info_of(0, "plugin tried /x/src/init.cpp:5 -> 3")).first(), "none");
  EXPECT_EQ(Case(call("init.cpp:1264 -> 3")).first(), "call-failed");
  EXPECT_EQ(Case(call("init.cpp:1264 -> 0") + call("init.cpp:1264 -> 7")).first(), "none");
}

/// vllm-project/vllm issue 10453: the first call says where it was.
TEST(NcclLogJudgeFirstCause, TheFirstOfTheCallsThatFailed) {
  const Case one(info_of(0, "graph/paths.cc:260 -> 3") + info_of(1, "graph/paths.cc:260 -> 3") +
                 info_of(0, "transport/p2p.cc:123 -> 3") + info_of(0, "init.cc:1014 -> 3") +
                 info_of(0, "init.cc:1548 -> 3"));
  ASSERT_EQ(one.log.events.size(), 1U);
  const Event& event = one.log.events[0];
  EXPECT_EQ(event.text, "graph/paths.cc:260 -> 3");
  EXPECT_EQ(event.line, 1U);
  EXPECT_EQ(event.count, 4U);
  // One after which the process went on, or of another thread, is of another failure.
  for (const std::string& before :
       {info_of(0, "misc/ibvwrap.cc:100 -> 3") + complete(0),
        std::string("n0:1:77 [0] NCCL INFO transport/net_ib.cc:100 -> 3\n")})
    EXPECT_EQ(Case(before + info_of(0, "init.cc:1014 -> 3")).log.events[0].text,
              "init.cc:1014 -> 3");
  // So is another result, or one of long ago.
  std::string between;
  for (int i = 0; i < 65; ++i) between += info_of(0, "Trees [0] -1/-1/-1->0->1");
  for (const std::string& before :
       {info_of(0, "include/net.h:19 -> 2"), info_of(0, "graph/paths.cc:260 -> 3") + between})
    EXPECT_EQ(Case(before + info_of(0, "init.cc:1014 -> 3")).log.events[0].text,
              "init.cc:1014 -> 3");
}

TEST(NcclLogJudgeFirstCause, WhatCanFollowFromAPeerIsSaidToBeSo) {
  const std::vector<Outcome> outcomes;
  const auto said = [&](const std::string& text) {
    const Case one(text);
    return program::text::nccl_explain({causes(), one.log, one.verdict, outcomes}, {});
  };
  EXPECT_NE(said(warn_of(0, kRetryExceeded)).find("It can also follow"), std::string::npos);
  EXPECT_EQ(said(warn_of(0, "Invalid NCCL_COMM_ID, please use format")).find("It can also follow"),
            std::string::npos);
}

/// The number of ranks that both sides say (bootstrap.cc of 2.28), where they differ in the rest.
TEST(NcclLogJudgeFirstCause, RanksThatBothSidesSay) {
  const auto said = [](const std::string& text) {
    return Case(warn_of(0, "Bootstrap Root : mismatch in info from procs, nranks " + text))
        .verdict.said_ranks;
  };
  EXPECT_EQ(said("16 vs 16, nroots 1 vs 1, iroot 0 vs 0, offset 0 vs 1305411586"), 16U);
  EXPECT_EQ(said("16 vs 8, nroots 1 vs 1, iroot 0 vs 0, offset 0 vs 0"), 0U);
  EXPECT_EQ(said("16"), 0U);
}

TEST(NcclLogJudgeFirstCause, ReasonsForEverydayErrors) {
  const auto first = [](const std::string& text) { return Case(warn_of(0, text)).first(); };
  const std::vector<std::pair<const char*, const char*>> all = {
      {"Duplicate GPU detected : rank 2 and rank 0 both on CUDA device 1000", "duplicate-gpu"},
      {"Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1",
       "duplicate-gpu"},
      {"Bootstrap Root : rank 1 of 8 ranks has already checked in", "rank-checked-in"},
      {"Bootstrap Root : mismatch in rank count from procs 6 : 3", "bootstrap-mismatch"},
      {"Call to ibv_create_qp failed", "ib-no-errno"},
      {"Call to ibv_create_cq failed", "ib-no-errno"},
      {"Call to ibv_create_cq failed with error Cannot allocate memory", "ib-cq-memlock"},
      {"NET/IB : Got async event : local catastrophic error", "ib-device-fatal"},
      {"Call to ibv_get_async_event failed", "ib-async-thread"},
      {"NET/OFI Couldn't open AV. RC: -22, ERROR: Invalid argument", "ofi-address-vector"},
      {"socketFinalizeAccept: wrong type 4 != 3", "network-differs"},
      {"socketFinalizeAccept from 10.0.0.1<4>: wrong type 1 != 2", "connection-of-another-kind"},
      {"Mismatched collective detected, please check your collective calls at and around rank 11.",
       "call-differs"},
      {"Message truncated : received 256 bytes instead of 4", "bootstrap-truncated"},
      {"Recv : invalid root 0 (root should be in the 0..0 range)", "communicator-empty"},
      {"Send : invalid root 3 (root should be in the 0..0 range)", "communicator-empty"},
      {"failed to register host buffer 0x7f68 : invalid argument", "shm-register"},
      {"[Service thread] Accept failed Resource temporarily unavailable", "proxy-aborted"},
      {"Invalid rank requested : 2/2", "rank-invalid"},
      {"Net : Connect to 172.16.0.4<17943> failed : Network is unreachable",
       "connect-net-unreachable"},
      {"Net : Connect to fe80::1%ib1<17943> failed : Network is unreachable",
       "connect-link-local-6"},
      {"Call to ibv_modify_qp failed with error Network is unreachable", "ib-qp-unreachable-gid"},
      {"socketStartConnect: Connect to 10.0.0.2<45763> failed : Software caused connection abort",
       "connect-aborted"},
      {"socketPollConnect: exceeded retries (20000)", "connect-given-up"},
      {"nvmlInit_v2() failed: Driver/library version mismatch", "nvml-mismatch"},
      {"nvmlInit_v2() failed: Unknown Error", "nvml-failed"},
      {"Cuda failure 711 'peer mapping resources exhausted'", "cuda-too-many-peers"},
      {"Cuda failure 'peer mapping resources exhausted'", "cuda-too-many-peers"},
      {"Cuda failure 800 'operation not permitted'", "cuda-not-permitted"},
      {"Cuda failure 401 'the operation cannot be performed in the present state'", "nvls-bind"},
      {"Cuda failure 101 'invalid device ordinal'", "cuda-device-ordinal"},
      {"Cuda failure 700 'an illegal memory access was encountered'", "cuda-kernel"},
      {"Cuda failure 2 'out of memory'", "cuda-oom"},
      {"Cuda failure 'invalid argument'", "cuda-invalid-argument"},
      {"Cuda failure 12 'something new'", "cuda-failure"},
      {"NET/IB : mlx5_1:1 async fatal event on QP (0x7309dc3bb338): invalid request local work "
       "queue "
       "error",
       "ib-async-request"},
      {"NET/IB : mlx5_ib0:1 async fatal event on QP (0x7f69f01519a8): local access violation work "
       "queue error",
       "ib-async-memory"},
      {"NET/IB : mlx5_0:1 async fatal event on QP (0x7): local work queue catastrophic error",
       "ib-async-queue"},
      {"NET/IB : mlx5_0:1 async fatal event on CQ (0x7): CQ error", "ib-async-queue"},
      {"NET/IB : mlx5_0:1 Got async error event: port error", "ib-async-port"},
      {"communicator encountered a fatal error (detected in ncclIbTest)", "communicator-fatal"},
      {"NET/IB: Got completion from peer 10.0.0.2<3> with status=10 opcode=0 len=0 vendor err 136",
       "ib-remote-access"},
      {"NET/IB: Got completion from peer 10.0.0.2<3> with status=IBV_WC_RNR_RETRY_EXC_ERR(13) "
       "opcode=IBV_WC_SEND(0) vendor_err=135",
       "ib-receiver-not-ready"},
      {"NET/IB: Got completion from peer 10.0.0.2<3> with status=2 opcode=0 len=0 vendor err 104",
       "ib-completion"},
      {"Error while attaching to shared memory segment /dev/shm/nccl-g (size 14156128), error: No "
       "such file or directory (2)",
       "shm-attach"},
      {"Proxy Call to rank 7 failed (Connect)", "proxy"},
      {"NET/OFI Request 0x7f completed with error. RC: 113. Error: Unresponsive receiver",
       "ofi-unreachable"},
      {"Could not open XML graph file /opt/microsoft/ncv4/graph.xml : No such file or directory",
       "xml-file-open"},
      // Seen with NCCL 2.28.9: a file without quotes around a value.
      {"XML Parse : Expected (double) quote.", "xml-file"},
      // NVIDIA/nccl-tests issue 124.
      {"Cuda failure 'CUDA driver is a stub library'", "cuda-stub"},
      // aws/aws-ofi-nccl src/nccl_ofi_net.cpp.
      {"NET/OFI Unable to find a protocol that worked.  Failing initialization.",
       "ofi-no-protocol"},
      // Seen with NCCL 2.28.9 and NCCL_NET=Sockets.
      {"Failed to initialize any NET plugin", "no-network-plugin"},
      {"Error : Network returned 0 device", "network-no-device"}};
  for (const auto& [text, cause] : all) EXPECT_EQ(first(text), cause) << text;
}

/// The number and the text of CUDA (driver_types.h), in the file that NCCL says in front of it.
TEST(NcclLogJudgeFirstCause, ErrorsOfCudaByNumberAndFile) {
  struct Said {
    const char* file;
    const char* text;
    const char* cause;
  };
  const std::vector<Said> all = {
      // NVIDIA/nccl issue 1672, NVIDIA/nccl-tests issue 276.
      {"transport/nvls.cc:157", "1 'invalid argument'", "nvls-cuda"},
      {"transport/nvls.cc:223", "999 'unknown error'", "nvls-cuda"},
      {"transport/nvls.cc:223", "101 'invalid device ordinal'", "nvls-cuda"},
      {"transport/nvls.cc:223", "801 'operation not supported'", "nvls-cuda"},
      {"transport/nvls.cc:246", "3 'initialization error'",
       "cuda-no-device"},  // pytorch issue 130113
      {"transport/nvls.cc:223", "800 'operation not permitted'", "nvls-cuda"},
      {"transport/nvls.cc:223", "401 'the operation cannot be performed in the present state'",
       "nvls-bind"},
      {"transport/nvls.cc:223", "2 'out of memory'", "cuda-oom"},
      {"transport/nvls.cc:223", "700 'an illegal memory access was encountered'", "cuda-kernel"},
      // NVIDIA/nccl issue 1518.
      {"misc/shmutils.cc:103", "1 'invalid argument'", "cuda-shm-register"},
      {"misc/shmutils.cc:103", "719 'unspecified launch failure'", "cuda-kernel"},
      // sgl-project/sglang issue 6246, NVIDIA/nccl issue 842.
      {"transport/p2p.cc:275", "'invalid argument'", "cuda-peer-memory"},
      {"transport/p2p.cc:275", "101 'invalid device ordinal'", "cuda-device-ordinal"},
      // ROCm/rccl, hipIpcGetMemHandle().
      {"/rccl/src/transport/p2p.cpp:275", "'invalid argument'", "cuda-peer-memory"},
      {"/rccl/src/enqueue.cc:66", "'invalid kernel file'", "cuda-no-kernel-image"},
      {"/rccl/build/hipify/src/transport/p2p.cc:228", "'invalid device pointer'",
       "cuda-peer-memory"},
      {"enqueue.cc:43", "1 'invalid argument'", "cuda-launch"},
      {"init.cc:43", "1 'invalid argument'", "cuda-invalid-argument"},
      {"enqueue.cc:43", "2 'out of memory'", "cuda-oom-enqueue"},
      {"init.cc:43", "2 'out of memory'", "cuda-oom"},
      {"init.cc:43", "3 'initialization error'", "cuda-no-device"},
      {"init.cc:43", "35 'CUDA driver version is insufficient for CUDA runtime version'",
       "cuda-driver-old"},
      {"init.cc:43", "222 'the provided PTX was compiled with an unsupported toolchain.'",
       "cuda-driver-old"},
      {"init.cc:43", "46 'CUDA-capable device(s) is/are busy or unavailable'", "cuda-busy"},
      {"init.cc:43", "100 'no CUDA-capable device is detected'", "cuda-no-device"},
      {"init.cc:43", "101 'invalid device ordinal'", "cuda-device-ordinal"},
      {"enqueue.cc:54", "400 'invalid resource handle'", "cuda-handle"},
      {"enqueue.cc:1556", "700 'an illegal memory access was encountered'", "cuda-kernel"},
      {"p2p.cc:1", "711 'peer mapping resources exhausted'", "cuda-too-many-peers"},
      {"enqueue.cc:1556", "719 'unspecified launch failure'", "cuda-kernel"},
      {"init.cc:43", "800 'operation not permitted'", "cuda-not-permitted"},
      {"init.cc:43", "801 'operation not supported'", "cuda-not-supported"},
      {"init.cc:43", "802 'system not yet initialized'", "cuda-fabric"},
      {"init.cc:43", "803 'system has unsupported display driver / cuda driver combination'",
       "cuda-driver-mixed"},
      {"init.cc:43", "804 'forward compatibility was attempted on non supported HW'",
       "cuda-driver-mixed"},
      {"enqueue.cc:43", "900 'operation not permitted when stream is capturing'", "cuda-capture"},
      {"enqueue.cc:43", "901 'operation failed due to a previous error during capture'",
       "cuda-capture"},
      {"include/alloc.h:123", "999 'unknown error'", "cuda-unknown"}};
  for (const Said& said : all)
    EXPECT_EQ(
        Case(cat("n0:10:2 [0] ", said.file, " NCCL WARN Cuda failure ", said.text, "\n")).first(),
        said.cause)
        << said.file << " " << said.text;
  // The line before says which call that was.
  const std::string failed = "n0:10:2 [0] /rccl/src/transport/p2p.cc:22";
  const Case handle(failed + "0 NCCL WARN hipIpcGetMemHandle failed : invalid argument\n" + failed +
                    "2 NCCL WARN Cuda failure 'invalid argument'\n");
  ASSERT_EQ(handle.first(), "cuda-memory-handle");
  EXPECT_EQ(handle.log.events[*handle.verdict.first].line, 1U);
  // With the time and the function in front (2.26.2, 2.30.7), and where the name is cut off.
  EXPECT_EQ(Case("[2026-01-31 08:15:00] n0:10:2 [0] transport/nvls.cc:9 (nvlsBind) NCCL WARN Cuda "
                 "failure 1 'invalid argument'\n")
                .first(),
            "nvls-cuda");
  EXPECT_EQ(Case("[1] misc/shmutils.cc:103 NCCL WARN Cuda failure 'invalid argument'\n").first(),
            "cuda-shm-register");
  // PyTorch's last error does not say the file.
  EXPECT_EQ(Case("ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure "
                 "1 'invalid argument'\n")
                .first(),
            "cuda-invalid-argument");
}

TEST(NcclLogJudgeFirstCause, MoreReasons) {
  const auto first = [](const std::string& text) { return Case(warn_of(0, text)).first(); };
  const std::vector<std::pair<const char*, const char*>> all = {
      // NVIDIA/nccl issues 210 and 1837.
      {"Socket creation failed : Address family not supported by protocol", "no-address"},
      {"ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) nor "
       "AF_INET6(10)",
       "address-garbage"},
      // NVIDIA/nccl issue 1267 (different versions), NVIDIA/nccl-tests issue 294.
      {"ncclSocketInit: connecting to address  with family 0 is neither AF_INET(2) nor "
       "AF_INET6(10)",
       "no-address"},
      // sgl-project/sglang issue 6017.
      {"socketStartConnect: Connect to 169.254.20.10<43369> failed : Software caused connection "
       "abort",
       "connect-link-local"},
      {"socketPollConnect: Connect to 10.169.254.4<56849> returned 113(No route to host) errno "
       "115(Operation now in progress)",
       "connect-no-route"},  // sgl-project/sglang issue 3820
      // NVIDIA/nccl issue 328.
      {"Call to shm_open failed : Permission denied", "shm-permission"},
      {"Error while creating shared memory segment /dev/shm/nccl-L (size 4460544), error: "
       "Permission "
       "denied (13)",
       "shm-permission"},
      // aikitoria/open-gpu-kernel-modules issue 38.
      {"Cuda failure 205 'mapping of buffer object failed'", "cuda-map"},
      // LargeWorldModel/LWM issue 42.
      {"Attribute busid of node nic not found", "topology-virtual-nic"},
      {"Attribute link_width of node pci not found", "topology-attribute"},
      // NVIDIA/nccl issue 1842.
      {"Call to ibv_reg_mr_iova2 failed with error Invalid argument", "ib-register-invalid"},
      {"Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory", "ib-memlock"},
      // NVIDIA/nccl issue 563, awslabs/awsome-distributed-ai issue 203.
      {"NET/OFI Unable to register memory (type = 1) for device 0. RC: 12, Error: Cannot allocate "
       "memory",
       "ofi-memlock"},
      {"NET/OFI Unable to register memory (type = 2) for device 4. RC: -22, Error: Invalid "
       "argument",
       "ofi-register"},
      {"NET/OFI Creating new endpoint for domain 0x7f9b failed: Invalid argument", "ofi-failed"},
      // aws/aws-ofi-nccl issue 241.
      {"NET/OFI Couldn't set FI_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES. RC: -92, ERROR: "
       "Protocol not available",
       "ofi-versions"},
      // aws/aws-ofi-nccl issue 663.
      {"NET/OFI Unable to insert remote address into address vector for device 1. RC: -22",
       "ofi-peer-address"},
      {"Cuda failure 220 'uncorrectable NVLink error detected during the execution'",
       "cuda-nvlink"},
      // aws/aws-ofi-nccl issue 141.
      {"NET/OFI Couldn't open endpoint RC: -12, ERROR: Cannot allocate memory", "ofi-memlock"},
      // NVIDIA/nccl issue 925.
      {"Call to ibv_modify_qp failed with error No such device", "ib-qp-no-device"},
      // NVIDIA/nccl issue 847.
      {"[Rem Allocator] Allocation failed (segment 0, fd 130)", "remote-allocator"},
      // vllm-project/vllm issue 7201.
      {"NCCL cannot be captured in a graph if either it wasn't built with CUDA runtime >= 11.3 or "
       "if "
       "the installed CUDA driver < R465.",
       "cuda-capture"}};
  for (const auto& [text, cause] : all) EXPECT_EQ(first(text), cause) << text;
}

/// Formats of WARN in NVIDIA/nccl v2.4 to v2.30.7 that no issue of the above has.
TEST(NcclLogJudgeFirstCause, ReasonsForTheRestOfWhatNcclWarnsOf) {
  struct Said {
    const char* file;
    const char* text;
    const char* cause;
  };
  const std::vector<Said> all = {
      {"graph/topo.h:234", "Could not find NET with id 0", "topology-net"},  // nccl-tests issue 352
      {"graph/search.cc:9", "Could not find any local path from gpu 0 to net.", "topology-net"},
      {"graph/xml.h:140", "Error : too many XML nodes (max 256)", "topology-too-large"},
      {"graph/xml.h:82", "Attribute ngpus of node algo not found", "xml-file"},
      {"graph/paths.cc:9", "Could not find node of type 1 id 0", "topology"},
      {"graph/paths.cc:82",  // ROCm/rccl
       "Failed to find reverse path from remNode 0/200000 nlinks 3 to node 0/700000",
       "topology-one-way"},
      {"misc/alt_rsmi.cc:653", "Could not read node # 5", "rccl-kfd-node"},  // ROCm/rccl issue 1728
      {"graph/search.cc:1127", "Could not find a path for pattern 1, falling back to simple order",
       "hint"},
      {"graph/topo.cc:9",
       "TOPO/NET : Could not force merge NICs mlx5_0. Please specify a valid string", "nic-merge"},
      {"transport/net_ib.cc:9",
       "NET/IB : Requested properties for vNic 4, only 4 vNics have been created", "nic-index"},
      {"graph/topo.cc:1566 (ncclTopoGetVNicParent)",
       "Fusing NET devices from different NUMA domains is not supported.", "nic-merge-numa"},
      {"graph/tuning.cc:9", "Unrecognized element token \"rign\" when parsing \"rign\"",
       "algo-text"},
      {"graph/paths.cc:324",
       "P2P is disabled between NVLINK connected GPUs 1 and 0. This should not "
       "be the case given their connectivity",
       "nvlink-p2p-off"},  // NVIDIA/nccl issue 2329: it stops there
      {"misc/ipcsocket.cc:57",
       "UDS: Binding to socket /tmp/nccl-socket-2-e6 failed : Address already in use (98)",
       "uds-name"},  // NVIDIA/nccl issue 1185
      {"misc/ipcsocket.cc:221",
       "UDS: Sending data over socket /tmp/nccl-socket-2-e6 failed : Connection refused (111)",
       "uds"},
      {"misc/socket.cc:379", "Call to bind failed : Cannot assign requested address",
       "address-not-here"},  // rwth-i6/returnn issue 1470
      {"misc/socket.cc:409", "Call to bind failed: Address already in use", "port-in-use"},
      {"misc/socket.cc:9", "socketTryAccept: Accept failed: Too many open files", "files-limit"},
      {"misc/socket.cc:586", "socketPollConnect poll() returned 1, no POLLOUT events",
       "connect-other"},  // NVIDIA/nccl pull 1618
      {"misc/socket.cc:9",
       "Net : error encountered when getting address info : Name or service not "
       "known",
       "name-resolution"},
      {"misc/socket.cc:9", "ncclSocketRecv: socket state (6) is not ready", "socket-unexpected"},
      {"misc/cudawrap.cc:9", "CUDA Driver version found is 11000. Minimum requirement is 11030",
       "cuda-driver-old"},
      {"init.cc:530", "Cuda failure 'API call is not supported in the installed CUDA driver'",
       "cuda-driver-lacks-call"},  // NVIDIA/nccl issue 955
      {"misc/cudawrap.cc:9", "Failed to find CUDA library libcuda.so (NCCL_CUDA_PATH='/x') : x",
       "cuda-library"},
      {"misc/gdrwrap.cc:9", "gdr_pin_buffer(addr 7f, size 64) failed: 12", "gdrcopy"},
      {"misc/nvmlwrap.cc:9", "nvmlDeviceGetHandleByIndex(3) failed: Unknown Error", "nvml-failed"},
      {"misc/nvmlwrap.cc:183", "nvmlDeviceGetHandleByPciBusId() failed: Not Found",
       "nvml-not-found"},  // NVIDIA/nccl-tests issue 300
      {"mnnvl.cc:9",
       "MNNVL (cliqueSize 8) is available but not working on this system. Check the IMEX channel",
       "mnnvl"},
      {"enqueue.cc:9",
       "Streams given to a communicator within a NCCL group must either be all uncaptured or all "
       "captured by the same graph.",
       "cuda-capture"},
      {"enqueue.cc:9", "cudaArch 1200 ncclMaxSharedMem 82240 exceeds device/fn maxSharedMem 79856",
       "cuda-no-kernel-image"},
      {"init.cc:9", "Invalid config blocking attribute value 7", "call-invalid"},
      {"init.cc:9", "minCTAs 64 is larger than #channels upper limit 32, cap it to 32", "hint"},
      {"transport/p2p.cc:238",
       "failed to open CUDA IPC handle : 217 peer access is not supported between these two "
       "devices",
       "cuda-peer-access"},  // ray-project/ray_lightning issue 24
      {"include/alloc.h:9", "Failed to CUDA calloc 4194304 bytes", "cuda-allocation"},
      {"misc/ibvwrap.cc:9", "ibv_post_send() failed with error Invalid argument", "ib-call"},
      {"transport/net_ib.cc:9", "NET/IB: ncclIbIsend() called when comm->base.ready == 0",
       "ib-unexpected"},
      {"proxy.cc:9", "Couldn't find opId=0x7f", "proxy-unexpected"},
      {"misc/shmutils.cc:9", "unlink shared memory /dev/shm/nccl-x failed, error: No such file",
       "shm-teardown"},
      {"bootstrap.cc:9", "Call to accept failed : Interrupted", "system-call"},
      {"x.cc:9", "Call to accept failed : Too many open files", "files-limit"}};
  for (const Said& said : all)
    EXPECT_EQ(
        Case(cat("n0:10:2 [0] ", said.file, " NCCL WARN ", said.text, "\n")).log.events.at(0).cause,
        [&] {
          for (std::uint32_t i = 0; i < causes().size(); ++i)
            if (causes()[i].id == said.cause) return i;
          return kNone;
        }())
        << said.file << " " << said.text;
}

TEST(NcclLogJudgeFirstCause, MemoryErrorsAreNotLinkErrors) {
  for (const Cause& cause : causes()) {
    if (cause.id != "ib-async-memory" && cause.id != "ib-async-request" &&
        cause.id != "ib-remote-access" && cause.id != "ib-device-fatal")
      continue;
    for (const auto& [check, unless] : cause.check) {
      EXPECT_EQ(check.find("rdma link"), std::string::npos) << cause.id;
      EXPECT_EQ(check.find("cable"), std::string::npos) << cause.id;
    }
  }
}

// ---- communicators and ranks ----

std::string old_line(std::uint32_t rank, std::uint32_t thread, const std::string& text) {
  return cat("n0:", 100 + rank, ":", thread, " [", rank, "] NCCL INFO ", text, "\n");
}

/// A communicator of `ranks` ranks as 2.7 to 2.18.1 tell it: connections, then its size.
std::string old_communicator(std::uint32_t ranks, std::uint32_t thread, const std::string& via,
                             const std::string& id = "") {
  std::string text;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    text +=
        old_line(rank, thread,
                 cat("Channel 00 : ", rank, "[1000] -> ", (rank + 1) % ranks, "[2000] via ", via));
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    text += old_line(rank, thread,
                     cat("comm 0x7f rank ", rank, " nranks ", ranks, " cudaDev 0 busId 1000", id,
                         " - Init COMPLETE"));
  return text;
}

TEST(NcclLogJudgeFirstCause, OldCommunicatorsAreToldApartByThread) {
  // Of the same ranks, one after the other in one thread, and in two threads between each other.
  const std::string world = old_communicator(4, 7, "P2P/IPC");
  const std::string pair = old_communicator(2, 7, "direct shared memory");
  const std::string other = old_communicator(2, 8, "direct shared memory");
  std::string mixed;
  const auto left = split(world, '\n');
  const auto right = split(other, '\n');
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i < right.size() && !right[i].empty()) mixed += cat(right[i], "\n");
    if (!left[i].empty()) mixed += cat(left[i], "\n");
  }
  for (const std::string& text : {world + pair, pair + world, mixed}) {
    const Case one(text);
    EXPECT_EQ(one.verdict.ranks, 4U);
    EXPECT_EQ(one.verdict.links.size(), 4U) << text;
    EXPECT_EQ(one.verdict.other_links, 2U) << text;
    EXPECT_EQ(one.verdict.open_links, 0U) << text;
    for (const Link& link : one.verdict.links) EXPECT_EQ(link.transport, Transport::p2p);
  }
  // With commId (2.16.2 to 2.18.1), and as many ranks.
  const Case ids(old_communicator(4, 7, "P2P/IPC", " commId 0x1") +
                 old_communicator(4, 7, "direct shared memory", " commId 0x2"));
  EXPECT_EQ(ids.verdict.links.size(), 4U);
  EXPECT_EQ(ids.verdict.open_links, 0U);
  // Twice the same is no more than once.
  EXPECT_EQ(Case(world + world).log.edges.all().size(), Case(world).log.edges.all().size());
}

TEST(NcclLogJudgeFirstCause, ConnectionsOfLaterVersionsAreNotTakenForThoseOfTheNextCommunicator) {
  // From 2.22 on they come after "Init COMPLETE"; here the lines "Init START" were cut away.
  std::string text = complete(0) + complete(1) + complete(2) + complete(3);
  text += info_of(0, "Channel 00/0 : 0[0] -> 1[0] via P2P/CUMEM");
  text +=
      info_of(0, "ncclCommInitRank comm 0x2 rank 0 nranks 2 cudaDev 0 commId 0x6 - Init COMPLETE");
  const Case one(text);
  ASSERT_EQ(one.log.edges.all().size(), 1U);
  EXPECT_EQ(one.log.edges.all()[0].communicator, kNone);
}

TEST(NcclLogJudgeFirstCause, RanksOfOneAreNoDamage) {
  // A healthy job of 2.23.4 and later that makes a communicator of one rank in each process.
  std::string text;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const auto line = [&](const std::string& what) { return old_line(rank, 5, what); };
    const auto init = [&](const std::string& id, std::uint32_t ranks, const char* what) {
      return line(cat("ncclCommInitRank comm 0x1 rank ", ranks == 1 ? 0 : rank, " nranks ", ranks,
                      " cudaDev 0 commId ", id, " - Init ", what));
    };
    text += line("Using network IB") + init(cat("0x1", rank), 1, "START");
    for (int channel = 0; channel < 64; ++channel)
      text += line(cat("Channel ", channel < 10 ? "0" : "", channel, "/64 : 0"));
    text += init(cat("0x1", rank), 1, "COMPLETE") + init("0x2", 2, "START") +
            init("0x2", 2, "COMPLETE") +
            line(cat("Channel 00/0 : ", rank, "[0] -> ", 1 - rank, "[0] via P2P/CUMEM"));
  }
  const Case one(text);
  EXPECT_EQ(one.log.damaged, 0U);
  EXPECT_EQ(one.met("p2p"), Answer::yes);
  EXPECT_EQ(one.met("ib"), Answer::yes);
}

TEST(NcclLogJudgeFirstCause, WhoHasALineIsNotSaidToHaveNone) {
  const auto open = [](const std::string& text) {
    const Case one(text);
    return join(one.verdict.open, "; ");
  };
  // n1 has lines, and none of them says its rank.
  const std::string nameless = complete(0) + info_of(1, "Bootstrap : Using eth0:10.0.0.1<0>");
  EXPECT_NE(open(nameless).find("no line is known to come from rank 1-3, and for 1 process the "
                                "rank is unknown"),
            std::string::npos);
  EXPECT_TRUE(open(complete(0)).find("no line is known to come from rank 1-3;") !=
              std::string::npos);
  // PyTorch's lines are of rank 2, and NCCL says the rank of n1 without a communicator.
  const std::string heard =
      complete(0) + "[rank2]:[E ProcessGroupNCCL.cpp:1] [Rank 2] Some NCCL text\n" +
      info_of(1, "comm 0x1 rank 1 nRanks 4 nNodes 4 localRanks 1 localRank 0 MNNVL 0");
  EXPECT_NE(open(heard).find("the log has lines of rank 1,2 about other things; no line is known "
                             "to come from rank 3"),
            std::string::npos)
      << open(heard);
  // The number that nccl-tests printed before is no part of a host's name.
  const Case glued(complete(0) + "  16777216  float  sum  -1" + info_of(0, "Connected all rings") +
                   "  314.7  26.66  0" + info_of(0, "Connected all trees"));
  EXPECT_EQ(named_processes(glued.log), 1U);
  // Lines without a process are of none.
  const Case both(complete(0) + "NCCL WARN something without a name\n");
  EXPECT_EQ(named_processes(both.log), 1U);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
