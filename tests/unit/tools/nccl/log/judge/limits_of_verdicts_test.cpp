// SPDX-License-Identifier: Apache-2.0
//
// What a log shows, and what it only seems to show: logs that are cut, that hold two attempts, or
// of which a warning is no cause.

#include "base/text.hpp"
#include "tools/nccl/log/judge/first_cause.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/support/steps.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

using namespace test;

using Texts = std::vector<std::string>;

std::string net(std::uint32_t from, std::uint32_t to, bool sends, const std::string& via,
                std::uint32_t pid = 10) {
  return line(sends ? from : to,
              cat("Channel 00/0 : ", from, "[0] -> ", to, "[0] [", sends ? "send" : "receive",
                  "] via NET/", via),
              pid);
}

/// A job of four nodes as 2.22 and later tell it: connections come after initialisation.
std::string job(const std::string& via, std::uint32_t pid = 10, const std::string& id = "0x5") {
  std::string text;
  for (std::uint32_t r = 0; r < 4; ++r)
    text += init(r, "START", pid, id) + init(r, "COMPLETE", pid, id);
  for (std::uint32_t r = 0; r < 4; ++r)
    text += net((r + 3) % 4, r, false, via, pid) + net(r, (r + 1) % 4, true, via, pid) +
            line(r, "Connected all rings, use ring PXN 0 GDR 1", pid);
  return text;
}

bool has(const Texts& texts, const std::string& part) {
  return join(texts, "; ").find(part) != std::string::npos;
}

std::string told(const Case& one) {
  const std::vector<Outcome> outcomes;
  return program::text::nccl_explain({causes(), one.log, one.verdict, outcomes}, {});
}

TEST(NcclLogJudgeLimitsOfVerdicts, ACutLogIsUnknown) {
  const std::string whole = job("IB/0/GDRDMA");
  EXPECT_EQ(Case(whole).met("gdr"), Answer::yes);
  EXPECT_EQ(Case(whole).met("p2p"), Answer::yes);
  const std::string rings = line(2, "Connected all rings, use ring PXN 0 GDR 1");
  for (const std::string& cut :
       {without(whole, net(2, 3, true, "IB/0/GDRDMA")),   // its peer told it
        without(whole, net(1, 2, false, "IB/0/GDRDMA")),  //
        without(whole, init(2, "COMPLETE")),              // it began, and said no more
        without(whole, rings)}) {                         // the others did
    const Case one(cut);
    EXPECT_EQ(one.met("gdr"), Answer::unknown) << cut;
    EXPECT_EQ(one.met("p2p"), Answer::unknown) << cut;
    const Outcome outcome = compare(parse_expectations("gdr")->at(0), one.log, one.verdict);
    ASSERT_EQ(outcome.processes.size(), 1U);
    EXPECT_EQ(process_name(one.log, one.verdict, outcome.processes[0]), "rank 2 (n2:10)");
  }
}

TEST(NcclLogJudgeLimitsOfVerdicts, OneLineOfPeerToPeerIsNotTheWholeOfARank) {
  std::string text = job("IB/0/GDRDMA");
  text = without(text, init(2, "COMPLETE"));
  text = without(text, net(1, 2, false, "IB/0/GDRDMA"));
  text = without(text, net(2, 3, true, "IB/0/GDRDMA"));
  text += line(2, "Channel 01/0 : 2[0] -> 3[0] via P2P/CUMEM");
  EXPECT_EQ(Case(text).met("gdr"), Answer::unknown);
  EXPECT_EQ(Case(text).met("p2p"), Answer::unknown);
}

TEST(NcclLogJudgeLimitsOfVerdicts, ASecondAttemptIsNotMixedIntoTheFirst) {
  const Case one(job("IB/0/GDRDMA") + job("Socket/0", 20, "0x6"));
  ASSERT_EQ(one.verdict.seen.size(), 4U);
  EXPECT_EQ(one.verdict.seen[1].details.size(), 1U);
  EXPECT_EQ(one.verdict.seen[1].gdr_send, one.verdict.seen[1].net_send);
  EXPECT_EQ(one.verdict.other_links, 8U);
  // The log has its connections, so that they are not missing.
  EXPECT_TRUE(has(one.verdict.remarks, "communicator 0x6"));
  EXPECT_FALSE(has(one.verdict.open, "communicator 0x6"));
  EXPECT_EQ(one.met("gdr"), Answer::no);  // it looks at both
  const Case begun(job("IB/0/GDRDMA") + init(0, "START", 20, "0x6"));
  EXPECT_TRUE(has(begun.verdict.open, "communicator 0x6"));
}

TEST(NcclLogJudgeLimitsOfVerdicts, TheLinesOfConnectionsOfOldReleases) {
  const auto open = [](const std::string& version) {
    return Case(cat("NCCL version ", version, "\n")).verdict.open;
  };
  EXPECT_TRUE(has(open("2.3.7+cuda10.0"), "\"Ring ... via"));
  EXPECT_TRUE(has(open("2.5.7+cuda10.0"), "\"Ring ... via"));
  for (const char* later : {"2.6.4+cuda10.2", "2.10.3+cuda11.3", "2.27.3+cuda12.9"})
    EXPECT_TRUE(has(open(later), "\"Channel ... via")) << later;
}

/// Two runs of one process each, of which both are rank 0 of 1 (an mpirun of another MPI).
TEST(NcclLogJudgeLimitsOfVerdicts, ARankOfAnotherCommunicatorIsNoneOfThisOne) {
  std::string text;
  for (const std::uint32_t host : {0U, 1U})
    text += line(host, cat("cudaDriverVersion 120", host, "0")) +
            line(host, cat("comm 0x1 rank 0 nranks 1 cudaDev 0 busId 1 commId 0x7", host,
                           " - Init COMPLETE")) +
            line(host, "Init timings - ncclCommInitRank: rank 0 nranks 1 total 0.5 (kernels 0.1)");
  const std::string shown = told(Case(text));
  EXPECT_NE(shown.find("12.0: rank 0\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("12.1: n1:10\n"), std::string::npos) << shown;
}

TEST(NcclLogJudgeLimitsOfVerdicts, ACommunicatorOfTheSameProcessesIsMain) {
  std::string text = job("IB/0/GDRDMA");
  for (std::uint32_t r = 0; r < 4; ++r) text += init(r, "COMPLETE", 10, "0x6");
  const Case one(text);
  EXPECT_EQ(one.verdict.links.size(), 8U);
  EXPECT_EQ(one.verdict.open_links, 0U);
  EXPECT_FALSE(has(one.verdict.open, "communicator"));
}

TEST(NcclLogJudgeLimitsOfVerdicts, RanksThatNeverFinishAreNamed) {
  const Case one(init(0, "START") + init(0, "COMPLETE") + init(1, "START") + init(3, "START"));
  EXPECT_TRUE(has(one.verdict.open, "how initialisation ended for ranks 1,3"));
  EXPECT_FALSE(has(Case(job("IB/0")).verdict.open, "initialisation ended"));
}

TEST(NcclLogJudgeLimitsOfVerdicts, WhatIsTriedAgainIsNoCause) {
  const std::string port =
      "n0:10:2 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got async event : port error\n";
  for (const char* retry :
       {"Call to connect returned Connection refused, retrying",
        "Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0, retrying 1/34 "
        "after 100 msec of sleep"}) {
    const std::string before = init(0, "START") + line(0, retry);
    const Case healed(before + init(0, "COMPLETE"));
    EXPECT_EQ(healed.first(), "none");
    EXPECT_EQ(Case(before + init(0, "COMPLETE") + port).first(), "ib-async-port");
    EXPECT_EQ(Case(init(0, "COMPLETE") + line(0, retry) + port).first(), "ib-async-port");
    const Case hangs(before);
    EXPECT_NE(hangs.first(), "none");
    EXPECT_NE(told(hangs).find("This was retried"), std::string::npos);
    // The same cause at last, as a warning, is one.
    const Case failed(before + "n0:10:2 [0] misc/socket.cc:1 NCCL WARN " + retry + "\n" +
                      "n0:10:2 [0] x.cc:1 NCCL WARN Call to connect failed : Connection refused\n");
    EXPECT_FALSE(failed.log.events[*failed.verdict.first].retried);
  }
}

TEST(NcclLogJudgeLimitsOfVerdicts, WarningsOfNoKnownCauseAreEachOne) {
  const std::string head = "n0:10:2 [0] x.cc:1 NCCL WARN ";
  const Case one(head + "Something of port 1\n" + head + "Something of port 22\n" + head +
                 "Another thing at 0xdeadbeef\n" + head + "Another thing at 0x7f\n");
  ASSERT_EQ(one.log.events.size(), 2U);
  EXPECT_EQ(one.log.events[0].count, 2U);
  EXPECT_EQ(one.log.events[1].text, "Another thing at 0xdeadbeef");
}

/// Lightning-AI/pytorch-lightning issue 20757: a list of devices with none in it.
TEST(NcclLogJudgeLimitsOfVerdicts, AnEmptyListOfDevicesIsNone) {
  const Case one(line(0, "NET/IB : No device found.") +
                 line(0, "NET/IB : Using [RO]; OOB eth0:10.0.0.1<0>") +
                 line(0, "Using network Socket"));
  EXPECT_TRUE(one.log.processes.at(0).ib.empty());
  for (const std::string& why : one.verdict.why)
    EXPECT_EQ(why.find("RDMA devices"), why.npos) << why;
}

/// awslabs/awsome-distributed-ai issue 386.
/// rapidsai/cuml issue 5961, modelscope/ms-swift issue 6107: the text ends there.
TEST(NcclLogJudgeLimitsOfVerdicts, WhoseLineItIsStandsBeforeWhatIsCut) {
  for (const char* const end :
       {" [0] misc/cudawrap.cc:182 NCCL W", " [0] NCCL INFO", " [0] NCCL I"})
    EXPECT_EQ(named_processes(Case(line(0, "x") + "other:77:78" + end).log), 2U) << end;
  EXPECT_FALSE(Case(line(0, "x") + "other:77:78 [0] x.cc:1 NCCL W").verdict.failed);
  EXPECT_EQ(Case(line(0, "x") + "we use NCCL W").log.messages, 1U);
}

TEST(NcclLogJudgeLimitsOfVerdicts, HowManyRanksALineSpeaksOf) {
  const auto open = [](const std::string& text) { return join(Case(text).verdict.open, "\n"); };
  EXPECT_NE(open(line(0, "comm 0x7f rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0"))
                .find("other lines are of communicators of 16 ranks"),
            std::string::npos);
  EXPECT_NE(open(line(0, "NET/OFI Tuner init: comm with 8 ranks and 1 nodes."))
                .find("communicators of 8 ranks"),
            std::string::npos);
  EXPECT_EQ(open(line(0, "x")).find("other lines are of"), std::string::npos);
}

/// NVIDIA/nccl issue 451: a device that is up, and that the container may not open.
TEST(NcclLogJudgeLimitsOfVerdicts, ADeviceThatCannotBeOpenedIsTheReasonForSockets) {
  const std::string warn = "n0:10:2 [0] transport/net_ib.cc:148 NCCL WARN ";
  const Case one(warn + "NET/IB : Unable to open device mlx5_bond_0\n" +
                 line(0, "NET/IB : No device found.") + line(0, "Using network Socket"));
  ASSERT_FALSE(one.verdict.why.empty());
  EXPECT_EQ(one.verdict.why[0], "NET/IB : Unable to open device mlx5_bond_0");
  for (const std::string& why : one.verdict.why)
    EXPECT_EQ(why.find("no RDMA device that is up"), why.npos);
  EXPECT_EQ(one.first(), "none");
  EXPECT_EQ(one.verdict.went_on.size(), 1U);
}

/// aws/aws-ofi-nccl src/nccl_ofi_rdma.cpp: said before NCCL looks for devices of its own.
TEST(NcclLogJudgeLimitsOfVerdicts, LibfabricWithoutAProviderStandsBeforeNcclsOwnDevices) {
  const std::string both =
      line(0, "NET/OFI No eligible providers were found") + line(0, "NET/IB : No device found.");
  EXPECT_EQ(Case(both + line(0, "Using network Socket")).verdict.why,
            (Texts{"the libfabric plugin found no provider of libfabric that it can use",
                   "NCCL found no RDMA device that is up"}));
  EXPECT_EQ(Case(both + line(0, "Using network IB")).verdict.why, Texts{});
}

/// bigscience-workshop/bigscience, gpt2-meg: lines that several processes write between each other.
TEST(NcclLogJudgeLimitsOfVerdicts, AVersionEndsWhereAnotherLineBegins) {
  EXPECT_EQ(Case("NCCL version 2.7.8+cuda10.2NCCL version 2.7.8+cuda10.2\n").verdict.versions,
            Texts{"2.7.8+cuda10.2"});
  EXPECT_EQ(Case("NCCL version 2.7.8+cuda10.27gpu:1:2 [0] NCCL INFO x\n").verdict.versions,
            Texts{"2.7.8+cuda10.2"});
  EXPECT_EQ(Case("NCCL version 2.4.7+cudaCUDA_MAJOR.CUDA_MINOR\n").verdict.versions,
            Texts{"2.4.7+cudaCUDA_MAJOR.CUDA_MINOR"});
}

/// All that NCCL_DEBUG=VERSION prints is this line.
TEST(NcclLogJudgeLimitsOfVerdicts, TheLastLineOfAFileNamesAVersionOfWhichNothingCanBeCutOff) {
  const auto versions = [](const std::string& text) {
    return judge(read(text), causes()).versions;
  };
  for (const char* const front : {"", "n0:10:10 [0] NCCL INFO "})
    for (const char* const end : {"", "\n"}) {
      const std::string line = cat(front, "NCCL version 2.21.5+cuda12.4", end);
      EXPECT_EQ(versions(line), Texts{"2.21.5+cuda12.4"}) << line;
      EXPECT_EQ(versions(cat(front, "NCCL version 2.21.5+cuda12", end)), Texts{}) << line;
      EXPECT_EQ(versions(cat(front, "NCCL version 2.2", end)), Texts{}) << line;
      EXPECT_EQ(versions(cat(front, "NCCL version 2.21.", end)), Texts{}) << line;
    }
  // PyTorch says it without CUDA's: OpenRLHF/OpenRLHF issue 621. 2.12.10 and 2.12.12 exist.
  const std::string error = "RuntimeError: NCCL error: remote process exited, NCCL version ";
  for (const char* const end : {"", "\n"})
    EXPECT_EQ(versions(error + "2.21.5" + end), Texts{"2.21.5"});
  EXPECT_EQ(versions(error + "2.12.1"), Texts{});
  EXPECT_EQ(versions(error + "2.18.1\n"), Texts{"2.18.1"});
}

/// pytorch/pytorch issue 152780: what C++ says at its end, and in it a line of another process.
TEST(NcclLogJudgeLimitsOfVerdicts, ANameThatHangsOnAClassOfCppIsOfTheSameHost) {
  const Case one(
      "gpu7:940928:940928 [0] NCCL INFO group.cc:241 -> 1\n"
      "c10::Errorgpu7:940928:940928 [0] NCCL INFO group.cc:478 -> 1\n");
  EXPECT_EQ(one.log.processes.size(), 1U);
  // A prefix of a launcher is none of the name.
  EXPECT_EQ(
      Case("gpu7:1:2 [0] NCCL INFO x\npod: a-gpu7:3:2 [0] NCCL INFO x\n").log.processes.size(), 2U);
}

TEST(NcclLogJudgeLimitsOfVerdicts, DevicesThatAreListedAreNotANetworkThatIsUsed) {
  const std::string listed = line(0, "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>");
  const auto networks = [&](const std::string& version) {
    return Case(version + listed + init(0, "COMPLETE", 10, "0x5", 1)).verdict.networks;
  };
  EXPECT_EQ(networks("NCCL version 2.4.8+cuda10.1\n"), Texts{"IB"});
  EXPECT_EQ(networks("NCCL version 2.5.7+cuda10.1\n"), Texts{"IB"});
  // NVIDIA/nccl issue 529: sockets are listed where they are taken, up to 2.4 for the bootstrap,
  // too.
  const auto sockets = [&](const std::string& version) {
    return Case(version + line(0, "NET/Socket : Using [0]eth0:10.0.0.1<0>")).verdict.networks;
  };
  EXPECT_EQ(sockets("NCCL version 2.5.6+cuda10.0\n"), Texts{"Socket"});
  EXPECT_EQ(sockets("NCCL version 2.4.7+cuda10.0\n"), Texts{});
  EXPECT_EQ(sockets("NCCL version 2.10.3+cuda10.0\n"), Texts{});
  // bytedance/byteps issue 61.
  EXPECT_EQ(Case(line(0, "Using internal Network Socket")).verdict.networks, Texts{"Socket"});
  EXPECT_EQ(networks("NCCL version 2.6.4+cuda10.1\n"), Texts{});
  EXPECT_EQ(networks("NCCL version 2.21.5+cuda12.4\n"), Texts{});
  EXPECT_EQ(networks(""), Texts{});
}

/// Where no line says what network it is, what speaks against InfiniBand is worth its line.
TEST(NcclLogJudgeLimitsOfVerdicts, WhyThereIsNoRdmaIsSaidWhateverTheNetworkIs) {
  const std::string none = line(0, "NET/IB : No device found.");
  for (const std::string& network : {std::string(), line(0, "Using network Socket")})
    EXPECT_TRUE(has(Case(none + network).verdict.why, "found no RDMA device that is up"));
  EXPECT_FALSE(has(Case(none + line(0, "Using network AWS Libfabric")).verdict.why, "no RDMA"));
}

TEST(NcclLogJudgeLimitsOfVerdicts, AllInterfacesOfALineAreListed) {
  // kubeflow/pytorch-operator issue 202, pytorch/pytorch issue 68893.
  const std::string text = told(Case(line(
      0, "NET/Socket : Using [0]lo:127.0.0.1<0> [1]eth0:10.0.0.1<0> [2]veth1:fe80::1%veth1<0>")));
  for (const char* const name : {"lo", "eth0", "veth1"})
    EXPECT_NE(text.find(cat("interfaces: ", name, " (n0:10)")), std::string::npos) << text;
}

TEST(NcclLogJudgeLimitsOfVerdicts, AProcessWithTwoErrorsOfAKindIsNamedOnce) {
  const std::string refused = "Connect to 10.0.0.1<4> failed : Connection refused";
  const std::string text =
      told(Case(line(0, "Call to connect returned Connection refused, retrying") +
                cat("n0:10:2 [0] include/socket.h:390 NCCL WARN ", refused, "\n")));
  EXPECT_NE(text.find("connect-refused: 2 lines, n0:10\n"), std::string::npos) << text;
}

/// Only one end prints a connection within a node, and both ranks have it.
TEST(NcclLogJudgeLimitsOfVerdicts, ATransportOfBothEnds) {
  std::string text;
  for (std::uint32_t r = 0; r < 2; ++r) text += init(r, "START", 10, "0x5", 2);
  const Case one(text + line(0, "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct"));
  ASSERT_EQ(one.verdict.seen.size(), 2U);
  EXPECT_EQ(one.verdict.seen[1].details, one.verdict.seen[0].details);
  EXPECT_EQ(one.verdict.seen[1].details.size(), 1U);
}

/// ggml-org/llama.cpp issue 23523: all ranks in one process, and the log was cut.
TEST(NcclLogJudgeLimitsOfVerdicts, WhoHasConnectionsIsNotSaidToHaveNoLine) {
  const std::string edge = " NCCL INFO Channel 00 : ";
  const std::string before = "n0:1:16 [2]" + edge + "2[2] -> 0[0] via SHM/direct/direct\n" +
                             "n0:1:18 [0]" + edge + "0[0] -> 1[1] via SHM/direct/direct\n";
  const auto begins = [](std::uint32_t rank) {
    return cat("n0:1:11", rank, " [", rank, "] NCCL INFO ncclCommInitAll comm 0x5 rank ", rank,
               " nranks 3 cudaDev 0 nvmlDev 0 busId 1000 commId 0x9 - Init START\n");
  };
  const Case one(before + begins(0) + begins(1));
  EXPECT_FALSE(has(one.verdict.open, "known to come from")) << join(one.verdict.open, "; ");
  EXPECT_TRUE(has(one.verdict.open, "lines that may belong to another communicator name rank 2"));
  EXPECT_TRUE(has(one.verdict.open, "to which communicator 1 connection belongs"))
      << join(one.verdict.open, "; ");
  const Case silent(before.substr(before.find('\n') + 1) + begins(0) + begins(1));
  EXPECT_TRUE(has(silent.verdict.open, "no line is known to come from rank 2"));
}

TEST(NcclLogJudgeLimitsOfVerdicts, JsonOfALogCollectorIsTakenOff) {
  const auto wrapped = [](std::string text) {
    text.pop_back();
    for (std::size_t at = 0; (at = text.find('>', at)) != std::string::npos;)
      text.replace(at, 1, "\\u003e");
    return cat(R"({"log":")", text, R"(\n","stream":"stdout","time":"2026-01-31T08:15:00Z"})",
               "\n");
  };
  const std::string plain = job("IB/0/GDRDMA");
  std::string text;
  for (const std::string_view one : split(plain, '\n'))
    if (!one.empty()) text += wrapped(cat(one, "\n"));
  text +=
      wrapped(line(0, "Using network IB")) + wrapped(line(1, "NCCL_IB_HCA set to \\\"mlx5\\\""));
  text += R"({"stream":"a \" b","message":"n2:10:2 [0] NCCL INFO Using network IB"})"
          "\n";
  const Case one(text);
  EXPECT_EQ(one.verdict.networks, Texts{"IB"});
  EXPECT_EQ(one.log.damaged, 0U);
  EXPECT_EQ(one.met("gdr"), Answer::yes);
  EXPECT_EQ(one.log.processes.size(), 4U);
  EXPECT_EQ(one.log.processes[1].environment.at("NCCL_IB_HCA"), "\"mlx5\"");
}

TEST(NcclLogJudgeLimitsOfVerdicts, ARingWithoutGpuDirectIsOfTheCommunicator) {
  std::string text;
  for (std::uint32_t r = 0; r < 4; ++r)
    text += init(r, "COMPLETE") + net((r + 3) % 4, r, false, "IB/0/GDRDMA") +
            net(r, (r + 1) % 4, true, "IB/0/GDRDMA") +
            line(r, "Connected all rings, use ring PXN 0 GDR 0");
  const Case one(text);
  const Outcome outcome = compare(parse_expectations("gdr")->at(0), one.log, one.verdict);
  EXPECT_EQ(outcome.met, Answer::no);
  EXPECT_TRUE(outcome.processes.empty());
  EXPECT_EQ(outcome.why.find("4 of 4"), std::string::npos);
  EXPECT_NE(told(one).find("connection of the communicator's rings does not use it"),
            std::string::npos);
}

TEST(NcclLogJudgeLimitsOfVerdicts, CausesOfEveryVersion) {
  const auto cause = [](const std::string& text) {
    return Case("n0:10:2 [0] x.cc:1 NCCL WARN " + text + "\n").first();
  };
  EXPECT_EQ(cause("NET/IB: Got completion from peer 10.0.0.2<3> with "
                  "status=IBV_WC_LOC_PROT_ERR(4) opcode=IBV_WC_SEND(0) reqSize=0 vendor_err=81"),
            "ib-local-protection");
  for (const char* text :
       {"status=12 opcode=0 len=0 vendor err 129", "error 12, opcode 0, len 0, vendor err 129",
        "status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129"})
    EXPECT_EQ(cause(cat("NET/IB : Got completion from peer 10.0.0.2<3> with ", text)),
              "ib-retry-exceeded");
  EXPECT_EQ(cause("Error : no algorithm/protocol available for function AllGather with datatype "
                  "ncclInt8. NCCL_ALGO was set to Tree."),
            "no-algorithm");
  EXPECT_EQ(cause("Error: network IB not found."), "network-not-found");
  EXPECT_EQ(cause("the network card of the file was not found"), "uncatalogued");
}

TEST(NcclLogJudgeLimitsOfVerdicts, APerformanceWarningIsNoCause) {
  const std::string head = "n0:10:2 [0] x.cc:1 NCCL WARN ";
  const std::string slow =
      head + "Could not find a path for pattern 1, falling back to simple order\n";
  EXPECT_EQ(Case(slow).first(), "none");
  EXPECT_EQ(Case(slow + head + "Cuda failure 700 'an illegal memory access'\n").first(),
            "cuda-kernel");
}

TEST(NcclLogJudgeLimitsOfVerdicts, CausesAreAllOrAny) {
  const std::string rest = "\nrole = \"note\"\nwhy = \"w\"\ncheck = [\"c\"]\nsource = \"s\"\n";
  const auto parsed = [&](const std::string& texts) {
    return program::parse_causes("[[cause]]\nid = \"x\"\n" + texts + rest);
  };
  ASSERT_TRUE(parsed("any = [[\"a\", \"b\"], [\"c\"]]").has_value());
  const std::vector<Cause> two = *parsed("any = [[\"a\", \"b\"], [\"c\"]]");
  EXPECT_EQ(find_cause(two, Cause::By::nccl, "a and b"), 0U);
  EXPECT_EQ(find_cause(two, Cause::By::nccl, "c"), 0U);
  EXPECT_EQ(find_cause(two, Cause::By::nccl, "a"), kNone);
  for (const char* wrong : {"any = []", "any = [[]]", "any = [[\"a\"], [1]]", "any = [\"a\"]",
                            "all = [\"a\"]\nany = [[\"a\"]]", "all = []", "all = [1]"})
    EXPECT_FALSE(parsed(wrong).has_value()) << wrong;
}

TEST(NcclLogJudgeLimitsOfVerdicts, ManyCommunicatorsAndManyHostsCostNoSquares) {
  const auto communicators = [](int many) {
    std::string text;
    for (int i = 0; i < many; ++i) text += init(0, "COMPLETE", 10, cat("0x", i), 8);
    for (int i = 0; i < many; ++i)
      text += line(0, cat("Channel ", i % 60, "/1 : 0[0] -> ", 1 + i % 7, "[1] via P2P/IPC"));
    return text;
  };
  const auto count = [](const std::string& text, int many) {
    EXPECT_EQ(Case(text).log.communicators.size(), static_cast<std::size_t>(many));
  };
  test::expect_no_squares(500, 8, communicators, count);
  const auto hosts = [](int many) {
    std::string glued;
    for (int i = 0; i < many; ++i)
      glued += cat("h", i, ":1:2 [0] NCCL INFO Using network IB Channel 00h", i,
                   ":1:2 [0] NCCL INFO Using network IB\n");
    return glued;
  };
  const auto count_processes = [](const std::string& glued, int many) {
    EXPECT_EQ(Case(glued).log.processes.size(), static_cast<std::size_t>(many));
  };
  test::expect_no_squares(500, 8, hosts, count_processes);
}

/// A log of youkaichao's benchmark: "Abort COMPLETE" pairs ranks with hosts, too.
TEST(NcclLogJudgeLimitsOfVerdicts, HostsOfRanksFromEveryLine) {
  std::string log = init(0, "COMPLETE") + net(0, 3, true, "Socket/0");
  for (const std::uint32_t rank : {1U, 2U})
    log += line(rank,
                cat("comm 0x4d rank ", rank, " nranks 4 cudaDev 0 busId 92000 - Abort COMPLETE"));
  const std::string text = printed(Case(log));
  EXPECT_NE(text.find("1,2    n1: 1; n2: 2  unknown"), text.npos) << text;
  EXPECT_NE(text.find("3      unknown"), text.npos) << text;
  EXPECT_EQ(text.find("1-3"), text.npos) << text;
}

/// aws-samples/training-on-eks: a function of the plugin stands between the process and NCCL.
TEST(NcclLogJudgeLimitsOfVerdicts, TheProcessBeforeAFunctionOfAPlugin) {
  const Case one(
      "[2026-01-01 12:08:32] node0:194:710 [0] int handle_entry(context_t*, fid_cq*, err_entry*, "
      "uint16_t):46 NCCL WARN NET/OFI Request 0x7f completed with error. RC: 103. Error: 4126\n");
  ASSERT_TRUE(one.verdict.first);
  const Event& event = one.log.events[*one.verdict.first];
  EXPECT_EQ(one.log.processes[event.process].host, "node0");
  EXPECT_EQ(event.time, "2026-01-01 12:08:32");
}

/// A log of nccl4py: the variable that it is about is in another line.
TEST(NcclLogJudgeLimitsOfVerdicts, TheVariableThatForcedAMerge) {
  const std::string forced =
      "TOPO/NET : Force-fusing NICs using NCCL_NET_FORCE_MERGE=mlx5_1,mlx5_3\n";
  const std::string failed =
      "graph/topo.cc:1566 (f) NCCL WARN Fusing NET devices from different NUMA domains is not "
      "supported.\n";
  const std::string said = "also in the log: NCCL_NET_FORCE_MERGE is mlx5_1,mlx5_3";
  EXPECT_NE(printed(Case(forced + failed)).find(said), std::string::npos);
  EXPECT_NE(printed(Case("n0:1:2 [0] NCCL INFO " + forced + "n0:1:2 [0] " + failed)).find(said),
            std::string::npos);
  EXPECT_EQ(printed(Case(failed)).find(said), std::string::npos);
}

/// People copy lines without what is in front of them: only those with a level are counted.
TEST(NcclLogJudgeLimitsOfVerdicts, LinesWithoutAPrefixAreAtLeastSoMany) {
  const std::string text = printed(
      Case("NCCL_IB_HCA set to mlx5_1\ngraph/topo.cc:1566 (f) NCCL WARN Fusing NET devices from "
           "different NUMA domains is not supported.\n"));
  EXPECT_NE(text.find("the log has at least 1 line of NCCL without a readable prefix"), text.npos)
      << text;
}

/// NCCL 2.18.1 and 2.29: who called the wrapper of a library may do without that library.
TEST(NcclLogJudgeLimitsOfVerdicts, AWrapperThatFailedIsNoFailureOfTheProcess) {
  const auto warn = [](const std::string& text) { return cat("n0:10:2 [0] ", text, "\n"); };
  const std::string nvml =
      warn(
          "misc/nvmlwrap.cc:100 NCCL WARN nvmlInit_v2() failed: Driver/library "
          "version mismatch") +
      line(0, "misc/nvmlwrap.cc:181 -> 2");
  // What fails in the network while it is used is no such thing, whatever another thread says.
  const std::string used =
      warn(
          "transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.5<1> with "
          "status=12 opcode=1 len=1 vendor err 129 (Send)") +
      line(0, "transport/net_ib.cc:1295 -> 6");
  EXPECT_EQ(Case(used + init(0, "COMPLETE") + line(0, "transport/net.cc:1134 -> 6")).first(),
            "ib-retry-exceeded");
  const std::string verbs = warn("misc/ibvwrap.cc:173 NCCL WARN lib wrapper not initialized.") +
                            line(0, "transport/net_ib/gdr.cc:56 -> 3");
  EXPECT_EQ(Case(nvml + init(0, "COMPLETE")).verdict.went_on.size(), 1U);
  EXPECT_EQ(Case(nvml).first(), "nvml-mismatch");
  // NCCL 2.29.7 asks for DMA-BUF where libibverbs is not there, and goes on.
  EXPECT_EQ(Case(verbs).first(), "none");
  EXPECT_EQ(Case(verbs).verdict.notes.size(), 1U);
  EXPECT_EQ(Case(verbs + init(0, "COMPLETE")).first(), "none");
  // What fails after such a hint is no part of it.
  EXPECT_EQ(Case(verbs + line(0, "init.cc:778 -> 3")).first(), "call-failed");
  EXPECT_EQ(Case(nvml + init(0, "COMPLETE")).first(), "none");
  // Where the caller failed as well, the communicator that stands later is another one.
  EXPECT_NE(Case(nvml + line(0, "init.cc:778 -> 2") + init(0, "COMPLETE")).first(), "none");
}

TEST(NcclLogJudgeLimitsOfVerdicts, NoKnownError) {
  const std::string said = "known errors: none (";
  const auto shows = [&](const std::string& text) {
    return printed(Case(text)).find(said) != std::string::npos;
  };
  EXPECT_TRUE(shows(job("Socket/0")));
  EXPECT_FALSE(shows(job("Socket/0") + "slurmstepd: error: *** JOB 7 ON n0 CANCELLED AT "
                                       "2026-01-01T10:00:00 DUE TO TIME LIMIT ***\n"));
  EXPECT_FALSE(shows("a text without a line of NCCL\n"));
  // What was warned of is one, though the job went on; and so is an error of libsharp.
  EXPECT_FALSE(shows("n0:10:2 [0] x.cc:1 NCCL WARN Something odd\n" + job("Socket/0")));
  EXPECT_FALSE(shows("[n0:0:10 unique id 7][2026-01-01 10:00:00] ERROR Failed to lock SAT tree\n" +
                     job("Socket/0")));
}

TEST(NcclLogJudgeLimitsOfVerdicts, ANetworkThatNoConnectionUses) {
  const std::string via = "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC";
  const std::string network = line(0, "Using network IB");
  const auto head = [](const std::string& text) {
    const std::string all = printed(Case(text));
    const auto at = all.find("network: ");
    return all.substr(at, all.find('\n', at) - at);
  };
  EXPECT_EQ(head(network + line(0, via)), "network: IB; no line shows a connection over it");
  EXPECT_EQ(head(network), "network: IB");
  EXPECT_EQ(head(network + line(0, via) + net(0, 1, true, "I")), "network: IB");
  EXPECT_EQ(head(network + line(0, via) + net(0, 1, true, "IB/0")), "network: IB");
}

/// Colours of Ray and vLLM are no part of a version, a name or a message.
TEST(NcclLogJudgeLimitsOfVerdicts, ColoursAreNoText) {
  const Case one(
      "\x1b[36m(Actor pid=7)\x1b[0m INFO pynccl.py:69] vLLM is using nccl==2.21.5\x1b[32m "
      "[repeated "
      "7x across cluster]\x1b[0m\n");
  EXPECT_EQ(one.verdict.versions, Texts{"2.21.5"});
  const Case failed("\x1b[33m(raylet)\x1b[0m A worker died or was killed while executing a task\n");
  ASSERT_TRUE(failed.verdict.first);
  EXPECT_TRUE(has({failed.log.events[*failed.verdict.first].text}, "(raylet) A worker"));
}

/// The host of one process and the pid of another: two wrote at once.
TEST(NcclLogJudgeLimitsOfVerdicts, AHostAndThePidOfAnother) {
  const auto of = [](const char* host, int pid, const std::string& text) {
    return cat(host, ":", pid, ":", pid, " [0] NCCL INFO ", text, "\n");
  };
  std::string both;
  for (const int rank : {0, 1})
    for (const char* const what : {"START", "COMPLETE"})
      both += of(rank == 0 ? "c0" : "c1", 30000 + rank,
                 cat("ncclCommInitRank comm 0x1 rank ", rank,
                     " nranks 2 cudaDev 0 commId 0x5 - Init ", what));
  const auto processes = [](const std::string& text) { return named_processes(Case(text).log); };
  const std::string torn = of("c1", 30000, "Trees [0] -1/-1/-1->0->1");
  EXPECT_EQ(processes(both + torn), 2U);
  // Nothing shows the ranks: it may be a process.
  EXPECT_EQ(processes(of("c0", 30000, "x") + of("c1", 30001, "x") + torn), 3U);
  EXPECT_EQ(processes(both + torn + torn), 3U);  // it says more than one line
  EXPECT_EQ(processes(both + of("c1", 30002, "Trees [0] -1/-1/-1->0->1")), 3U);
}

/// How the program words its end, where nothing failed.
TEST(NcclLogJudgeLimitsOfVerdicts, TheLastLineOfAJobThatDidNotFail) {
  const auto last = [](const std::string& text, std::size_t piece = 1 << 20) {
    const Log log = read(text, piece);
    return log.endings.empty() ? std::string("none")
                               : cat(log.endings[0].line, ": ", log.endings[0].text);
  };
  const std::string begin = line(0, "Using network IB");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20U}) {
    EXPECT_EQ(last(begin + "\nTraining done", piece), "3: Training done");
    EXPECT_EQ(last(begin + "Training done\n", piece), "2: Training done");
    EXPECT_EQ(last(begin + "Training done\n\n \r\n\n", piece), "2: Training done");
    EXPECT_EQ(last("\x1b[32m 99%|#\r100%|##\x1b[0m\r\n", piece), "1: 100%|##");
    EXPECT_EQ(last("one\rtwo\r", piece), "2: two");  // no newline: these are lines
    EXPECT_EQ(last("{\"log\":\"Training done\\n\",\"stream\":\"stdout\"}\n", piece),
              "1: Training done");
    EXPECT_EQ(last("\n \n", piece), "none");
    EXPECT_EQ(last("Training done\n" + std::string(9, '\0'), piece), "1: Training done");
  }
  EXPECT_LE(last(std::string(100000, 'x')).size(), 410U);
  std::string bar = "x";
  for (int i = 0; i < 500; ++i) bar += "\xe2\x96\x88";
  EXPECT_TRUE(last(bar).ends_with("\xe2\x96\x88 ...")) << last(bar);
  const std::string said = "last line: log:2: Training done";
  EXPECT_NE(told(Case(begin + "Training done\n")).find(said), std::string::npos);
  // The first cause matters more.
  EXPECT_EQ(told(Case(begin + "CUDA error: out of memory\nTraining done\n")).find("last line"),
            std::string::npos);
  reader::Reader reader(causes());
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    reader.begin_file(name);
    reader.feed(begin + "Training done\n");
  }
  const Log log = reader.finish();
  EXPECT_EQ(log.endings.size(), 5U);
  const std::vector<Outcome> outcomes;
  EXPECT_EQ(program::text::nccl_explain({causes(), log, judge(log, causes()), outcomes}, {})
                .find("last line"),
            std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
