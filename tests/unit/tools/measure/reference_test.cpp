// SPDX-License-Identifier: Apache-2.0
// What the pairs of a mesh are judged against, and what is not decided.
#include "tools/measure/reference.hpp"

#include <gtest/gtest.h>
#include <set>

#include "tools/measure/ceiling.hpp"
#include "tools/measure/locate.hpp"
#include "tools/measure/program/mesh_leader.hpp"
#include "tools/measure/program/test_options.hpp"

namespace nettune::tools::measure {
namespace {

/// All pairs of `nodes`: those with a bad node at 4, others at 9.5 Gb/s.
std::vector<PairValue> reference_pairs(std::size_t nodes, const std::set<std::size_t>& bad,
                                       std::optional<double> expected) {
  std::vector<PairValue> out;
  for (const Round& round : all_pairs(nodes))
    for (const Pair& pair : round)
      out.push_back({pair, bad.contains(pair.a) || bad.contains(pair.b) ? 4 : 9.5, expected});
  return out;
}

/// Both passes over values that do not change.
MeshVerdict reference_verdict(const std::vector<PairValue>& values, std::size_t nodes) {
  return judge_mesh(nodes, 8, values, nullptr, [&](const Round& round, std::size_t rail) {
    std::vector<PairValue> again;
    for (const Pair& pair : round)
      for (const PairValue& value : values)
        if (value.rail == rail &&
            std::minmax(value.pair.a, value.pair.b) == std::minmax(pair.a, pair.b))
          again.push_back(value);
    return again;
  });
}

std::set<std::size_t> reference_nodes(const MeshVerdict& verdict) {
  std::set<std::size_t> out;
  for (const Located& one : verdict.located) {
    EXPECT_EQ(one.where, Where::node);
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
    EXPECT_EQ(one.located[0].where, Where::rail);
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
Located reference_rail_again(const std::vector<double>& rates) {
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
  return verdict.located.empty() ? Located{} : verdict.located[0];
}

TEST(MeasureReference, ARailPassesTheSecondTimeOnlyIfNothingIsBadThen) {
  EXPECT_EQ(reference_rail_again({4, 4, 4}).where, Where::rail);
  EXPECT_EQ(reference_rail_again({4, 4, 9.5}).where, Where::rail);
  EXPECT_EQ(reference_rail_again({9.5, 9.5, 9.5}).where, Where::passed);
  EXPECT_EQ(reference_rail_again({4, 9.5, 9.5}).where, Where::unknown);
  EXPECT_EQ(reference_rail_again({4, 9.5}).where, Where::unknown);
  EXPECT_EQ(reference_rail_again({}).where, Where::unknown);
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

program::MeshReport reference_report(std::vector<PairValue> values, std::size_t nodes) {
  program::MeshReport report;
  for (std::size_t node = 0; node < nodes; ++node)
    report.names.push_back("n" + std::to_string(node));
  report.rails = {""};
  report.rounds = 1;
  report.verdict = reference_verdict(values, nodes);
  for (const PairValue& value : values) report.values.emplace_back(1, value);
  report.errors.resize(values.size());
  return report;
}

TEST(MeasureReference, WhatIsUndecidedIsSaidWithItsGroupsAndTheNextStep) {
  const cli::Style plain;
  const program::MeshReport half = reference_report(reference_pairs(6, {0, 1, 2, 3}, {}), 6);
  EXPECT_EQ(program::exit_of(half), node::Exit::unknown);
  EXPECT_EQ(program::text_of(half, plain),
            "6 nodes, 1 rounds, 15 pairs: median 4 Gb/s, none judged, 0 without a result\n"
            "  no rate is known: 1 pair at 9.5 Gb/s, 14 at 4 Gb/s\n"
            "  undecided: half of the nodes or more, or all but two, are slower, and a majority "
            "proves nothing\n"
            "  next: --expect-rate RATE (for example 100G) judges each pair by what it should "
            "reach\n");
  const program::MeshReport alike = reference_report(reference_pairs(6, {}, {}), 6);
  EXPECT_EQ(program::exit_of(alike), node::Exit::unknown);
  EXPECT_NE(program::text_of(alike, plain)
                .find("no rate is known: 15 pairs at 9.5 Gb/s\n"
                      "  undecided: all pairs are alike"),
            std::string::npos);
  EXPECT_NE(program::json_line(alike).find("\"undecided\":\"alike\""), std::string::npos);
  const program::MeshReport found = reference_report(reference_pairs(6, {1}, {}), 6);
  EXPECT_EQ(program::exit_of(found), node::Exit::drift);
  EXPECT_NE(program::text_of(found, plain).find("node n1: slower with every good node"),
            std::string::npos);
}

TEST(MeasureReference, AKnownRateDecides) {
  const cli::Style plain;
  program::MeshReport good = reference_report(reference_pairs(6, {}, 9.7), 6);
  good.expect_rate_gbps = 10;
  EXPECT_EQ(program::exit_of(good), node::Exit::done);
  EXPECT_NE(program::text_of(good, plain)
                .find("expected of a pair: 9.7 Gb/s (--expect-rate 10 Gb/s)\n"
                      "  no bad node and no bad link"),
            std::string::npos);
  program::MeshReport all = reference_report(reference_pairs(6, {0, 1, 2, 3, 4, 5}, 9.7), 6);
  EXPECT_EQ(program::exit_of(all), node::Exit::drift);
  EXPECT_NE(program::text_of(all, plain).find("undecided: every pair is bad"), std::string::npos);
  good.values[0].second.expected = {};
  good.verdict.tests[0].test = PairState::unjudged;
  EXPECT_EQ(program::exit_of(good), node::Exit::unknown);
  EXPECT_EQ(program::text_of(good, plain).find("no bad node"), std::string::npos);
}

TEST(MeasureReference, ARateIsBitsPerSecondWithAUnit) {
  for (const auto& [text, gbps] : {std::pair<std::string_view, double>{"100G", 100},
                                   {"2.5g", 2.5},
                                   {"10M", 0.01},
                                   {"10mbit", 0.01},
                                   {"1.6T", 1600},
                                   {"400Gb/s", 400},
                                   {"10Gbps", 10}}) {
    const auto rate = parse_rate(text);
    ASSERT_TRUE(rate) << text;
    EXPECT_DOUBLE_EQ(*rate, gbps) << text;
  }
  for (const std::string_view text :
       {"", "G", "100", "100GB", "100GB/s", "-1G", "1e3G", "0G", "0.1M", "11T", "1.2.3G", "100 G",
        "nanG", "0x10G", "100G\n", "9999999999999999999G"})
    EXPECT_FALSE(parse_rate(text)) << text;
  EXPECT_NE(parse_rate("100").error().text.find("without a unit: 100G, or 100M?"),
            std::string::npos);
  EXPECT_NE(parse_rate("100GB").error().text.find("B means bytes"), std::string::npos);
}

TEST(MeasureReference, WhatIsExpectedIsTheRateLessItsHeaders) {
  End small;
  small.address = "10.0.0.1/24";
  small.mtu = 1500;
  End large = small;
  large.mtu = 9000;
  EXPECT_DOUBLE_EQ(expected_gbps(100, small, large, false), 100 * tcp_share(1500, false));
  EXPECT_DOUBLE_EQ(expected_gbps(100, large, large, false), 100 * tcp_share(9000, false));
  EXPECT_DOUBLE_EQ(expected_gbps(100, End{}, End{}, false), 100 * tcp_share(1500, false));
  EXPECT_DOUBLE_EQ(expected_gbps(100, large, large, true), 100 * rdma_share(1024, false, false));
  // PCIe alone does not say what a virtual card should reach.
  large.pci_gtps = 16;
  large.pci_lanes = 16;
  EXPECT_FALSE(has_rate(large, false));
  large.speed_mbps = 100000;
  EXPECT_TRUE(has_rate(large, false));
  large.kind = "veth";
  EXPECT_FALSE(has_rate(large, false));
  large.rdma.emplace().rate = "100 Gb/sec (4X EDR)";
  EXPECT_TRUE(has_rate(large, true));
}

TEST(MeasureReference, TheOptionIsOfAMeshAndRefusesWhatIsNoRate) {
  program::TestOptions options;
  options.mesh = true;
  options.expect_rate = "25G";
  const auto request = program::mesh_request_of(options);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->expect_rate_gbps, 25);
  options.expect_rate = "25";
  const auto wrong = program::mesh_request_of(options);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text.find("--expect-rate: '25' is not a rate"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::measure
