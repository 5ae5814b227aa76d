// SPDX-License-Identifier: Apache-2.0
#include <regex.h>

#include "base/text.hpp"
#include "tools/nccl/log/connection.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

std::string said(std::string_view message) {
  Connection one;
  switch (parse_connection(message, one)) {
    case Parsed::other:
      return "other";
    case Parsed::damaged:
      return "damaged";
    case Parsed::found:
      break;
  }
  static constexpr const char* kTransports[] = {"p2p", "shm", "net", "collnet"};
  static constexpr const char* kSides[] = {"", " send", " receive"};
  return cat(kTransports[static_cast<std::size_t>(one.transport)], " ", one.detail, " ", one.from,
             ">", one.to, " c", one.channel, "/", one.index,
             kSides[static_cast<std::size_t>(one.side)],
             one.device < 0 ? "" : cat(" d", one.device), one.proxy < 0 ? "" : cat(" x", one.proxy),
             one.gdr ? " gdr" : "");
}

// The forms of src/transport/*.cc, NVIDIA/nccl v2.4.8, v2.7.8, v2.12.12, v2.18.6, v2.21.5, v2.27.7,
// v2.30.7.
TEST(NcclLogConnection, EveryFormOfTwentyVersions) {
  EXPECT_EQ(said("Ring 00 : 4 -> 19 [send] via NET/Socket/0"), "net Socket 4>19 c0/0 send d0");
  EXPECT_EQ(said("Ring 02 : 19 -> 4 [receive] via NET/IB/3/GDRDMA"),
            "net IB 19>4 c2/0 receive d3 gdr");
  EXPECT_EQ(said("Ring 00 : 4[4] -> 3[3] via direct shared memory"), "shm SHM 4>3 c0/0");
  EXPECT_EQ(said("Ring 00 : 0 -> 1 via P2P/common device"), "p2p common device 0>1 c0/0");
  EXPECT_EQ(said("Channel 01 : 2[c7000] -> 0[87000] [receive] via NET/IB/5/GDRDMA"),
            "net IB 2>0 c1/0 receive d5 gdr");
  EXPECT_EQ(said("Channel 11/0 : 47[7] -> 39[7] [receive] via NET/IBext_v8/2"),
            "net IBext_v8 47>39 c11/0 receive d2");
  EXPECT_EQ(said("Channel 01/1 : 1[4] -> 0[4] [send] via NET/IB/4(2)/GDRDMA(PCI)/Shared"),
            "net IB 1>0 c1/1 send d4 x2 gdr");
  EXPECT_EQ(said("Channel 00/0 : 1[4] -> 0[4] [send] via NET/AWS Libfabric/12/GDRDMA"),
            "net AWS Libfabric 1>0 c0/0 send d12 gdr");
  EXPECT_EQ(said("Channel 00/0 : 0[1000] -> 1[2000] via P2P/direct pointer/read"),
            "p2p direct pointer 0>1 c0/0");
  EXPECT_EQ(said("Channel 23/0 : 2[201c0] -> 3[201d0] via P2P/IPC/read"), "p2p IPC 2>3 c23/0");
  EXPECT_EQ(said("Channel 00/0 : 7[7] -> 6[6] via P2P/CUMEM/CE"), "p2p CUMEM 7>6 c0/0");
  EXPECT_EQ(said("Channel 00/0 : 7[7] -> 6[6] via P2P/MNNVL/read/CE"), "p2p MNNVL 7>6 c0/0");
  EXPECT_EQ(said("Channel 00 : 7[7] -> 6[6] via P2P/indirect/3[b000]/read"),
            "p2p indirect 7>6 c0/0");
  EXPECT_EQ(said("Channel 00 : 2[1] -> 0[0] via SHM/direct/direct"), "shm SHM 2>0 c0/0");
  EXPECT_EQ(said("Channel 00 : 2[1] -> 0[0] via SHM/CE/direct"), "shm SHM 2>0 c0/0");
  EXPECT_EQ(said("Channel 00 : 2[1] -> 0[0] via SHM/direct"), "shm SHM 2>0 c0/0");
  EXPECT_EQ(said("CollNet 00/0 : 3 [send] via COLLNET/SHARP/0/GDRDMA"),
            "collnet SHARP 3>3 c0/0 send d0 gdr");
  EXPECT_EQ(said("Coll 01 : 3 [receive] via COLLNET/SHARP/1"), "collnet SHARP 3>3 c1/0 receive d1");
}

TEST(NcclLogConnection, WhatOnlyLooksLikeOne) {
  for (const char* message :
       {"Channel 00/02 :    0   1   2   3", "Channel 00 :    0   1   3   2", "Channel 00/16 : 0 1",
        // Of a communicator of one rank (src/graph/rings.cc, NVIDIA/nccl v2.23.4).
        "Channel 00/64 : 0", "Channel 63/64 : 0", "Channel 00/01 : 0", "Channel 00/01 :    0",
        "Ring 00 : 3 -> 0 -> 1", "Channels of something", "Connected all rings",
        "Trees [0] 17/24/-1->16->0 [1] 17/-1/-1->16->9", ""})
    EXPECT_EQ(said(message), "other") << message;
}

TEST(NcclLogConnection, HalfALineIsNeverAWholeOne) {
  const std::string whole = "Channel 00/0 : 10[a] -> 2[b] [send] via NET/IB/0(3)/GDRDMA/Shared";
  for (std::size_t length = 8; length < whole.size(); ++length) {
    const std::string text = said(whole.substr(0, length));
    const std::string_view cut = std::string_view(whole).substr(0, length);
    // Where a line may end by itself nothing can be seen here; the reader sees it by other means.
    if (cut.ends_with("/0") || cut.ends_with(")") || cut.ends_with("/GDRDMA")) continue;
    EXPECT_EQ(text, "damaged") << cut;
  }
  EXPECT_EQ(said("Channel 00/0 : 6["), "damaged");
  EXPECT_EQ(said("Channel 00/0 : 0"), "damaged");
  EXPECT_EQ(said("Channel 01/1 : 0"), "damaged");
  EXPECT_EQ(said("Channel 00/0 : 1[0] -> 0[0] via NET/IB/0"), "damaged");
  EXPECT_EQ(said("Channel 00/0 : 1[0] -> 0[0] via P2P/IP"), "damaged");
  EXPECT_EQ(said("Channel 4294967297/0 : 1[0] -> 0[0] via P2P/IPC"), "other");
  EXPECT_EQ(said("Channel 0/0 : 99999999999[0] -> 0[0] via P2P/IPC"), "damaged");
}

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

TEST(NcclLogCauses, AreWholeAndUnlike) {
  EXPECT_GE(causes().size(), 40U);
  std::map<std::string, int> seen;
  for (const Cause& cause : causes()) EXPECT_EQ(seen[cause.id]++, 0) << cause.id;
  EXPECT_FALSE(program::parse_causes("[[cause]]\nid = \"x\"\n").has_value());
  EXPECT_FALSE(program::parse_causes("other = 1\n").has_value());
}

}  // namespace
}  // namespace nettune::tools::nccl::log
