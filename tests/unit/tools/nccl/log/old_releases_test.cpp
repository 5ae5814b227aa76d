// SPDX-License-Identifier: Apache-2.0
//
// NCCL 2.2 and 2.3. Up to 2.3.4 a line has no "NCCL" in front of its level (horovod/horovod issues
// 489 and 666); the messages are those of src/init.cu, src/include/socket.h and
// src/transport/net_ib.cu of 2.3.7.
#include "base/text.hpp"
#include "tools/nccl/log/prefix.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

/// What rank 0 and 1 print, each on a host of its own, until they are connected.
std::string old_job(const std::string& level) {
  std::string text;
  for (const int rank : {0, 1}) {
    const std::string front = cat("n", rank, ":10:20 [0] ", level, " ");
    text += cat(front, "NET : Using interface eth0:10.0.0.", rank, "<0>\n",           //
                front, "NET/IB : Using interface eth0 for sideband communication\n",  //
                front, "NET/IB: [0] mlx5_0:1/IB \n",                                  //
                front, "NET/IB: [1] mlx5_1:1/RoCE \n",                                //
                front, "Using internal Network IB\n",                                 //
                front, "NET : Using interface docker0:172.17.0.1<0>\n",               //
                front, "NET/Socket : 2 interfaces found\n",                           //
                front, "comm 0x7f132405ad20 rank ", rank, " nranks 2\n",              //
                front, "Ring 00 : ", 1 - rank, " -> ", rank, " [receive] via NET/IB/0/GDRDMA\n",
                front, "Ring 00 : ", rank, " -> ", 1 - rank, " [send] via NET/IB/0/GDRDMA\n");
  }
  return text;
}

TEST(NcclLogOldReleases, LinesWithoutTheName) {
  const Case one(old_job("INFO"));
  EXPECT_EQ(one.verdict.networks, std::vector<std::string>{"IB"});
  ASSERT_EQ(named_processes(one.log), 2U);
  ASSERT_FALSE(one.log.processes[0].ib.empty());
  EXPECT_EQ(one.log.names.text(one.log.processes[0].ib.front()), "[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE");
  // The bootstrap's is the first; the others are those of sockets that are not taken.
  ASSERT_EQ(one.log.processes[0].bootstrap.size(), 1U);
  EXPECT_EQ(one.log.names.text(one.log.processes[0].bootstrap.front()), "eth0:10.0.0.0<0>");
  EXPECT_EQ(one.verdict.ranks, 2U);
  EXPECT_EQ(one.log.edges.all().size(), 4U);
  EXPECT_EQ(one.log.gdr_connections, 4U);
  EXPECT_EQ(one.met("ib"), Answer::yes);
  EXPECT_EQ(one.first(), "none");
}

TEST(NcclLogOldReleases, TheNameMakesNoDifference) {
  const Case without(old_job("INFO"));
  const Case with(old_job("NCCL INFO"));
  EXPECT_EQ(without.verdict.networks, with.verdict.networks);
  EXPECT_EQ(without.verdict.ranks, with.verdict.ranks);
  EXPECT_EQ(without.log.messages, with.log.messages);
  for (const std::size_t piece : {1U, 7U, 100U})
    EXPECT_EQ(Case(old_job("INFO"), piece).log.messages, with.log.messages) << piece;
}

TEST(NcclLogOldReleases, ACommunicatorThatStands) {
  std::string text = old_job("NCCL INFO");
  EXPECT_EQ(Case(text).met("gdr"), Answer::unknown);  // it may go on
  for (const int rank : {0, 1})
    text += cat("n", rank, ":10:20 [0] NCCL INFO comm 0x7f132405ad20 rank ", rank,
                " nranks 2 - COMPLETE\n");
  const Case one(text);
  EXPECT_EQ(one.met("gdr"), Answer::yes);
  ASSERT_EQ(one.log.communicators.size(), 1U);
  ASSERT_FALSE(one.log.processes.empty());
  EXPECT_EQ(one.log.processes[0].completed, 1U);
  // Later versions say more behind it, and what they say is no begin.
  EXPECT_EQ(
      Case("n0:1:2 [0] NCCL INFO comm 0x7f rank 0 nRanks 2 nNodes 1 localRanks 2\n").verdict.ranks,
      0U);
}

/// horovod/horovod issue 134: up to 2.2 a line about a connection has no ring, and of the network
/// the receiver alone speaks.
TEST(NcclLogOldReleases, ConnectionsWithoutARing) {
  const Case one(
      "n0:1:3 [0] INFO [0] Ring 0 :    0   1   2   3\nn1:2:3 [1] INFO 3 -> 2 via P2P/IPC\n"
      "n1:1:3 [0] INFO 1 -> 2 via NET/IB/0\nn1:1:3 [0] INFO 2 -> 3 via direct shared memory\n"
      "n0:1:3 [0] INFO 3 -> 0 via NET/Socket/0\nn0:1:3 [0] INFO Launch mode Parallel\n");
  EXPECT_EQ(one.log.connections[static_cast<std::size_t>(Transport::p2p)], 1U);
  EXPECT_EQ(one.log.connections[static_cast<std::size_t>(Transport::shm)], 1U);
  EXPECT_EQ(one.log.connections[static_cast<std::size_t>(Transport::net)], 2U);
  EXPECT_EQ(one.log.damaged, 0U);
  EXPECT_EQ(one.verdict.said_ranks, 4U);
  for (const Edge& edge : one.log.edges.all())
    if (edge.transport == Transport::net) {
      EXPECT_EQ(edge.side, Side::receive);
      EXPECT_EQ(edge.own, edge.peer == 1 ? 2U : 0U);
    }
  // Whether these versions print "/GDRDMA" is not known.
  EXPECT_EQ(join(one.verdict.remarks, "; ").find("GPUDirect"), std::string::npos);
  EXPECT_NE(printed(one).find("n network, GPUDirect RDMA unknown"), std::string::npos);
  EXPECT_EQ(one.met("gdr"), Answer::unknown);
  EXPECT_EQ(read("n0:1:3 [0] INFO 3 -> 0 via NET/IB/0").connections[2],
            0U);  // "/GDRDMA" may follow
  EXPECT_EQ(Case("n0:1:3 [0] INFO transport/net_ib.cu:118 -> 2\n").log.damaged, 0U);
}

TEST(NcclLogOldReleases, Errors) {
  const Case one(old_job("INFO") +
                 "n1:10:20 [0] include/socket.h:360 WARN Call to connect timeout : Connection "
                 "refused\nn1:10:20 [0] INFO transport/net_ib.cu:118 -> 2\n");
  ASSERT_EQ(one.first(), "connect-refused");
  EXPECT_EQ(one.log.processes[one.log.events[*one.verdict.first].process].host, "n1");
  EXPECT_TRUE(one.log.events[*one.verdict.first].failed);
  EXPECT_EQ(Case("n0:1:2 [0] INFO init.cu:915 -> 3\n").first(), "call-failed");
  // NVIDIA/nccl issue 179.
  EXPECT_EQ(Case("n0:1:2 [0] misc/rings.cu:38 NCCL WARN Error : ring 0 does not loop back to start "
                 "(6 != 0)\n")
                .first(),
            "topology-incomplete");
}

TEST(NcclLogOldReleases, LinesOfOthersAreNotTaken) {
  std::string into;
  EXPECT_EQ(add_nccl("n0:1:2 [3] INFO NET : Using", into), 11U);
  EXPECT_EQ(into, "n0:1:2 [3] NCCL INFO NET : Using");
  for (const char* const line :
       {"[2026-11-01] [0] INFO NET : Using interface", "INFO NET : Using interface",
        "worker:12 [0] INFO Using cache", "a:1:2 [x] INFO Using", "n0:1:2 [3] INFORM", ""})
    EXPECT_EQ(add_nccl(line, into), std::string_view::npos) << line;
  EXPECT_EQ(Case("[trainer] INFO Using network mirror\n").log.messages, 0U);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
