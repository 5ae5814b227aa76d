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

/// horovod/horovod issue 1651; src/transport/net.cu of 2.3.7: the receiver alone speaks.
TEST(NcclLogLinesInIssues, ConnectionsOfNccl23OverTheNetwork) {
  const Case one(line_by("a", "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0") +
                 line_by("b", "Channel 00/0 : 0[0] -> 1[0] [receive] via NET/IB/0/GDRDMA"));
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

/// jax-ml/jax issue 22747: XLA repeats NCCL's last warning.
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

/// horovod/horovod issue 685: a build of 2.3.7.
TEST(NcclLogLinesInIssues, NoDevicesInOlderWords) {
  const Case one(line_by("a", "Net/IB: call to devices() returned 0 devices.") +
                 line_by("a", "Using network Socket"));
  ASSERT_FALSE(one.verdict.why.empty());
  EXPECT_EQ(one.verdict.why.front(), "NCCL found no RDMA device that is up");
}

}  // namespace
}  // namespace nettune::tools::nccl::log
