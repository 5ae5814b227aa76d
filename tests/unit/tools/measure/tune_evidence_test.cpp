// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/tune_evidence.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/measure/program/tune_options.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureTuneEvidence, ItsComparisonIsJudgedByAb) {
  TuneEvidence evidence;
  evidence.vary = {{"env.X", {"1", "2"}}};
  for (const char* const value : {"1", "2"})
    evidence.candidates.push_back({*program::arm_with("p", "env.X", value), ""});
  EXPECT_FALSE(evidence_from(measure::to_json(evidence)));
  evidence.search.emplace(2, 1, false);
  while (!evidence.search->is_over()) evidence.search->add({{0, {100}}, {1, {110}}});
  evidence.winner = evidence.search->best();
  evidence.proof.seed = 5;
  evidence.proof.planned = 8;
  evidence.proof.a.profile = "p";
  evidence.proof.b = evidence.candidates[*evidence.winner].arm;
  for (std::size_t i = 0; i < 8; ++i)
    evidence.proof.blocks.push_back(
        {{b_comes_first(5, i), {100}, {110 + static_cast<double>(i) / 10}}, {}});
  EXPECT_TRUE(evidence.proven());
  const auto json = nlohmann::json::parse(measure::to_json(evidence));
  EXPECT_EQ(json["winner"], 1);
  EXPECT_EQ(json["candidates"][0]["left"], false);
  EXPECT_EQ(json["candidates"][1]["score_percent"], 4.8809);
  EXPECT_EQ(json["search"][3]["1"][0], 110);
  const auto again = evidence_from(measure::to_json(evidence));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(measure::to_json(*again), measure::to_json(evidence.proof));
  evidence.winner.reset();
  EXPECT_FALSE(evidence.proven());
}

}  // namespace
}  // namespace nettune::tools::measure
