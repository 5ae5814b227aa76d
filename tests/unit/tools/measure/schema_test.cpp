// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/measure/evidence.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/tune_evidence.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureSchema, Measurements) {
  Measurement one;
  one.from.before = one.from.after = {{"eth1.rx_errors", 1}};
  for (const auto what :
       {Measurement::What::latency, Measurement::What::bandwidth, Measurement::What::path_mtu}) {
    one.what = what;
    one.error.reset();
    test::expect_valid("test.schema.json", json_line(one));
    one.error = Error{};
    test::expect_valid("test.schema.json", json_line(one));
  }
}

TEST(MeasureSchema, Comparisons) {
  Evidence evidence;
  test::expect_valid("ab.schema.json", to_json(evidence));
  evidence.planned = 8;
  evidence.a.set["x"] = evidence.b.env["Y"] = "1";
  for (std::size_t i = 0; i < 8; ++i) {
    EvidenceBlock block;
    block.block = block.strata["eth1"] = {false, {1, 2}, {3, 4}};
    evidence.blocks.push_back(block);
  }
  evidence.noise = evidence.blocks;
  test::expect_valid("ab.schema.json", to_json(evidence));
}

TEST(MeasureSchema, Searches) {
  TuneEvidence evidence;
  test::expect_valid("tune.schema.json", to_json(evidence));
  evidence.vary = {{"env.X", {"1", "2"}}};
  evidence.candidates.resize(2);
  evidence.candidates[0].failed = "exit code 1";
  evidence.search.emplace(2, 1, false).add({{1, {2, 3}}});
  evidence.winner = 1;
  evidence.written = "/x.toml";
  evidence.ended = "it was stopped";
  test::expect_valid("tune.schema.json", to_json(evidence));
}

}  // namespace
}  // namespace nettune::tools::measure
