// SPDX-License-Identifier: Apache-2.0
#include <regex.h>

#include "base/text.hpp"
#include "tools/nccl/log/connection.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

/// Counts by another way than the reader's: one regular expression for each transport over the
/// text.
struct Counts {
  std::size_t p2p, shm, net, collnet, gdr;
};
std::size_t matches(const std::string& text, const std::string& expression) {
  regex_t compiled;
  EXPECT_EQ(regcomp(&compiled, expression.c_str(), REG_EXTENDED), 0) << expression;
  std::size_t count = 0;
  regmatch_t match;
  for (const char* at = text.c_str(); regexec(&compiled, at, 1, &match, 0) == 0; at += match.rm_eo)
    ++count;
  regfree(&compiled);
  return count;
}
Counts grep(const std::string& text) {
  const std::string head =
      R"((Ring|Channel) [0-9]+(/[0-9]+)? : [0-9]+(\[\w+\])? -> [0-9]+(\[\w+\])? )";
  const std::string net = head + R"(\[(send|receive)\] via NET/[A-Za-z0-9_ ]+/[0-9]+(\([0-9]+\))?)";
  const std::string coll =
      R"(CollNet [0-9]+(/[0-9]+)? : [0-9]+ \[(send|receive)\] via COLLNET/\w+/[0-9]+)";
  return {matches(text, head + R"(via P2P/(IPC|CUMEM|MNNVL|direct pointer))"),
          matches(text, head + R"(via (SHM/|direct shared memory))"), matches(text, net),
          matches(text, coll), matches(text, net + "/GDRDMA") + matches(text, coll + "/GDRDMA")};
}

TEST(NcclLogReading, CountsAreThoseOfACarefulGrep) {
  for (const auto& [name, text] : logs()) {
    if (name == "interleaved" || name == "wrapped") continue;  // a grep sees no line there
    const Log log = read(text);
    const Counts counts = grep(text);
    EXPECT_EQ(log.connections[0], counts.p2p) << name;
    EXPECT_EQ(log.connections[1], counts.shm) << name;
    EXPECT_EQ(log.connections[2], counts.net) << name;
    EXPECT_EQ(log.connections[3], counts.collnet) << name;
    EXPECT_EQ(log.gdr_connections, counts.gdr) << name;
  }
}

TEST(NcclLogReading, WhereItIsCutIntoPiecesDoesNotMatter) {
  for (const auto& [name, text] : logs()) {
    const Log whole = read(text);
    for (const std::size_t piece : {1U, 7U, 64U, 1000U}) {
      const Log pieces = read(text, piece);
      EXPECT_EQ(pieces.messages, whole.messages) << name << " in pieces of " << piece;
      EXPECT_EQ(pieces.damaged, whole.damaged) << name << " in pieces of " << piece;
      EXPECT_EQ(pieces.edges.all().size(), whole.edges.all().size()) << name;
      EXPECT_EQ(pieces.processes.size(), whole.processes.size()) << name;
      ASSERT_EQ(pieces.events.size(), whole.events.size()) << name;
      for (std::size_t i = 0; i < whole.events.size(); ++i)
        EXPECT_EQ(pieces.events[i].line, whole.events[i].line) << name;
    }
  }
}

TEST(NcclLogReading, LinesAreReadBehindEveryPrefix) {
  const std::string line = "node-7.x:12:34 [3] NCCL INFO Using network IB";
  for (const char* prefix :
       {"", "[1,0]<stdout>:", "[1,0]<stderr>: ", "3: ", "[rank3]:", "[rank3]: ", "[default3]:",
        "(RayWorker pid=1, ip=10.0.0.1) ", "\x1b[36m(RayWorker pid=1)\x1b[0m ", "\x1b[0m",
        "[pod/train-0/main] ", "2026-01-31T08:15:00.1Z stdout F ", "worker-1  | ", "{\"log\":\"",
        "[2026-01-31 08:15:00] ", "  | 2024-12-04T05:27:44.080Z | ", "\t", "node-7: "}) {
    const Log log = read(prefix + line + "\n");
    ASSERT_EQ(log.processes.size(), 1U) << prefix;
    EXPECT_EQ(log.processes[0].host, "node-7.x") << prefix;
    EXPECT_EQ(log.processes[0].pid, 12U) << prefix;
  }
}

/// Who speaks is looked up by the text in front of "NCCL", and parsed once: the second line of a
/// thread must be taken for what the first was, and for no other's.
TEST(NcclLogReading, EachThreadOfAProcessIsKnownAgain) {
  const auto line = [](const std::string& front, const std::string& who, int channel) {
    return cat(front, who, " [0] NCCL INFO Channel 0", channel, " : 0[0] -> 1[1] via P2P/IPC\n");
  };
  for (const char* const front : {"", "[1,0]<stdout>:", "(worker pid=7) ", "0: ", "2026-01-31 "}) {
    std::string text;
    int communicator = 0;
    for (const char* const who : {"n:12:100", "n:12:101", "n:1:2100", "nn:12:100"})
      text += cat(front, who, " [0] NCCL INFO comm 0x1 rank 0 nranks 2 commId 0x", ++communicator,
                  " - Init START\n");
    for (int channel = 0; channel < 3; ++channel)
      for (const char* const who : {"n:12:100", "n:12:101", "n:1:2100", "nn:12:100", "n:12:101"})
        text += line(front, who, channel);
    const Log log = read(text);
    ASSERT_EQ(log.processes.size(), 3U) << front;
    EXPECT_EQ(log.connections[static_cast<std::size_t>(Transport::p2p)], 15U) << front;
    std::map<std::uint32_t, std::size_t> of_process;
    for (const Edge& edge : log.edges.all()) ++of_process[edge.process];
    EXPECT_EQ(of_process[0], 6U) << front << ": two threads, and a communicator for each";
    EXPECT_EQ(of_process[1], 3U) << front;
    EXPECT_EQ(of_process[2], 3U) << front;
  }
}

TEST(NcclLogReading, WarningsOfEveryVersion) {
  for (const char* line :
       {"n:1:2 [0] misc/socket.cc:30 NCCL WARN Cuda failure 'x'",
        "n:1:2 [0] include/shm.h:42 NCCL WARN Cuda failure 'x'",
        "[2026-03-13 22:26:02] n:1:2 [0] a.cc:1 NCCL WARN Cuda failure 'x'",
        "[2026-03-13 22:26:02] n:1:2 [0] a.cc:1 (ncclFoo) NCCL WARN Cuda failure 'x'"}) {
    const Case one(std::string(line) + "\n");
    ASSERT_EQ(one.log.events.size(), 1U) << line;
    EXPECT_EQ(one.first(), "cuda-failure");
    EXPECT_EQ(one.log.processes.at(one.log.events[0].process).host, "n") << line;
    EXPECT_EQ(one.log.events[0].time, line[0] == '[' ? "2026-03-13 22:26:02" : "");
  }
}

TEST(NcclLogReading, MemoryGrowsWithConnectionsAndNotWithLines) {
  const std::string& text = logs().at("mpirun-ib-gdr");
  const Log once = read(text);
  std::string often;
  for (int i = 0; i < 200; ++i) often += text;
  const Log many = read(often);
  EXPECT_EQ(many.messages, 200 * once.messages);
  EXPECT_EQ(many.edges.all().size(), once.edges.all().size());
  EXPECT_EQ(many.names.size(), once.names.size());
  EXPECT_EQ(many.processes.size(), once.processes.size());
  EXPECT_EQ(many.communicators.size(), once.communicators.size());
  EXPECT_EQ(many.processes[0].memberships.size(), once.processes[0].memberships.size());
}

/// The logs of two ranks: what is in another file is not before it, nor above it.
TEST(NcclLogReading, AFileIsNoContinuationOfAnother) {
  reader::Reader reader(causes());
  reader.begin_file("a");
  reader.feed("n1: Test NCCL failure common.cu:951 'internal error / '\n");
  reader.begin_file("b");
  reader.feed("x\ny\ncorrupted double-linked list\n");
  const Log log = reader.finish();
  const judge::Verdict verdict = judge::judge(log, causes());
  ASSERT_TRUE(verdict.first);
  EXPECT_EQ(causes()[log.events[*verdict.first].cause].id, "native-check");
}

}  // namespace
}  // namespace nettune::tools::nccl::log
