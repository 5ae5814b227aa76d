// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/mesh_leader.hpp"

#include <gtest/gtest.h>

#include "tools/measure/reference.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure::program {
namespace {

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

TEST(MeasureProgramMeshLeader, WhatIsUndecidedIsSaidWithItsGroupsAndTheNextStep) {
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

TEST(MeasureProgramMeshLeader, AKnownRateDecides) {
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

}  // namespace
}  // namespace nettune::tools::measure::program
