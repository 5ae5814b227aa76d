// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/schedule.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "unit/tools/measure/fabric.hpp"

namespace nettune::tools::measure {
namespace {

const std::vector<std::size_t> kSizes = {2, 3, 4, 5, 7, 8, 13, 64, 65, 255, 256, 1000, 1024, 4096};

std::vector<std::size_t> degrees(const Schedule& rounds, std::size_t nodes) {
  std::vector<std::size_t> out(nodes, 0);
  for (const Round& round : rounds)
    for (const Pair& pair : round) {
      ++out[pair.a];
      ++out[pair.b];
    }
  return out;
}

TEST(MeasureSchedule, EveryRoundOfEveryScheduleIsAMatching) {
  for (const std::size_t nodes : kSizes) {
    std::vector<Schedule> all = {ring(nodes), quick(nodes, kQuickRounds, 7), cube(nodes)};
    if (nodes <= 1024) all.push_back(all_pairs(nodes));
    for (const Schedule& rounds : all)
      for (const Round& round : rounds) ASSERT_TRUE(is_matching(round, nodes)) << nodes;
  }
}

TEST(MeasureSchedule, ARingMeetsBothNeighboursInTwoRoundsOrThree) {
  for (const std::size_t nodes : kSizes) {
    const Schedule rounds = ring(nodes);
    EXPECT_EQ(rounds.size(), nodes == 2 ? 1U : 2 + nodes % 2) << nodes;
    const std::size_t neighbours = nodes == 2 ? 1 : 2;
    for (const std::size_t degree : degrees(rounds, nodes)) ASSERT_EQ(degree, neighbours) << nodes;
  }
}

TEST(MeasureSchedule, AllPairsMeetOnceInTheFewestRounds) {
  for (const std::size_t nodes : kSizes) {
    if (nodes > 1024) continue;
    std::set<std::pair<std::size_t, std::size_t>> seen;
    const Schedule rounds = all_pairs(nodes);
    EXPECT_EQ(rounds.size(), nodes - 1 + nodes % 2);
    for (const Round& round : rounds)
      for (const Pair& pair : round) ASSERT_TRUE(seen.insert(key(pair)).second) << nodes;
    EXPECT_EQ(seen.size(), nodes * (nodes - 1) / 2);
  }
}

TEST(MeasureSchedule, QuickTestsEveryNodeInEveryRoundAndNoPairTwice) {
  for (const std::size_t nodes : kSizes) {
    if (nodes < 13) continue;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Schedule rounds = quick(nodes, kQuickRounds, seed);
      ASSERT_EQ(rounds.size(), kQuickRounds);
      std::set<std::pair<std::size_t, std::size_t>> seen;
      for (const Round& round : rounds) {
        ASSERT_EQ(round.size(), nodes / 2);
        for (const Pair& pair : round) ASSERT_TRUE(seen.insert(key(pair)).second) << nodes;
      }
      for (const std::size_t degree : degrees(rounds, nodes))
        ASSERT_GE(degree, kQuickRounds - nodes % 2) << nodes;
    }
  }
  EXPECT_EQ(quick(64, 6, 5), quick(64, 6, 5));
  EXPECT_NE(quick(64, 6, 5), quick(64, 6, 6));
  EXPECT_EQ(quick(2, 6, 5).size(), 1U);
}

TEST(MeasureSchedule, ACubeHasLogarithmicRoundsAndTestsEveryNode) {
  for (const std::size_t nodes : kSizes) {
    const Schedule rounds = cube(nodes);
    std::size_t bits = 0;
    while ((std::size_t{1} << bits) < nodes) ++bits;
    EXPECT_EQ(rounds.size(), bits);
    for (const std::size_t degree : degrees(rounds, nodes)) ASSERT_GE(degree, 1U) << nodes;
    if ((nodes & (nodes - 1)) != 0) continue;
    for (const std::size_t degree : degrees(rounds, nodes)) ASSERT_EQ(degree, bits);
  }
}

TEST(MeasureSchedule, LinksCoversEveryLinkBetweenSwitches) {
  const Topology topology = fat_tree(8, 4, 16);
  const LinkSchedule out = links(topology);
  EXPECT_EQ(out.uncovered, 0U);
  std::size_t pairs = 0;
  for (const Round& round : out.rounds) {
    ASSERT_TRUE(is_matching(round, topology.leaf.size()));
    for (const Pair& pair : round) EXPECT_NE(topology.leaf[pair.a], topology.leaf[pair.b]);
    pairs += round.size();
  }
  EXPECT_EQ(pairs, topology.links.size());
  EXPECT_LT(out.rounds.size(), 8U);
  Topology island = fat_tree(2, 1, 2);
  island.switches.emplace_back("lonely");
  island.links.push_back({2, 3});
  EXPECT_EQ(links(island).uncovered, 1U);
}

TEST(MeasureSchedule, ATopologyIsReadAndAMistakeIsNamed) {
  const auto good = parse_topology(
      "# a comment\nn0 leaf0\nn1 leaf1 # there\n\nleaf0 spine\nleaf1 spine\n", {"n0", "n1"});
  ASSERT_TRUE(good) << good.error().text;
  EXPECT_EQ(good->leaf, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(good->links.size(), 2U);
  const auto missing = parse_topology("n0 leaf0\n", {"n0", "n1"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("n1"), std::string::npos);
  const auto three = parse_topology("n0 leaf0\nn1 leaf0 leaf1\n", {"n0", "n1"});
  ASSERT_FALSE(three);
  EXPECT_NE(three.error().text.find("line 2"), std::string::npos);
  EXPECT_FALSE(parse_topology("n0 n1\n", {"n0", "n1"}));
}

// In the shape of ibnetdiscover(8): a block for each switch and host, a link in the blocks of both.
constexpr const char* kFabric = R"(#
# Topology file: generated on Mon Jan  5 10:00:00 2026

vendid=0x2c9
switchguid=0x01(01)
Switch	40 "S-0000000000000001"		# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 3 lmc 0
[1]	"H-00000000000000a1"[1](a1) 		# "N0 mlx5_0" lid 11 4xHDR
[2]	"H-00000000000000a2"[1](a2) 		# "n1 mlx5_0" lid 12 4xHDR
[3]	"S-0000000000000003"[1]		# "spine" lid 9 4xHDR
[4]	"S-0000000000000003"[2]		# "spine" lid 9 4xHDR
[41]	"H-00000000000000ff"[1](ff) 		# "Mellanox Technologies Aggregation Node" lid 5 4xHDR

switchguid=0x02(02)
Switch	40 "S-0000000000000002"		# "leaf2" base port 0 lid 4 lmc 0
[1]	"H-00000000000000a3"[1](a3) 		# "n2 mlx5_0" lid 13 4xHDR
[2]	"H-00000000000000a4"[1](a4) 		# "N0 mlx5_1" lid 14 4xHDR
[3]	"S-0000000000000003"[3]		# "spine" lid 9 4xHDR

switchguid=0x03(03)
Switch	40 "S-0000000000000003"		# "spine" base port 0 lid 9 lmc 0
[1]	"S-0000000000000001"[3]		# "MF0;leaf1:MQM8700/U1" lid 3 4xHDR
[2]	"S-0000000000000001"[4]		# "MF0;leaf1:MQM8700/U1" lid 3 4xHDR
[3]	"S-0000000000000002"[3]		# "leaf2" lid 4 4xHDR

caguid=0xa1
Ca	1 "H-00000000000000a1"		# "N0 mlx5_0"
[1](a1) 	"S-0000000000000001"[1]		# lid 11 lmc 0 "MF0;leaf1:MQM8700/U1" lid 3 4xHDR
)";

TEST(MeasureTopology, OfWhatNodesHear) {
  const Topology topology = topology_of_leaves({"a", "b", "", "a", ""});
  EXPECT_EQ(topology.leaf, (std::vector<std::size_t>{0, 1, 2, 0, 3}));
  EXPECT_EQ(topology.switches, (std::vector<std::string>{"a", "b", "", ""}));
  EXPECT_TRUE(topology.links.empty());
}

TEST(MeasureTopology, OfIbnetdiscover) {
  const auto found = parse_topology(kFabric, {"n0.site", "n1", "n2"});
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->switches, (std::vector<std::string>{"MF0;leaf1:MQM8700/U1", "leaf2", "spine"}));
  EXPECT_EQ(found->leaf, (std::vector<std::size_t>{0, 0, 1}));
  EXPECT_EQ(found->links, (std::vector<Pair>{{0, 2}, {1, 2}}));
  const LinkSchedule both = links(*found);
  EXPECT_EQ(both.uncovered, 0U);
  const auto missing = parse_topology(kFabric, {"n0", "n9"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("no port of node n9"), std::string::npos);
  // Cut anywhere, it is an error or a smaller fabric, and nothing else.
  const std::string_view whole = kFabric;
  for (std::size_t size = 0; size < whole.size(); ++size)
    (void)parse_topology(whole.substr(0, size), {"n0"});
}

}  // namespace
}  // namespace nettune::tools::measure
