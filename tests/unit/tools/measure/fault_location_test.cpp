// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/fault_location.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "tools/measure/random.hpp"
#include "tools/measure/schedule.hpp"
#include "unit/tools/measure/fabric.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureFaultLocationSuspects, SixRoundsFindUpToFivePerCentOfBadNodesAndOnlyThem) {
  Random random(11);
  for (const std::size_t nodes : {64U, 256U, 1024U, 4096U}) {
    const int trials = nodes > 1000 ? 20 : 200;
    int exact = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::set<std::size_t> bad;
      while (bad.size() < std::max<std::size_t>(1, nodes / 20)) bad.insert(random.below(nodes));
      const FaultSuspects seen = found(quick(nodes, kQuickRounds, random.next()), nodes, bad);
      if (std::set<std::size_t>(seen.nodes.begin(), seen.nodes.end()) == bad) ++exact;
    }
    EXPECT_GE(exact, trials * 97 / 100) << nodes;
  }
}

TEST(MeasureFaultLocationSuspects, ABadNodeIsNeverCleared) {
  Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    std::set<std::size_t> bad;
    while (bad.size() < 20) bad.insert(random.below(64));
    const FaultSuspects seen = found(quick(64, 3, random.next()), 64, bad);
    for (const std::size_t node : bad) EXPECT_TRUE(std::ranges::count(seen.nodes, node) == 1);
  }
}

TEST(MeasureFaultLocationSuspects, ACubeCallsABadLinkALink) {
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
    const FaultSuspects seen = found(rounds, 256, bad, bad_links);
    std::set<std::pair<std::size_t, std::size_t>> links;
    for (const auto& [link, rails] : seen.links) links.insert(link);
    if (links == bad_links && seen.nodes.size() == bad.size()) ++exact;
  }
  EXPECT_GE(exact, 95);
}

TEST(MeasureFaultLocationSuspects, WhatDidNotEndIsUnknownAndNotBad) {
  const FaultSuspects seen = find_suspects(
      4, {{{0, 1}, PairState::missing}, {{2, 3}, PairState::bad}, {{2, 0}, PairState::good}});
  EXPECT_EQ(seen.unknown, (std::vector<std::size_t>{1}));
  EXPECT_EQ(seen.nodes, (std::vector<std::size_t>{3}));
  EXPECT_TRUE(seen.links.empty());
}

TEST(MeasureFaultLocationSuspects, ARailThatIsBadAtHalfOfItsNodesIsTheRail) {
  Random random(14);
  std::vector<PairTest> tests;
  for (const Round& round : quick(16, kQuickRounds, random.next()))
    for (const Pair& pair : round)
      for (std::size_t rail = 0; rail < 4; ++rail) {
        const bool cable = rail == 2 && (pair.a == 5 || pair.b == 5);
        tests.push_back({pair, rail == 1 || cable ? PairState::bad : PairState::good, rail});
      }
  const FaultSuspects seen = find_suspects(16, tests);
  ASSERT_EQ(seen.rails.size(), 1U);
  EXPECT_EQ(seen.rails.at(1).size(), 16U);
  ASSERT_EQ(seen.again.at(1).size(), 3U);
  EXPECT_FALSE(seen.tries_nodes_on(1));
  EXPECT_EQ(seen.nodes, (std::vector<std::size_t>{5}));
  EXPECT_TRUE(seen.links.empty());
  const Round& again = seen.again.at(1);
  const auto out = locate_faults(seen,
                                 {{again[0], PairState::bad, 1},
                                  {again[1], PairState::bad, 1},
                                  {again[2], PairState::good, 1}},
                                 nullptr);
  EXPECT_EQ(out.at(0).where, FaultPlace::rail);
  EXPECT_EQ(out.at(0).rail, 1U);
  EXPECT_EQ(locate_faults(seen, {{again[0], PairState::good, 1}}, nullptr).at(0).where,
            FaultPlace::passed);
  EXPECT_EQ(locate_faults(seen, {}, nullptr).at(0).where, FaultPlace::unknown);
  // Without a good pair, nothing says whose fault it is.
  std::erase_if(tests, [](const PairTest& one) { return one.rail != 1; });
  const FaultSuspects alone = find_suspects(16, tests);
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
  std::vector<FaultLocation> second(const FaultSuspects& suspects) const {
    std::vector<PairTest> tests;
    for (const Round& round : second_pass(suspects, topology.leaf.size(), &topology)) {
      EXPECT_TRUE(is_matching(round, topology.leaf.size()));
      for (const Pair& pair : round)
        for (std::size_t rail = 0; rail < rails; ++rail)
          tests.push_back({pair, is_bad(pair, rail) ? PairState::bad : PairState::good, rail});
    }
    return locate_faults(suspects, tests, &topology);
  }
};

TEST(MeasureFaultLocation, ABadNodeIsANode) {
  Fabric fabric{fat_tree(8, 4, 8)};
  fabric.bad_nodes = {5, 17};
  const auto out = fabric.second({{5, 17}, {}, {}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].where, FaultPlace::node);
  EXPECT_EQ(out[0].nodes, (std::vector<std::size_t>{5}));
  EXPECT_EQ(out[1].where, FaultPlace::node);
}

TEST(MeasureFaultLocation, AnUplinkIsTheLeaf) {
  Fabric fabric{fat_tree(8, 4, 8)};
  fabric.bad_leaf_uplinks = {2};
  const auto out = fabric.second({{16, 18}, {}, {}});  // two of leaf 2 that only met others
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, FaultPlace::leaf);
  EXPECT_EQ(out[0].leaf, 2U);
  EXPECT_EQ(out[0].nodes, (std::vector<std::size_t>{16, 18}));
}

TEST(MeasureFaultLocation, AWholeLeafIsTheLeaf) {
  Fabric fabric{fat_tree(8, 4, 4)};
  fabric.bad_nodes = {4, 5, 6, 7};
  const auto out = fabric.second({{4, 5, 6, 7}, {}, {}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, FaultPlace::leaf);
}

TEST(MeasureFaultLocation, OneRailAtOneNodeIsItsCableAndAtSeveralTheRail) {
  Fabric fabric{fat_tree(8, 4, 8)};
  fabric.bad_ports = {{3, 1}};
  auto out = fabric.second({{3}, {}, {}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, FaultPlace::cable);
  EXPECT_EQ(out[0].rail, 1U);
  fabric.bad_ports = {{3, 1}, {9, 1}, {40, 1}};
  out = fabric.second({{3, 9, 40}, {}, {}});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, FaultPlace::rail);
  EXPECT_EQ(out[0].nodes.size(), 3U);
  fabric.rails = 4;
  fabric.bad_ports = {{3, 1}, {3, 2}};
  out = fabric.second({{3}, {}, {}});
  ASSERT_EQ(out.size(), 2U);  // two cables, and not the node
  EXPECT_EQ(out[0].where, FaultPlace::cable);
  EXPECT_EQ(out[1].where, FaultPlace::cable);
  EXPECT_EQ(out[1].rail, 2U);
  // A rail without a result is not a good one.
  out = locate_faults({{3}, {}, {}}, {{{3, 4}, PairState::bad, 0}, {{3, 4}, PairState::missing, 1}},
                      nullptr);
  EXPECT_EQ(out.at(0).where, FaultPlace::node);
}

TEST(MeasureFaultLocation, WhatPassesNowHasPassedAndALinkStaysALink) {
  Fabric fabric{fat_tree(8, 4, 8)};
  auto out = fabric.second({{3}, {}, {{{8, 30}, {0}}}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].where, FaultPlace::passed);
  EXPECT_EQ(out[1].where, FaultPlace::passed);
  out = locate_faults({{}, {}, {{{8, 30}, {0}}}}, {{{30, 8}, PairState::bad}}, nullptr);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].where, FaultPlace::link);
  EXPECT_EQ(locate_faults({{3}, {}, {}}, {}, nullptr).at(0).where, FaultPlace::unknown);
}

TEST(MeasureFaultLocation, ANodeThatIsGoodWithSomeIsNotAccused) {
  const std::vector<PairTest> mixed = {
      {{3, 4}, PairState::good}, {{3, 5}, PairState::bad}, {{3, 6}, PairState::good}};
  EXPECT_EQ(locate_faults({{3}, {}, {}}, mixed, nullptr).at(0).where, FaultPlace::unknown);
}

TEST(MeasureFaultLocation, ALinkIsBadTwiceOnOneRailAndNotOnceOnEachOfTwo) {
  FaultSuspects suspects;
  suspects.links = {{{8, 30}, {1}}};
  const std::vector<PairTest> other = {{{8, 30}, PairState::bad, 0}, {{8, 30}, PairState::good, 1}};
  EXPECT_EQ(locate_faults(suspects, other, nullptr).at(0).where, FaultPlace::passed);
  const std::vector<PairTest> same = {{{30, 8}, PairState::good, 0}, {{30, 8}, PairState::bad, 1}};
  EXPECT_EQ(locate_faults(suspects, same, nullptr).at(0).where, FaultPlace::link);
  EXPECT_EQ(locate_faults(suspects, same, nullptr).at(0).rail, 1U);
  const FaultSuspects found = find_suspects(4, {{{0, 1}, PairState::bad, 1},
                                                {{0, 2}, PairState::good, 1},
                                                {{1, 3}, PairState::good, 1},
                                                {{0, 1}, PairState::good, 0}});
  EXPECT_EQ(found.links.at({0, 1}), (std::set<std::size_t>{1}));
}

TEST(MeasureFaultLocation, TheSecondPassIsShort) {
  const Topology topology = fat_tree(64, 16, 64);
  FaultSuspects suspects;
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
