// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/schedule.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "tools/measure/locate.hpp"
#include "tools/measure/random.hpp"

namespace nettune::tools::measure {
namespace {

const std::vector<std::size_t> kSizes = {2, 3, 4, 5, 7, 8, 13, 64, 65, 255, 256, 1000, 1024, 4096};

std::pair<std::size_t, std::size_t> key(const Pair& pair) { return std::minmax(pair.a, pair.b); }

/// Every node is in at most one pair of a round, nobody with itself, all below `nodes`.
bool is_matching(const Round& round, std::size_t nodes) {
  std::vector<bool> used(nodes, false);
  for (const Pair& pair : round) {
    if (pair.a == pair.b || pair.a >= nodes || pair.b >= nodes) return false;
    if (used[pair.a] || used[pair.b]) return false;
    used[pair.a] = used[pair.b] = true;
  }
  return true;
}

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

/// Leaves of `per_leaf` nodes, each joined to every spine.
Topology fat_tree(std::size_t leaves, std::size_t spines, std::size_t per_leaf) {
  Topology topology;
  for (std::size_t leaf = 0; leaf < leaves + spines; ++leaf)
    topology.switches.push_back((leaf < leaves ? "leaf" : "spine") + std::to_string(leaf));
  for (std::size_t node = 0; node < leaves * per_leaf; ++node)
    topology.leaf.push_back(node / per_leaf);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    for (std::size_t spine = 0; spine < spines; ++spine)
      topology.links.push_back({leaf, leaves + spine});
  return topology;
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

/// What a schedule finds of nodes and links that are bad.
Suspects found(const Schedule& rounds, std::size_t nodes, const std::set<std::size_t>& bad,
               const std::set<std::pair<std::size_t, std::size_t>>& bad_links = {}) {
  std::vector<PairTest> tests;
  for (const Round& round : rounds)
    for (const Pair& pair : round) {
      const bool is_bad =
          bad.contains(pair.a) || bad.contains(pair.b) || bad_links.contains(key(pair));
      tests.push_back({pair, is_bad ? PairState::bad : PairState::good});
    }
  return decode(nodes, tests);
}

TEST(MeasureDecode, SixRoundsFindUpToFivePerCentOfBadNodesAndOnlyThem) {
  Random random(11);
  for (const std::size_t nodes : {64U, 256U, 1024U, 4096U}) {
    const int trials = nodes > 1000 ? 20 : 200;
    int exact = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::set<std::size_t> bad;
      while (bad.size() < std::max<std::size_t>(1, nodes / 20)) bad.insert(random.below(nodes));
      const Suspects seen = found(quick(nodes, kQuickRounds, random.next()), nodes, bad);
      if (std::set<std::size_t>(seen.nodes.begin(), seen.nodes.end()) == bad) ++exact;
    }
    EXPECT_GE(exact, trials * 97 / 100) << nodes;
  }
}

TEST(MeasureDecode, ABadNodeIsNeverCleared) {
  Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    std::set<std::size_t> bad;
    while (bad.size() < 20) bad.insert(random.below(64));
    const Suspects seen = found(quick(64, 3, random.next()), 64, bad);
    for (const std::size_t node : bad) EXPECT_TRUE(std::ranges::count(seen.nodes, node) == 1);
  }
}

TEST(MeasureDecode, ACubeCallsABadLinkALink) {
  Random random(13);
  int exact = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Schedule rounds = cube(256);
    std::set<std::size_t> bad;
    while (bad.size() < 4) bad.insert(random.below(256));
    std::set<std::pair<std::size_t, std::size_t>> bad_links;
    while (bad_links.size() < 4) {
      const Round& round = rounds[random.below(rounds.size())];
      const Pair& pair = round[random.below(round.size())];
      if (!bad.contains(pair.a) && !bad.contains(pair.b)) bad_links.insert(key(pair));
    }
    const Suspects seen = found(rounds, 256, bad, bad_links);
    std::set<std::pair<std::size_t, std::size_t>> links;
    for (const auto& [link, rails] : seen.links) links.insert(link);
    if (links == bad_links && seen.nodes.size() == bad.size()) ++exact;
  }
  EXPECT_GE(exact, 95);
}

TEST(MeasureDecode, WhatDidNotEndIsUnknownAndNotBad) {
  const Suspects seen = decode(
      4, {{{0, 1}, PairState::missing}, {{2, 3}, PairState::bad}, {{2, 0}, PairState::good}});
  EXPECT_EQ(seen.unknown, (std::vector<std::size_t>{1}));
  EXPECT_EQ(seen.nodes, (std::vector<std::size_t>{3}));
  EXPECT_TRUE(seen.links.empty());
}

TEST(MeasureDecode, ARailThatIsBadAtHalfOfItsNodesIsTheRail) {
  Random random(14);
  std::vector<PairTest> tests;
  for (const Round& round : quick(16, kQuickRounds, random.next()))
    for (const Pair& pair : round)
      for (std::size_t rail = 0; rail < 4; ++rail) {
        const bool cable = rail == 2 && (pair.a == 5 || pair.b == 5);
        tests.push_back({pair, rail == 1 || cable ? PairState::bad : PairState::good, rail});
      }
  const Suspects seen = decode(16, tests);
  ASSERT_EQ(seen.rails.size(), 1U);
  EXPECT_EQ(seen.rails.at(1).size(), 16U);
  ASSERT_EQ(seen.again.at(1).size(), 3U);
  EXPECT_FALSE(seen.tries_nodes_on(1));
  EXPECT_EQ(seen.nodes, (std::vector<std::size_t>{5}));
  EXPECT_TRUE(seen.links.empty());
  const Round& again = seen.again.at(1);
  const auto out = locate(seen,
                          {{again[0], PairState::bad, 1},
                           {again[1], PairState::bad, 1},
                           {again[2], PairState::good, 1}},
                          nullptr);
  EXPECT_EQ(out.at(0).where, Where::rail);
  EXPECT_EQ(out.at(0).rail, 1U);
  EXPECT_EQ(locate(seen, {{again[0], PairState::good, 1}}, nullptr).at(0).where, Where::passed);
  EXPECT_EQ(locate(seen, {}, nullptr).at(0).where, Where::unknown);
  // Without a good pair, nothing says whose fault it is.
  std::erase_if(tests, [](const PairTest& one) { return one.rail != 1; });
  const Suspects alone = decode(16, tests);
  EXPECT_TRUE(alone.nodes.empty());
  EXPECT_EQ(alone.unplaced, (std::vector<std::size_t>{1}));
}

/// A fabric with faults, measured by the second pass.
struct Fabric {
  Topology topology;
  std::set<std::size_t> bad_nodes = {};
  std::set<std::size_t> bad_leaf_uplinks = {};
  std::set<std::pair<std::size_t, std::size_t>> bad_ports = {};  ///< node, rail
  std::set<std::size_t> bad_rails = {};
  std::size_t rails = 2;

  bool is_bad(const Pair& pair, std::size_t rail) const {
    const std::size_t leaf_a = topology.leaf[pair.a];
    const std::size_t leaf_b = topology.leaf[pair.b];
    if (bad_nodes.contains(pair.a) || bad_nodes.contains(pair.b)) return true;
    if (bad_ports.contains({pair.a, rail}) || bad_ports.contains({pair.b, rail})) return true;
    return leaf_a != leaf_b &&
           (bad_leaf_uplinks.contains(leaf_a) || bad_leaf_uplinks.contains(leaf_b));
  }
  std::vector<Located> second(const Suspects& suspects) const {
    std::vector<PairTest> tests;
    for (const Round& round : second_pass(suspects, topology.leaf.size(), &topology)) {
      EXPECT_TRUE(is_matching(round, topology.leaf.size()));
      for (const Pair& pair : round)
        for (std::size_t rail = 0; rail < rails; ++rail)
          tests.push_back({pair, is_bad(pair, rail) ? PairState::bad : PairState::good, rail});
    }
    return locate(suspects, tests, &topology);
  }
};

TEST(MeasureLocate, ABadNodeIsANode) {
  Fabric fabric{fat_tree(8, 4, 8)};
  fabric.bad_nodes = {5, 17};
  const auto out = fabric.second({{5, 17}, {}, {}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].where, Where::node);
  EXPECT_EQ(out[0].nodes, (std::vector<std::size_t>{5}));
  EXPECT_EQ(out[1].where, Where::node);
}

TEST(MeasureLocate, AnUplinkIsTheLeaf) {
  Fabric fabric{fat_tree(8, 4, 8)};
  fabric.bad_leaf_uplinks = {2};
  const auto out = fabric.second({{16, 18}, {}, {}});  // two of leaf 2 that only met others
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, Where::leaf);
  EXPECT_EQ(out[0].leaf, 2U);
  EXPECT_EQ(out[0].nodes, (std::vector<std::size_t>{16, 18}));
}

TEST(MeasureLocate, AWholeLeafIsTheLeaf) {
  Fabric fabric{fat_tree(8, 4, 4)};
  fabric.bad_nodes = {4, 5, 6, 7};
  const auto out = fabric.second({{4, 5, 6, 7}, {}, {}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, Where::leaf);
}

TEST(MeasureLocate, OneRailAtOneNodeIsItsCableAndAtSeveralTheRail) {
  Fabric fabric{fat_tree(8, 4, 8)};
  fabric.bad_ports = {{3, 1}};
  auto out = fabric.second({{3}, {}, {}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, Where::cable);
  EXPECT_EQ(out[0].rail, 1U);
  fabric.bad_ports = {{3, 1}, {9, 1}, {40, 1}};
  out = fabric.second({{3, 9, 40}, {}, {}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, Where::rail);
  EXPECT_EQ(out[0].nodes.size(), 3U);
  fabric.rails = 4;
  fabric.bad_ports = {{3, 1}, {3, 2}};
  out = fabric.second({{3}, {}, {}});
  ASSERT_EQ(out.size(), 2U);  // two cables, and not the node
  EXPECT_EQ(out[0].where, Where::cable);
  EXPECT_EQ(out[1].where, Where::cable);
  EXPECT_EQ(out[1].rail, 2U);
  // A rail without a result is not a good one.
  out = locate({{3}, {}, {}}, {{{3, 4}, PairState::bad, 0}, {{3, 4}, PairState::missing, 1}},
               nullptr);
  EXPECT_EQ(out.at(0).where, Where::node);
}

TEST(MeasureLocate, WhatPassesNowHasPassedAndALinkStaysALink) {
  Fabric fabric{fat_tree(8, 4, 8)};
  auto out = fabric.second({{3}, {}, {{{8, 30}, {0}}}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].where, Where::passed);
  EXPECT_EQ(out[1].where, Where::passed);
  out = locate({{}, {}, {{{8, 30}, {0}}}}, {{{30, 8}, PairState::bad}}, nullptr);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, Where::link);
  EXPECT_EQ(locate({{3}, {}, {}}, {}, nullptr).at(0).where, Where::unknown);
}

TEST(MeasureLocate, ANodeThatIsGoodWithSomeIsNotAccused) {
  const std::vector<PairTest> mixed = {
      {{3, 4}, PairState::good}, {{3, 5}, PairState::bad}, {{3, 6}, PairState::good}};
  EXPECT_EQ(locate({{3}, {}, {}}, mixed, nullptr).at(0).where, Where::unknown);
}

TEST(MeasureLocate, ALinkIsBadTwiceOnOneRailAndNotOnceOnEachOfTwo) {
  Suspects suspects;
  suspects.links = {{{8, 30}, {1}}};
  const std::vector<PairTest> other = {{{8, 30}, PairState::bad, 0}, {{8, 30}, PairState::good, 1}};
  EXPECT_EQ(locate(suspects, other, nullptr).at(0).where, Where::passed);
  const std::vector<PairTest> same = {{{30, 8}, PairState::good, 0}, {{30, 8}, PairState::bad, 1}};
  EXPECT_EQ(locate(suspects, same, nullptr).at(0).where, Where::link);
  EXPECT_EQ(locate(suspects, same, nullptr).at(0).rail, 1U);
  const Suspects found = decode(4, {{{0, 1}, PairState::bad, 1},
                                    {{0, 2}, PairState::good, 1},
                                    {{1, 3}, PairState::good, 1},
                                    {{0, 1}, PairState::good, 0}});
  EXPECT_EQ(found.links.at({0, 1}), (std::set<std::size_t>{1}));
}

TEST(MeasureLocate, TheSecondPassIsShort) {
  const Topology topology = fat_tree(64, 16, 64);
  Suspects suspects;
  for (std::size_t node = 0; node < 4096; node += 21) suspects.nodes.push_back(node);  // 196
  const Schedule rounds = second_pass(suspects, 4096, &topology);
  EXPECT_LE(rounds.size(), 4U);
  for (const Round& round : rounds) EXPECT_TRUE(is_matching(round, 4096));
  EXPECT_LE(second_pass(suspects, 4096, nullptr).size(), 3U);
  // Two good nodes cannot try all of the others.
  suspects.nodes.clear();
  for (std::size_t node = 2; node < 4096; ++node) suspects.nodes.push_back(node);
  EXPECT_EQ(second_pass(suspects, 4096, nullptr).size(), kMostSecondRounds);
}

}  // namespace
}  // namespace nettune::tools::measure
