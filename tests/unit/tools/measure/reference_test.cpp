// SPDX-License-Identifier: Apache-2.0
// What the pairs of a mesh are judged against, and what is not decided.
#include "tools/measure/reference.hpp"

#include <gtest/gtest.h>
#include <set>

#include "tools/measure/fault_location.hpp"
#include "tools/measure/program/mesh_leader.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure {
namespace {

std::set<std::size_t> reference_nodes(const MeshVerdict& verdict) {
  std::set<std::size_t> out;
  for (const FaultLocation& one : verdict.located) {
    EXPECT_EQ(one.where, FaultPlace::node);
    out.insert(one.nodes.begin(), one.nodes.end());
  }
  return out;
}

TEST(MeasureReference, WithAKnownRateEachPairIsJudgedAloneAndAMajorityDoesNotHelp) {
  EXPECT_EQ(reference_nodes(reference_verdict(reference_pairs(6, {1, 4}, 9.7), 6)),
            (std::set<std::size_t>{1, 4}));
  EXPECT_EQ(reference_nodes(reference_verdict(reference_pairs(6, {0, 1, 2, 3}, 9.7), 6)),
            (std::set<std::size_t>{0, 1, 2, 3}));
  const MeshVerdict all = reference_verdict(reference_pairs(6, {0, 1, 2, 3, 4, 5}, 9.7), 6);
  EXPECT_EQ(all.doubt, Doubt::unplaced);
  EXPECT_TRUE(all.located.empty());
  EXPECT_EQ(all.tests[0].test, PairState::bad);
}

TEST(MeasureReference, WithoutARateFewerThanHalfAreFound) {
  EXPECT_EQ(reference_nodes(reference_verdict(reference_pairs(6, {1, 4}, {}), 6)),
            (std::set<std::size_t>{1, 4}));
  for (const std::set<std::size_t>& bad : {std::set<std::size_t>{0, 1, 2}, {0, 1, 2, 3}}) {
    const MeshVerdict half = reference_verdict(reference_pairs(6, bad, {}), 6);
    EXPECT_EQ(half.doubt, Doubt::nodes);
    EXPECT_TRUE(half.located.empty());
    for (const PairTest& one : half.tests) EXPECT_EQ(one.test, PairState::unjudged);
  }
  // Two nodes on one host are faster with each other, and that says nothing about the third.
  EXPECT_EQ(reference_verdict(reference_pairs(3, {2}, {}), 3).doubt, Doubt::nodes);
}

TEST(MeasureReference, WithoutARateAlikePairsAreNotCalledGood) {
  for (const std::set<std::size_t>& bad : {std::set<std::size_t>{}, {0, 1, 2, 3, 4, 5}}) {
    const MeshVerdict verdict = reference_verdict(reference_pairs(6, bad, {}), 6);
    EXPECT_EQ(verdict.doubt, Doubt::alike);
    EXPECT_EQ(verdict.tests[0].test, PairState::unjudged);
  }
  EXPECT_EQ(reference_verdict(reference_pairs(6, {}, 9.7), 6).doubt, Doubt::none);
}

TEST(MeasureReference, ABadRailIsTheRailAndNoNodeIsAccusedForIt) {
  const auto rails = [](std::set<std::size_t> bad, std::size_t count,
                        std::optional<double> expected) {
    std::vector<PairValue> values;
    for (std::size_t rail = 0; rail < count; ++rail)
      for (PairValue& value : reference_pairs(6, {}, expected)) {
        value.rail = rail;
        if (bad.contains(rail)) value.gbps = 4;
        values.push_back(value);
      }
    return reference_verdict(values, 6);
  };
  for (const std::optional<double> expected : {std::optional<double>(), std::optional(9.7)}) {
    const MeshVerdict one = rails({1}, 3, expected);
    ASSERT_EQ(one.located.size(), 1U);
    EXPECT_EQ(one.located[0].where, FaultPlace::rail);
    EXPECT_EQ(one.located[0].rail, 1U);
    EXPECT_EQ(one.doubt, Doubt::none);
  }
  EXPECT_EQ(rails({1}, 2, {}).doubt, Doubt::rails);
  EXPECT_TRUE(rails({1}, 2, {}).located.empty());
  EXPECT_EQ(rails({1, 2}, 3, 9.7).located.size(), 2U);
  EXPECT_EQ(rails({0, 1, 2}, 3, {}).doubt, Doubt::alike);
  EXPECT_EQ(rails({0, 1, 2}, 3, 9.7).doubt, Doubt::unplaced);
}

/// Six nodes with one bad rail of three; the second pass sees the rates `again`, in turn.
FaultLocation reference_rail_again(const std::vector<double>& rates) {
  std::vector<PairValue> first;
  for (std::size_t rail = 0; rail < 3; ++rail)
    for (PairValue& value : reference_pairs(6, {}, 9.7)) {
      value.rail = rail;
      if (rail == 1) value.gbps = 4;
      first.push_back(value);
    }
  std::size_t next = 0;
  const MeshVerdict verdict =
      judge_mesh(6, 3, first, nullptr, [&](const Round& round, std::size_t rail) {
        std::vector<PairValue> again;
        for (const Pair& pair : round) {
          again.push_back({pair, {}, 9.7, rail});
          if (next < rates.size()) again.back().gbps = rates[next++];
        }
        return again;
      });
  EXPECT_EQ(verdict.located.size(), 1U);
  return verdict.located.empty() ? FaultLocation{} : verdict.located[0];
}

TEST(MeasureReference, ARailPassesTheSecondTimeOnlyIfNothingIsBadThen) {
  EXPECT_EQ(reference_rail_again({4, 4, 4}).where, FaultPlace::rail);
  EXPECT_EQ(reference_rail_again({4, 4, 9.5}).where, FaultPlace::rail);
  EXPECT_EQ(reference_rail_again({9.5, 9.5, 9.5}).where, FaultPlace::passed);
  EXPECT_EQ(reference_rail_again({4, 9.5, 9.5}).where, FaultPlace::unknown);
  EXPECT_EQ(reference_rail_again({4, 9.5}).where, FaultPlace::unknown);
  EXPECT_EQ(reference_rail_again({}).where, FaultPlace::unknown);
}

TEST(MeasureReference, ABadRailThatNobodyCanPlaceIsNotCalledAlike) {
  // One pair on two rails, one of them slower: nothing says whose fault that is.
  const MeshVerdict verdict = reference_verdict({{{0, 1}, 9.5, {}, 0}, {{0, 1}, 4.0, {}, 1}}, 2);
  EXPECT_NE(verdict.doubt, Doubt::alike);
  EXPECT_NE(verdict.doubt, Doubt::none);
}

TEST(MeasureReference, HalfOfTheLinksAreNotAccusedByTheOtherHalf) {
  // Four hosts with two nodes each: fast within a host.
  auto values = reference_pairs(8, {}, {});
  for (PairValue& value : values)
    if (value.pair.a / 2 != value.pair.b / 2) value.gbps = 4;
  const MeshVerdict verdict = reference_verdict(values, 8);
  EXPECT_EQ(verdict.doubt, Doubt::links);
  EXPECT_TRUE(verdict.located.empty());
}

TEST(MeasureReference, GroupsAreSeparatedByGapsAndTheirRailsAreKept) {
  const Reference reference({{{0, 1}, 9.5, {}, 0},
                             {{2, 3}, 9.3, {}, 0},
                             {{0, 1}, 4.1, {}, 1},
                             {{2, 3}, {}, {}, 1},
                             {{4, 5}, 4.0, {}, 1}});
  ASSERT_EQ(reference.groups().size(), 2U);
  EXPECT_EQ(reference.groups()[0].pairs, 2U);
  EXPECT_DOUBLE_EQ(reference.groups()[0].gbps, 9.4);
  EXPECT_EQ(reference.groups()[1].rails, (std::set<std::size_t>{1}));
  EXPECT_EQ(reference.judge(PairValue{{6, 7}, 7.5, {}}), PairState::good);
  EXPECT_EQ(reference.judge(PairValue{{6, 7}, 5.0, {}}), PairState::bad);
  EXPECT_EQ(reference.judge(PairValue{{6, 7}, {}, {}}), PairState::missing);
  // A pair that carried nothing is bad, too.
  EXPECT_EQ(Reference({{{0, 1}, 9.5, {}}, {{2, 3}, 0.0, {}}}).judge(PairValue{{2, 3}, 0.0, {}}),
            PairState::bad);
  // A slope without a gap has no side that is bad.
  std::vector<PairValue> slope;
  for (std::size_t i = 0; i < 20; ++i) slope.push_back({{0, i + 1}, 10 - 0.4 * double(i), {}});
  EXPECT_EQ(Reference(slope).groups().size(), 1U);
  EXPECT_EQ(Reference(slope).judge(slope.back()), PairState::unjudged);
  // Beside known rates, a pair without one is not judged.
  const Reference known({{{0, 1}, 9.5, 9.7}, {{2, 3}, 4.0, {}}});
  EXPECT_TRUE(known.is_known());
  EXPECT_EQ(known.judge(PairValue{{2, 3}, 4.0, {}}), PairState::unjudged);
  EXPECT_EQ(known.judge(PairValue{{2, 3}, 4.0, 5.1}), PairState::bad);
  EXPECT_EQ(known.judge(PairValue{{2, 3}, 4.1, 5.1}), PairState::good);
}

}  // namespace
}  // namespace nettune::tools::measure
