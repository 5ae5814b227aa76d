// SPDX-License-Identifier: Apache-2.0
//
// Lines in the shape of those in issues of NVIDIA/nccl, NVIDIA/nccl-tests and of plugins, which are
// named at them, and of NVIDIA/nccl's sources.

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

std::string line_by(const std::string& host, const std::string& text) {
  return cat(host, ":10:2 [0] NCCL INFO ", text, "\n");
}

std::string warned_at(const std::string& host, const std::string& place, const std::string& text) {
  return cat(host, ":10:2 [0] ", place, " NCCL WARN ", text, "\n");
}

std::string remarks_of(const Case& one) { return join(one.verdict.remarks, "\n"); }

std::string open_in(const Case& one) { return join(one.verdict.open, "\n"); }

bool stands(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// NVIDIA/nccl issues 1099 and 952; src/misc/socket.cc, socketPollConnect, of 2.18.
TEST(NcclLogLinesInIssues, AConnectionThatFailsWithoutAWarning) {
  const std::string failed =
      line_by("a", "misc/socket.cc:564 -> 2") + line_by("a", "misc/socket.cc:615 -> 2") +
      line_by("a", "bootstrap.cc:270 -> 2") + line_by("a", "init.cc:1303 -> 2");
  const Case one(failed);
  EXPECT_EQ(one.first(), "connect-silent");
  EXPECT_EQ(one.log.events.size(), 1U);
  // What the helper thread says of it follows from it.
  EXPECT_EQ(
      Case(line_by("a", "misc/socket.cc:567 -> 2") + line_by("a", "transport/net.cc:592 -> 2") +
           warned_at("a", "proxy.cc:1485",
                     "[Service thread] Error encountered progressing operation=Connect, res=2, "
                     "closing connection"))
          .first(),
      "connect-silent");
  // A warning says more, and another number is what the peer or the end of the job did.
  EXPECT_EQ(Case(warned_at("a", "misc/socket.cc:49",
                           "socketStartConnect: Connect to 10.0.0.2<4> failed : No route to host") +
                 failed)
                .first(),
            "connect-no-route");
  for (const char* const text : {"misc/socket.cc:47 -> 3", "misc/socket.cc:749 -> 6"})
    EXPECT_EQ(Case(line_by("a", text)).first(), "none") << text;
}

/// NVIDIA/nccl issue 1050 (2.19.3), Mellanox/nccl-rdma-sharp-plugins issue 151.
TEST(NcclLogLinesInIssues, SharpThatCannotBeSetUpIsNoError) {
  const std::string sharp = warned_at(
      "a", "sharp_plugin.c:320", "NET/IB : SHARP coll init error: Cannot create SHARP job(-11)");
  const std::string call = line_by("b", "transport.cc:291 -> 2") + line_by("b", "init.cc:670 -> 2");
  const Case one(sharp + call +
                 warned_at("c", "transport.cc:323",
                           "Cannot initialize CollNet, using point-to-point network instead"));
  EXPECT_EQ(one.first(), "none");
  EXPECT_TRUE(stands(remarks_of(one),
                     "SHARP (CollNet) could not be set up, and NCCL continues without it: "
                     "NET/IB : SHARP coll init error: Cannot create SHARP job(-11)"))
      << remarks_of(one);
  // Where the failure goes on to the caller, and where nothing is said of CollNet, it is one.
  EXPECT_EQ(Case(sharp + call).first(), "call-failed");
  EXPECT_TRUE(stands(remarks_of(Case(sharp + call)), "NCCL usually continues without it"));
  EXPECT_EQ(Case(sharp + call + line_by("b", "group.cc:65 -> 2") +
                 warned_at("c", "transport.cc:323",
                           "Cannot initialize CollNet, using point-to-point network instead"))
                .first(),
            "call-failed");
  const Case locked(
      warned_at("a", "sharp_plugin.c:302", "SHARP group create: Streaming Tree lock failed (-18)"));
  EXPECT_EQ(locked.first(), "none");
  EXPECT_TRUE(stands(remarks_of(locked), "Streaming Tree lock failed"));
  // NVIDIA/nccl issue 1584: a plugin that is loaded.
  EXPECT_EQ(remarks_of(Case(line_by("a", "NET/Plugin: Loaded collnet plugin SHARP (v8)"))), "");
  EXPECT_EQ(Case(warned_at("a", "sharp_plugin.c:617", "SHARP allreduce failed")).first(),
            "sharp-failed");
}

/// google/nccl-plugin-gpudirecttcpx issue 1.
TEST(NcclLogLinesInIssues, APeerThatTcpxWaitsForIsNoCause) {
  const std::string waits =
      "[0] tcpxResult_t tcpxCommProgress(tcpxComm*):1231 NCCL WARN 0xadca8062b70:0xadca805d0f0, "
      "nic 0, enp12s0, 172.16.0.11<39187><-172.16.0.95<46723> rx rx ctrl timeout cnt 7331502, "
      "nanos 10000000585\n";
  EXPECT_EQ(Case(waits).first(), "tcpx-waits");
  EXPECT_EQ(Case(waits + warned_at("b", "x.cc:1", "Something that nobody catalogued")).first(),
            "uncatalogued");
}

/// NVIDIA/nccl issue 2190: src/transport/shm.cc, ncclShmImportShareableBuffer.
TEST(NcclLogLinesInIssues, ANameOfSharedMemoryThatIsNone) {
  const auto attach = [](const std::string& what) {
    return Case(warned_at("a", "misc/shmutils.cc:93",
                          "Call to open failed: No such file or directory") +
                warned_at("a", "misc/shmutils.cc:132",
                          cat("Error while attaching to shared memory segment /dev/shm/nccl-", what,
                              ", error: No such file or directory (2)")))
        .first();
  };
  EXPECT_EQ(attach(" (size 0)"), "shm-attach-nameless");
  EXPECT_EQ(attach(" (size 192814336)"), "shm-attach-nameless");
  EXPECT_EQ(attach("\x01\x02 (size 0)"), "shm-attach-nameless");
  EXPECT_EQ(attach("glnlGK (size 14156128)"), "shm-attach");
}

/// pytorch/pytorch issue 23534: src/include/shm.h of 2.4.2.
TEST(NcclLogLinesInIssues, SharedMemoryThatCudaDoesNotRegister) {
  EXPECT_EQ(Case(warned_at("a", "include/shm.h:42", "Cuda failure 'invalid argument'")).first(),
            "cuda-shm-register-old");
  EXPECT_EQ(Case(warned_at("a", "include/alloc.h:42", "Cuda failure 'invalid argument'")).first(),
            "cuda-invalid-argument");
}

/// horovod/horovod issue 1651; src/transport/net.cu of 2.3.7: the receiver alone speaks.
TEST(NcclLogLinesInIssues, ConnectionsOfNccl23OverTheNetwork) {
  const Case one(line_by("a", "Ring 00 : 1 -> 0 via NET/IB/0") +
                 line_by("b", "Ring 00 : 0 -> 1 via NET/IB/0/GDRDMA"));
  EXPECT_EQ(one.log.damaged, 0U);
  EXPECT_EQ(one.verdict.networks, std::vector<std::string>{"IB"});
  ASSERT_EQ(one.verdict.seen.size(), 2U);
  for (const judge::Rank& rank : one.verdict.seen) {
    EXPECT_EQ(rank.net_receive, 1U);
    EXPECT_EQ(rank.net_send, 0U);
    EXPECT_EQ(rank.gdr_receive, rank.rank);
  }
  EXPECT_EQ(Case(line_by("a", "Channel 00 : 1 -> 0 via NET/IB/0")).log.damaged, 1U);
}

/// NVIDIA/nccl issue 1597.
TEST(NcclLogLinesInIssues, TimesOfAnInitialisationNameARank) {
  const Case one(
      line_by("a",
              "ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x5 - Init COMPLETE") +
      line_by("b",
              "Init timings - ncclCommInitRank: rank 1 nranks 2 total 1.43 (kernels 0.18, alloc "
              "1.18)"));
  EXPECT_TRUE(stands(open_in(one), "the log has lines of rank 1 about other things"))
      << open_in(one);
  EXPECT_FALSE(stands(open_in(one), "says no rank")) << open_in(one);
  // 2.22 names no call.
  const Case older(line_by("b", "Init timings: rank 1 nranks 2 total 1.43 (kernels 0.18)"));
  EXPECT_TRUE(stands(open_in(older), "other lines are of communicators of 2 ranks"))
      << open_in(older);
}

/// NVIDIA/nccl issue 529, NVIDIA/nccl-tests issue 244.
TEST(NcclLogLinesInIssues, RanksThatNcclTestsLists) {
  const std::string list =
      "#   Rank  0 Pid   3795 on a device  0 [0x08] Tesla V100-PCIE-32GB\n"
      "#   Rank  1 Pid   3267 on b device  0 [0x83] Tesla V100-PCIE-32GB\n";
  const std::string tunnel = line_by("a", "Bootstrap : Using [0]ip6tnl0:fe80::745d%ip6tnl0<0>") +
                             line_by("a", "Using network Socket");
  const Case one(list + tunnel);
  EXPECT_TRUE(stands(open_in(one), "nccl-tests lists ranks 0,1 on 2 hosts")) << open_in(one);
  EXPECT_TRUE(stands(remarks_of(one), "the bootstrap uses ip6tnl0")) << remarks_of(one);
  EXPECT_TRUE(stands(remarks_of(one), "sockets (TCP), not RDMA")) << remarks_of(one);
  EXPECT_EQ(remarks_of(Case(tunnel)), "");
  const Case later(
      "[1,0]<stdout>:#  Rank  0 Group  0 Pid 398189 on    ranokau device  0 [0x07] NVIDIA A100\n"
      "[1,0]<stdout>:#  Rank 11 Group  0 Pid  73214 on    ranokau device  0 [0000:07:00] A100\n");
  EXPECT_EQ(later.log.tests.ranks.ranks, 12U);
  EXPECT_EQ(later.log.tests.ranks.hosts.size(), 1U);
  for (const char* const line :
       {"#   Rank  x Pid 1 on a device", "#   Rank 1 on a device", "#   Rank  1 Pid x on a device",
        "#   Rank  1 Pid 3 on a b device", "#   Rank  1 Pid 3 on ", "#   Rank ",
        "    Rank  0 Group  0 Pid 4 on a device", "#   Rank  1 Pid 3 on  device 0"})
    EXPECT_EQ(Case(cat(line, "\n")).log.tests.ranks.ranks, 0U) << line;
}

/// NVIDIA/nccl-tests issues 227 and 293: the log begins in the middle of the list.
TEST(NcclLogLinesInIssues, AListOfNcclTestsThatIsCut) {
  const Case one("#  Rank  1 Group  0 Pid   4962 on      n2 device  0 [0x81] NVIDIA A100\n" +
                 line_by("n1", "cudaDriverVersion 12040"));
  EXPECT_TRUE(stands(open_in(one), "nccl-tests lists rank 1 on 1 host")) << open_in(one);
  EXPECT_FALSE(stands(open_in(one), "rank 0")) << open_in(one);
}

/// ray-project/ray issue 59778 and ROCm/rccl issue 502 (RCCL), NVIDIA/nccl issues 527 and 207.
TEST(NcclLogLinesInIssues, RanksOfLinesThatSayLess) {
  const Case rccl(line_by("a", "Trees [0] 17/24/-1->16->0 comm 0x5609 nRanks 32 busId 17000"));
  EXPECT_TRUE(stands(open_in(rccl), "other lines are of communicators of 32 ranks"))
      << open_in(rccl);
  const Case connected(line_by("a", "Connected all rings comm 0x5609 nRanks 08 busId 4000"));
  EXPECT_TRUE(stands(open_in(connected), "other lines are of communicators of 8 ranks"))
      << open_in(connected);
  // argonne-lcf/DLcomm_benchmark: the subsystem COLL alone.
  const std::string call = "AllGather: opCount 0 sendbuff 0x7f root 0 comm 0x5592 [nranks=4";
  const Case called(line_by("a", call + "] stream 0x56"));
  EXPECT_TRUE(stands(open_in(called), "other lines are of communicators of 4 ranks"))
      << open_in(called);
  EXPECT_FALSE(stands(open_in(Case(line_by("a", call))), "other lines are of"));
  const Case broadcast(
      line_by("a", "Broadcast: opCount 2 sendbuff 0x7f comm 0x5 [nranks=2] stream"));
  EXPECT_TRUE(stands(open_in(broadcast), "other lines are of communicators of 2 ranks"));
  const std::string set_up = line_by("a", "comm 0x1 rank 0 nranks 4 cudaDev 0 - Init COMPLETE");
  const auto of_eight = line_by("a", "AllReduce: opCount 2 comm 0x5 [nranks=8] stream 0x6");
  EXPECT_TRUE(stands(open_in(Case(set_up + of_eight)),
                     "the communicator of 8 ranks that other lines name"));
  EXPECT_FALSE(stands(open_in(Case(line_by("a", "Broadcast: opCount 2 [nranks=0] stream 0x6"))),
                      "other lines are of"));
  const std::string stands_in_a =
      line_by("a", "comm 0x1 rank 0 nranks 4 cudaDev 0 - Init COMPLETE");
  const Case cut(stands_in_a + line_by("b", "comm 0x2 rank 3 nranks 4 c"));
  EXPECT_TRUE(stands(open_in(cut),
                     "the log has lines of rank 3 about other things; no line is known to "
                     "come from rank 1,2"))
      << open_in(cut);
  const Case begun(line_by("b", "ncclCommInitRank comm 0x2 rank 3 nranks 4 cudaDev 0 nvmlD"));
  EXPECT_TRUE(stands(open_in(begun), "other lines are of communicators of 4 ranks"))
      << open_in(begun);
  // A number at the end may be cut, too.
  EXPECT_FALSE(stands(open_in(Case(line_by("b", "ncclCommInitRank comm 0x2 rank 3 nranks 4"))),
                      "other lines are of"));
  // 2.3 says it before there is a communicator.
  const Case old(line_by("a", "rank 0 nranks 4") + line_by("b", "comm 0x7f13 rank 1 nranks 4"));
  EXPECT_TRUE(stands(open_in(old),
                     "the log has lines of rank 0 about other things; no line is known to "
                     "come from rank 2,3"))
      << open_in(old);
  EXPECT_FALSE(
      stands(open_in(Case(line_by("a", "rank 0 nranks 4 and more"))), "other lines are of"));
}

/// NVIDIA/TensorRT-LLM issue 408: one process is both ranks, and rank 0 was not named yet.
TEST(NcclLogLinesInIssues, AProcessOfSeveralGpusMayBeSeveralRanks) {
  const Case one(
      "a:398:412 [0] NCCL INFO Using network Socket\n"
      "a:398:413 [1] NCCL INFO comm 0x5 rank 1 nranks 2 cudaDev 1 commId 0xb7 - Init START\n");
  EXPECT_TRUE(stands(open_in(one),
                     "no line is known to come from rank 0, and 1 process may be several ranks: "
                     "it has lines of more GPUs"))
      << open_in(one);
  const Case single(
      "a:398:413 [1] NCCL INFO Using network Socket\n"
      "a:398:413 [1] NCCL INFO comm 0x5 rank 1 nranks 2 cudaDev 1 commId 0xb7 - Init START\n");
  EXPECT_TRUE(stands(open_in(single), "no line is known to come from rank 0")) << open_in(single);
}

/// jax-ml/jax issue 22747: XLA repeats NCCL's last warning.
TEST(NcclLogLinesInIssues, ACallOfASocketOfWhichXlaSaysTheReason) {
  const std::string failed =
      line_by("a", "misc/socket.cc:666 -> 2") + line_by("a", "bootstrap.cc:280 -> 2");
  const auto xla = [](const std::string& warning) {
    return cat(
        "INTERNAL: nccl_utils.cc:305: NCCL operation ncclCommInitRank(&comm, nranks, id, rank) "
        "failed: unhandled system error. Last NCCL warning(error) log entry (may be "
        "unrelated) '",
        warning, "'.\n");
  };
  EXPECT_EQ(Case(failed + xla("socketTryAccept: Accept failed: Bad file descriptor")).first(),
            "socket-unexpected");
  EXPECT_EQ(Case(failed + xla("Could not find real path of /sys/class/net/eth0")).first(),
            "connect-silent");
  // pytorch/pytorch issue 131781: 2.20 adds an errno that says nothing.
  EXPECT_EQ(Case(line_by("a", "misc/socket.cc:505 -> 2 (Operation now in progress)")).first(),
            "connect-silent");
}

/// NVIDIA/nccl issue 1538: the proxy says more than the call, and both more than the crash.
TEST(NcclLogLinesInIssues, WhatTheProxyWarnsOfBeforeACrash) {
  const std::string call = line_by("a", "transport.cc:166 -> 2") + line_by("a", "group.cc:70 -> 2");
  const std::string proxy =
      warned_at("a", "proxy.cc:1487",
                "[Service thread] Error encountered progressing operation=Connect, res=3, closing "
                "connection");
  const std::string crash = "[a:10 :0:10] Caught signal 11 (Segmentation fault: not mapped)\n";
  EXPECT_EQ(Case(call + proxy + crash).first(), "service-thread");
  EXPECT_EQ(Case(call + crash).first(), "call-failed");
  EXPECT_EQ(Case(call + crash + proxy).first(), "call-failed");
  // Without a call that failed, that a peer went away follows from the crash.
  EXPECT_EQ(Case(proxy + crash).first(), "crashed");
}

/// The begin of a file may be missing, also of its first line.
TEST(NcclLogLinesInIssues, AHostOfWhichTheBeginIsMissing) {
  const auto hosts = [](const std::string& text) {
    std::set<std::string> all;
    for (const Process& process : Case(text).log.processes)
      all.insert(cat(process.host, ":", process.pid));
    return join(std::vector<std::string>(all.begin(), all.end()), " ");
  };
  const std::string by_node = "node1:10:2 [0] NCCL INFO Using network IB\n";
  const std::string other = "node1:11:2 [0] NCCL INFO Using network IB\n";
  EXPECT_EQ(hosts(by_node.substr(3) + by_node), "node1:10");
  EXPECT_EQ(hosts(by_node.substr(3) + other + by_node), "node1:10 node1:11");
  EXPECT_EQ(hosts(by_node.substr(3) + other), "node1:10 node1:11");
  EXPECT_EQ(hosts(by_node + other), "node1:10 node1:11");
  EXPECT_EQ(hosts(by_node), "node1:10");
  // Two hosts end like it, and something stands in front of a whole name.
  EXPECT_EQ(hosts("1:10:2 [0] NCCL INFO x\n" + other + "b1:12:2 [0] NCCL INFO x\n"),
            "1:10 b1:12 node1:11");
  EXPECT_EQ(hosts("[1,0]<stdout>:1:10:2 [0] NCCL INFO x\n" + other), "1:10 node1:11");
}

/// A line about a connection that is cut may go on in the next line, or not.
TEST(NcclLogLinesInIssues, WhatFollowsALineThatIsCutIsRead) {
  const Case one(line_by("a", "Channel 00 : 0[0] -> 1[0] via P2") +
                 "srun: error: n1: task 1: Exited with exit code 1\n");
  EXPECT_EQ(one.first(), "rank-failed");
  EXPECT_EQ(one.log.damaged, 1U);
}

/// A tutorial of volcengine/verl: of two of four processes only lines about rings and trees.
TEST(NcclLogLinesInIssues, ARankBetweenTheArrowsOfATree) {
  const std::string first = line_by("a", "comm 0x1 rank 0 nranks 4 cudaDev 0 - Init COMPLETE");
  const std::string other = "no line is known to come from rank 1,3";
  for (const char* const trees :
       {"Trees [0] -1/-1/-1->2->3 [1] -1/-1/-1->2->3", "Trees [0] 3->2->-1/-1/-1"}) {
    const Case one(first + line_by("b", trees));
    EXPECT_TRUE(stands(open_in(one), "lines of rank 2 about other things; " + other))
        << open_in(one);
    EXPECT_FALSE(stands(open_in(one), "the rank is unknown"));
    EXPECT_TRUE(stands(printed(one), "has lines of 2 ranks, 2 processes")) << printed(one);
  }
  // The number may be cut, or it is one of several.
  const std::string tree = line_by("b", "Trees [0] -1/-1/-1->2->3");
  for (const std::string& more :
       {line_by("b", "Trees [0] -1/-1/-1->2"), tree + line_by("b", "Trees [0] -1/-1/-1->3->2"),
        line_by("b", "comm 0x3 rank 1 nranks 4 cudaDev 0 - Init COMPLETE") + tree})
    EXPECT_FALSE(stands(open_in(Case(first + more)), "lines of rank 2 about")) << more;
  for (const std::string& more :
       {line_by("b", "Trees [0] -1/-1/-1->0->3"), line_by("b", "Trees [0] -1/-1/-1->9->3"),
        line_by("b", "Trees [0] -1/-1/-1->1->0 comm 0x5609 nRanks 02 busId 17000")}) {
    const Case one(first + more);
    EXPECT_TRUE(stands(open_in(one), "and for 1 process the rank is unknown")) << open_in(one);
    EXPECT_FALSE(stands(open_in(one), "about other things")) << open_in(one);
    EXPECT_TRUE(stands(printed(one), "at least 1 rank, 2 processes")) << printed(one);
  }
  // The process says a rank of its own.
  const Case says(
      first + line_by("b", "comm 0x3 rank 3 nRanks 8 nNodes 1 localRanks 8 localRank 3") + tree);
  EXPECT_FALSE(stands(open_in(says), "lines of rank 2 about")) << open_in(says);
  // It may be a rank of another communicator.
  const std::string pair = line_by("c", "comm 0x2 rank 0 nranks 2 cudaDev 0 - Init COMPLETE");
  EXPECT_FALSE(stands(open_in(Case(first + pair + tree)), "lines of rank 2"));
}

/// What ends a file may be cut: no name and no number at its end is taken for whole.
TEST(NcclLogLinesInIssues, TheEndOfAFileMayBeCut) {
  const auto last = [](const std::string& text) {
    const Log log = read(text);
    return std::pair(log, judge::judge(log, causes()));
  };
  for (const char* const newline : {"", "\n"}) {
    // "IB" alone is a whole name, and before a newline it is taken for one.
    EXPECT_EQ(last(cat("a:10:2 [0] NCCL INFO Using network IB", newline)).second.networks.size(),
              *newline == '\n' ? 1U : 0U);
    EXPECT_EQ(last(cat("a:10:2 [0] NCCL INFO Using network IBext_v", newline)).second.networks,
              std::vector<std::string>());
    EXPECT_EQ(last(cat("a:10:2 [0] NCCL INFO Channel 01 : 2[1d0] -> 3[1e0] [send] via NET/Socket/0",
                       newline))
                  .second.links.size(),
              *newline == '\n' ? 1U : 0U);
    EXPECT_EQ(last(cat("NCCL version 2.2", newline)).second.versions, std::vector<std::string>());
    EXPECT_EQ(last(cat("a:10:2 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1", newline))
                  .first.processes.at(0)
                  .bootstrap.size(),
              0U);
    const auto [log, verdict] =
        last(cat("a:10:2 [0] NCCL INFO Channel 00 : 0[0] -> 1[0] [send] via NET/IB/1", newline));
    EXPECT_EQ(log.damaged, 1U);
    EXPECT_EQ(verdict.links.size(), 0U);
    EXPECT_EQ(join(verdict.remarks, "\n"), "");
  }
  // What follows shows that it is whole.
  EXPECT_EQ(last("NCCL version 2.20.5\n\n").second.versions, std::vector<std::string>{"2.20.5"});
  EXPECT_EQ(last("NCCL version 2.20.5 \n").second.versions, std::vector<std::string>{"2.20.5"});
}

/// A warning alone does not show that the job failed of it.
TEST(NcclLogLinesInIssues, AWarningIsNoProofOfAFailure) {
  const std::string warning = warned_at("a", "misc/ibvwrap.cc:130", "Call to ibv_create_qp failed");
  const std::string remark = "Nothing in the log shows that the job failed because of it";
  EXPECT_TRUE(stands(printed(Case(warning)), remark)) << printed(Case(warning));
  for (const std::string& more :
       {line_by("a", "init.cc:12 -> 2"), block("", "ncclSystemError", "x"),
        std::string("srun: error: n1: task 1: Exited with exit code 1\n")})
    EXPECT_FALSE(stands(printed(Case(warning + more)), remark)) << more;
}

/// aws/aws-k8s-tester pull request 454.
TEST(NcclLogLinesInIssues, APluginThatNcclDoesWithout) {
  const auto plugin = [](const std::string& host) {
    return warned_at(host, "nccl_net_ofi_create_plugin:257",
                     "NET/OFI aws-ofi-nccl initialization failed");
  };
  const std::string other = line_by("a", "NET/IB : No device found.");
  EXPECT_EQ(Case(plugin("a")).first(), "ofi-failed");
  const Case one(plugin("a") + other);
  EXPECT_EQ(one.first(), "none");
  EXPECT_EQ(one.verdict.went_on.size(), 1U);
  // The log of b is cut before it shows the same.
  const Case two(plugin("a") + other + plugin("b"));
  EXPECT_EQ(two.first(), "none");
  EXPECT_EQ(two.verdict.went_on.size(), 1U);
  EXPECT_TRUE(stands(open_in(two), "whether 1 more process continued"));
  EXPECT_EQ(Case(plugin("a") + other + plugin("b") + line_by("b", "init.cc:12 -> 2")).first(),
            "ofi-failed");
}

/// NVIDIA/nccl issues 1219 and 1460, Mellanox/nccl-rdma-sharp-plugins issue 151.
TEST(NcclLogLinesInIssues, WhatLibsharpSays) {
  const std::string locked =
      "[n1:0:24972 - comm.c:374][2024-09-24 16:15:29] ERROR Failed to lock SAT tree(ID:0x40)\n";
  const Case one(
      locked +
      "[n1:1:28576 unique id 1201360] ERROR collect_ports_data: failed to find valid "
      "ports\n"
      "[n1][Sep 24 16:15:29 847428][GENERAL][3745][warn ] - Begin job id: 9370 failed with "
      "status: No resource\n"
      "[n1:0:24972 - context.c:702] INFO job (ID: 1201) resource request quota: ( osts:0 )\n");
  EXPECT_EQ(one.first(), "none");
  EXPECT_TRUE(
      stands(remarks_of(one),
             "libsharp reports errors, so SHARP (the reduction in the switches) is probably "
             "off; NCCL then continues without it: libsharp: Failed to lock SAT "
             "tree(ID:0x40); libsharp: collect_ports_data: failed to find valid ports; "
             "libsharp: Begin job id: 9370 failed with status: No resource"))
      << remarks_of(one);
  const Case both(locked + warned_at("n1", "sharp_plugin.c:302",
                                     "SHARP group create: Streaming Tree lock failed (-18)"));
  EXPECT_TRUE(
      stands(remarks_of(both),
             "SHARP group create: Streaming Tree lock failed (-18); libsharp: Failed to lock"))
      << remarks_of(both);
  for (const char* const line : {"[2024-09-24 16:15:29] ERROR something with a unique id in it",
                                 "Begin job id: 7", "[n1:0:24972 - comm.c:374] WARN something"})
    EXPECT_EQ(remarks_of(Case(cat(line, "\n"))), "") << line;
}

/// aws/aws-ofi-nccl issues 22 and 67.
TEST(NcclLogLinesInIssues, TestProgramsOfThePluginForLibfabric) {
  const std::string failure = "n1: WARN: Function: main Line: 66: NET/OFI OFI NCCL failure: 2\n";
  EXPECT_EQ(
      Case("n1: INFO: Function: ofi_init Line: 1102: NET/OFI Setting RDMAV_FORK_SAFE\n"
           "n1: WARN: Function: find_ofi_provider Line: 543: NET/OFI Couldn't find any optimal "
           "provider\n" +
           failure)
          .first(),
      "ofi-no-provider");
  EXPECT_EQ(
      Case("WARN: Function: create_nccl_ofi_component Line: 459: NET/OFI Couldn't open AV. RC: "
           "-22, ERROR: Invalid argument\n")
          .first(),
      "ofi-address-vector");
  EXPECT_EQ(Case(failure).first(), "ofi-test-failed");
}

/// NVIDIA/nccl issue 651.
TEST(NcclLogLinesInIssues, SocketsOfAPluginNeverHaveGpuDirect) {
  EXPECT_EQ(
      remarks_of(Case(line_by("a", "Channel 01 : 4[40] -> 0[40] [receive] via NET/FastSocket/0"))),
      "");
}

/// ROCm/rccl issue 1454.
TEST(NcclLogLinesInIssues, TheVersionOfRccl) {
  for (const char* const line :
       {"RCCL version : 2.21.5-main:a29a210+", "RCCL version 2.21.5+hip6.2 HEAD:a29a210"})
    EXPECT_EQ(Case(cat(line, "\n")).verdict.versions, std::vector<std::string>{"2.21.5 (RCCL)"});
  EXPECT_EQ(Case(warned_at("a", "misc/api_trace.cc:283",
                           "[rocprofiler-sdk-rccl][2421] rocprofiler-register failed with error "
                           "code 4 : Library's API is not supported"))
                .first(),
            "none");
}

/// pytorch/pytorch issue 72835: the words of 2.8 to 2.12.
TEST(NcclLogLinesInIssues, GpusWithoutP2pInOlderWords) {
  const std::string off =
      line_by("a", "Could not enable P2P between dev 1(=1b000) and dev 0(=1a000)");
  EXPECT_TRUE(
      stands(remarks_of(Case(off)), "some GPUs of a node have no P2P: Could not enable P2P"));
  EXPECT_EQ(remarks_of(Case(line_by("a", "NCCL_P2P_LEVEL set by environment to SYS"))), "");
}

/// aws/aws-ofi-nccl issue 889: CloudWatch shows a line twice, and the network was not chosen yet.
TEST(NcclLogLinesInIssues, NoEfaAndNoNetworkYet) {
  const std::string warned =
      "libfabric:85:1747438790::core:core:fi_getinfo_():1392<warn> fi_getinfo: provider efa output "
      "empty list";
  const std::string front = "a:79:79 [0] NCCL INFO Bootstrap : Using eth0:10.36.29.253<0>";
  const Case one(cat(front, " | ", front, "\n", warned, " | ", warned, "\n"));
  EXPECT_EQ(
      remarks_of(one),
      "no suitable EFA device was found; libfabric: fi_getinfo: provider efa output empty "
      "list (inside the container, \"fi_info -p efa\" lists them; Kubernetes: the pod requests "
      "vpc.amazonaws.com/efa)");
  EXPECT_TRUE(stands(printed(one), "interfaces: eth0"));
  EXPECT_FALSE(stands(printed(one), "interfaces: |")) << printed(one);
  EXPECT_EQ(remarks_of(Case(warned + "\n" + line_by("a", "Using network AWS Libfabric"))), "");
}

/// NVIDIA/nccl issues 1297 and 1016.
TEST(NcclLogLinesInIssues, DevicesOfSoftwareAndOneForManyProcesses) {
  const auto devices = [](const std::string& list) {
    return cat("NET/IB : Using ", list, " [RO]; OOB eth0:10.0.0.1<0>");
  };
  EXPECT_TRUE(stands(remarks_of(Case(line_by("a", devices("[0]rxe0:1/RoCE [1]mlx5_0:1/RoCE")))),
                     "RDMA in software (rdma_rxe, siw) over an ordinary interface: rxe0"));
  EXPECT_EQ(remarks_of(Case(line_by("a", devices("[0]mlx5_0:1/RoCE [1]rocep204s0f0v6:1/RoCE")))),
            "");
  std::string many;
  for (int process = 1; process <= 4; ++process)
    many += cat("a:", process, ":2 [0] NCCL INFO ", devices("[0]mlx5_0:1/RoCE"), "\n");
  EXPECT_TRUE(stands(remarks_of(Case(many)), "one RDMA device serves 4 processes on a"));
}

/// horovod/horovod issue 685: a build of 2.3.7.
TEST(NcclLogLinesInIssues, NoDevicesInOlderWords) {
  const Case one(line_by("a", "Net/IB: call to devices() returned 0 devices.") +
                 line_by("a", "Using network Socket"));
  ASSERT_FALSE(one.verdict.why.empty());
  EXPECT_EQ(one.verdict.why.front(), "NCCL found no RDMA device that is up");
}

/// NVIDIA/nccl issue 1837, and one of ncclSend in both ranks without a group: the address came in
/// neither.
TEST(NcclLogLinesInIssues, AnEmptyAddressHasTwoReasons) {
  const Case one(
      line_by("a", "Channel 01/1 : 0[0] -> 1[1] [send] via NET/Socket/0/Shared") +
      warned_at("a", "misc/socket.cc:537",
                "ncclSocketInit: connecting to address  with family 1 is neither AF_INET(2) "
                "nor AF_INET6(10)"));
  EXPECT_EQ(one.first(), "address-garbage");
  EXPECT_TRUE(stands(printed(one), "ncclGroupStart")) << printed(one);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
