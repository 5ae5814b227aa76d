// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "tools/nccl/log/judge/peers.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

using Texts = std::vector<std::string>;

Case of(const std::string& name) { return Case(logs().at(name)); }

TEST(NcclLogJudgeVerdict, InfiniBandWithGpuDirect) {
  const Case one = of("mpirun-ib-gdr");
  EXPECT_EQ(one.verdict.versions, Texts{"2.21.5+cuda12.4"});
  EXPECT_EQ(one.verdict.networks, Texts{"IB"});
  EXPECT_EQ(one.verdict.ranks, 4U);
  EXPECT_TRUE(one.verdict.unseen.empty());
  ASSERT_EQ(one.verdict.seen.size(), 4U);
  EXPECT_EQ(one.verdict.seen[1].net_send, 2U);
  EXPECT_EQ(one.verdict.seen[1].gdr_send, 2U);
  EXPECT_EQ(one.log.communicators[0].nodes, 2U);
  EXPECT_EQ(one.verdict.open, Texts{});
  EXPECT_EQ(one.verdict.differences.size(), 0U);
  EXPECT_EQ(one.met("ib"), Answer::yes);
  EXPECT_EQ(one.met("gdr"), Answer::yes);
  EXPECT_EQ(one.met("p2p"), Answer::yes);
  EXPECT_EQ(one.met("nvls"), Answer::no);
  EXPECT_EQ(one.met("net:IB"), Answer::yes);
  EXPECT_EQ(one.met("net:Libfabric"), Answer::no);
}

TEST(NcclLogJudgeVerdict, OneRankOnSocketsFailsTheJob) {
  const Case one = of("srun-one-on-sockets");
  EXPECT_EQ(one.met("ib"), Answer::no);
  EXPECT_EQ(one.met("gdr"), Answer::no);
  const Outcome outcome = compare(parse_expectations("ib")->at(0), one.log, one.verdict);
  ASSERT_EQ(outcome.processes.size(), 1U);
  EXPECT_EQ(process_name(one.log, one.verdict, outcome.processes[0]), "rank 2 (node3:902)");
  ASSERT_FALSE(one.verdict.differences.empty());
  EXPECT_EQ(one.verdict.differences[0].what, "network");
  EXPECT_EQ(one.verdict.differences[0].groups[1].value, "Socket");
  EXPECT_NE(join(one.verdict.why, "; ")
                .find("found no RDMA device that is up (1 of 4 processes says so)"),
            std::string::npos);
}

/// A job of so many ranks, one node each; `odd` is what another rank says than the others.
std::string job(std::uint32_t ranks, std::uint32_t odd, const std::string& network,
                const std::string& suffix) {
  std::string text;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::string head = cat("n", r, ":1:2 [0] NCCL INFO ");
    const std::string net = r == odd ? network : "IB";
    text += cat(head, "Using network ", net, "\n", head, "Channel 00/0 : ", r, "[0] -> ",
                (r + 1) % ranks, "[0] [send] via NET/", net, "/0", r == odd ? suffix : "/GDRDMA",
                "\n", head, "Channel 00/0 : ", (r + ranks - 1) % ranks, "[0] -> ", r,
                "[0] [receive] via NET/IB/0/GDRDMA\n", head, "comm 0x1 rank ", r, " nranks ", ranks,
                " cudaDev 0 commId 0x5 - Init COMPLETE\n");
  }
  return text;
}

TEST(NcclLogJudgeVerdict, OneRankOf1024) {
  const Case good(job(1024, 5000, "", ""));
  EXPECT_EQ(good.met("ib"), Answer::yes);
  EXPECT_EQ(good.met("gdr"), Answer::yes);
  const Case sockets(job(1024, 777, "Socket", ""));
  EXPECT_EQ(sockets.met("ib"), Answer::no);
  const Case no_gdr(job(1024, 777, "IB", ""));
  EXPECT_EQ(no_gdr.met("ib"), Answer::yes);
  EXPECT_EQ(no_gdr.met("gdr"), Answer::no);
  std::string missing = job(1024, 5000, "", "");
  const auto begin = missing.find("n777:");
  missing.erase(begin, missing.find("n778:") - begin);
  const Case without(missing);
  EXPECT_EQ(without.met("ib"), Answer::unknown);
  EXPECT_EQ(without.verdict.unseen, std::vector<std::uint32_t>{777});
}

TEST(NcclLogJudgeVerdict, WhatIsNotShownIsUnknown) {
  const Case init = of("init-only");
  EXPECT_EQ(init.met("ib"), Answer::yes);
  EXPECT_EQ(init.met("gdr"), Answer::unknown);
  EXPECT_EQ(init.met("p2p"), Answer::unknown);
  EXPECT_EQ(init.met("nvls"), Answer::unknown);
  EXPECT_NE(join(init.verdict.open, "; ").find("which transport was used"), std::string::npos);
  EXPECT_EQ(join(init.verdict.open, "; ").find("NVLS"), std::string::npos);
  const Case reduced(
      "n0:1:2 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x5 - Init "
      "COMPLETE\nn0:1:2 [0] NCCL INFO 16 coll channels, 16 collnet channels, 16 nvls channels, 16 "
      "p2p channels, 8 p2p channels per peer\n");
  EXPECT_NE(join(reduced.verdict.open, "; ").find("NCCL made NVLS channels"), std::string::npos);

  const Case nothing("no line of it\n");
  EXPECT_EQ(nothing.met("ib"), Answer::unknown);
  EXPECT_EQ(nothing.verdict.main, kNone);

  const Case version("NCCL version 2.21.5+cuda12.4\n");
  EXPECT_EQ(version.verdict.versions, Texts{"2.21.5+cuda12.4"});
  EXPECT_EQ(version.met("ib"), Answer::unknown);
}

TEST(NcclLogJudgeVerdict, WhatRayLeftOutIsUnknown) {
  const Case one = of("ray-repeated");
  EXPECT_EQ(one.log.repeated, 2U + 2U + 13U + 26U);
  EXPECT_EQ(one.log.damaged, 1U);
  EXPECT_EQ(one.met("ib"), Answer::unknown);
  EXPECT_EQ(one.met("gdr"), Answer::unknown);
  EXPECT_EQ(one.verdict.unseen, (std::vector<std::uint32_t>{1, 3}));
}

TEST(NcclLogJudgeVerdict, PluginNvlsCollNetAndOneDirectionWithoutGpuDirect) {
  const Case one = of("kubectl-plugin-nvls");
  EXPECT_EQ(one.verdict.networks, Texts{"IBext_v10"});
  EXPECT_EQ(one.met("ib"), Answer::yes);
  EXPECT_EQ(one.met("gdr"), Answer::no);
  EXPECT_EQ(one.met("nvls"), Answer::yes);
  EXPECT_EQ(one.log.connections[3], 4U);
  ASSERT_EQ(one.verdict.seen.size(), 4U);
  EXPECT_EQ(one.verdict.seen[0].gdr_send, 0U);
  EXPECT_EQ(one.verdict.seen[0].gdr_receive, 1U);
  EXPECT_EQ(one.log.processes[0].gids, std::set<std::string>{"device 0 port 1 index 3"});
}

TEST(NcclLogJudgeVerdict, LibfabricIsNeitherVerbsNorSockets) {
  const Case one = of("efa-collector");
  EXPECT_EQ(one.met("gdr"), Answer::yes);
  EXPECT_EQ(one.met("ib"), Answer::unknown);
  EXPECT_EQ(one.met("net:Libfabric"), Answer::no);  // one line says Libfabric, one AWS Libfabric
}

TEST(NcclLogJudgeVerdict, TheFirstCauseIsNotTheLastSymptom) {
  const Case one = of("retry-exceeded");
  EXPECT_EQ(one.first(), "ib-retry-exceeded");
  const Event& event = one.log.events[*one.verdict.first];
  EXPECT_EQ(process_name(one.log, one.verdict, event.process), "rank 1 (w1:50)");
  EXPECT_EQ(event.line, 18U);
  const auto peers = peers_named(one.log, event);
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_EQ(one.log.processes[peers[0]].host, "w2");
}

TEST(NcclLogJudgeVerdict, TheEarlierTimeIsFirstWhateverTheOrder) {
  const Case one = of("warnings-with-time");
  EXPECT_EQ(one.first(), "shm-extend");
  EXPECT_EQ(one.verdict.unseen.size(), 55U);
}

TEST(NcclLogJudgeVerdict, OnlySymptomsAreSaidToBeSymptoms) {
  const Case one(
      "w0:1:2 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by "
      "remote peer 10.5.0.2<3>\n");
  EXPECT_EQ(one.first(), "peer-closed");
  EXPECT_EQ(causes()[one.log.events[0].cause].tier, Cause::Tier::symptom);
}

TEST(NcclLogJudgeVerdict, MixedLinesAreDamagedAndNotGuessed) {
  const Case one = of("interleaved");
  EXPECT_EQ(one.log.processes.size(), 2U);
  EXPECT_EQ(one.log.connections[2], 4U);
  EXPECT_EQ(one.log.damaged, 3U);
  EXPECT_EQ(one.met("gdr"), Answer::no);
}

TEST(NcclLogJudgeVerdict, WrappedLinesAreJoined) {
  const Case one = of("wrapped");
  EXPECT_EQ(one.log.connections[2], 4U);
  EXPECT_EQ(one.log.damaged, 0U);
  EXPECT_EQ(one.met("gdr"), Answer::yes);
  EXPECT_EQ(one.log.processes.size(), 2U);
}

TEST(NcclLogJudgeVerdict, ManyGpusInOneProcess) {
  const Case one = of("one-process");
  EXPECT_EQ(one.log.processes.size(), 1U);
  EXPECT_EQ(one.verdict.seen.size(), 4U);
  EXPECT_EQ(one.met("p2p"), Answer::no);
  EXPECT_EQ(process_name(one.log, one.verdict, 0), "ranks 0-3 (CDS-10-4-3-1:77122)");
  EXPECT_EQ(one.met("gdr"), Answer::unknown);  // nothing went over the network
}

TEST(NcclLogJudgeVerdict, RanksOfAnotherCommunicatorAreNotMixedIn) {
  const Case one = of("several-communicators");
  EXPECT_EQ(one.verdict.ranks, 4U);
  for (const Link& link : one.verdict.links) EXPECT_EQ(link.transport, Transport::net);
  EXPECT_EQ(one.verdict.links.size(), 8U);
  EXPECT_GT(one.verdict.other_links, 0U);
  EXPECT_GT(one.verdict.open_links, 0U);  // rank 0 of both, behind "Init COMPLETE"
  EXPECT_EQ(one.met("gdr"), Answer::yes);
}

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

TEST(NcclLogJudgeVerdict, OldCommunicatorsAreToldApartByThread) {
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

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
