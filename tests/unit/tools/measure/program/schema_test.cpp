// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/measure/measurement.hpp"
#include "tools/measure/program/mesh_leader.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::tools::measure::program {
namespace {

TEST(MeasureProgramSchema, Meshes) {
  MeshReport report;
  report.names = {"n0", "n1"};
  report.rails = {"eth1", "eth2"};
  report.values = {{1, {{0, 1}, 9.0, {}}}, {2, {{0, 1}, {}, {}}}};
  report.verdict.tests = {{{0, 1}, PairState::good}, {{0, 1}, PairState::missing}};
  report.errors = {"", "it died"};
  report.verdict.located = {{FaultPlace::node, {1}, {}, {}}, {FaultPlace::cable, {1}, 1, {}}};
  report.verdict.unknown = {0};
  test::expect_valid("test-mesh.schema.json", json_line(report));
  report.verdict.groups = {{1, 9.0, 9.0, 9.0, {0}}, {1, 4.0, 4.0, 4.0, {0, 1}}};
  report.verdict.tests[0].test = PairState::unjudged;
  for (const auto doubt :
       {Doubt::alike, Doubt::nodes, Doubt::rails, Doubt::links, Doubt::unplaced}) {
    report.verdict.doubt = doubt;
    test::expect_valid("test-mesh.schema.json", json_line(report));
  }
  report.values[0].second.expected = 9.4;
  test::expect_valid("test-mesh.schema.json", json_line(report));
  report.expect_rate_gbps = 10;
  test::expect_valid("test-mesh.schema.json", json_line(report));
  EXPECT_NE(json_line(report).find("\"leaves\":[]"), std::string::npos);
  report.topology = topology_of_leaves({"leaf1", "leaf0"});
  test::expect_valid("test-mesh.schema.json", json_line(report));
  EXPECT_NE(json_line(report).find("{\"leaf\":\"leaf0\",\"nodes\":[\"n1\"]}"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::measure::program
