// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/evidence.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/measure/metric.hpp"
#include "tools/measure/program/print_ab.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureEvidence, IsJudgedAgainToTheSame) {
  const Evidence first = evidence(1.05, 8);
  const auto again = evidence_from(to_json(first));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(to_json(*again), to_json(first));
  const Judged judged = judge(*again);
  EXPECT_EQ(judged.judgement.verdict, Verdict::better);
  EXPECT_NEAR(std::expm1(judged.judgement.interval->estimate), 0.052, 0.002);
  EXPECT_NEAR(judged.p, 0.0078, 0.0001);
  EXPECT_EQ(judged.strata.size(), 2U);
  Evidence time = first;
  time.lower_is_better = true;
  EXPECT_EQ(judge(time).judgement.verdict, Verdict::worse);
  EXPECT_EQ(judge(evidence(1.05, 5)).judgement.verdict, Verdict::undecided);
  EXPECT_EQ(judge(evidence(1.05, 0)).judgement.missing, 8U);
  EXPECT_EQ(again->b.name(), "tcp-fallback env.NCCL_ALGO=Ring");
}

TEST(MeasureEvidence, AMetricThatIsTheSameInAllRunsDidNotMeasure) {
  Evidence same = evidence(1, 8);
  for (EvidenceBlock& one : same.blocks) one.block.a = one.block.b = {5, 5};
  same.noise = {same.blocks[0]};
  same.metric = "rate ([0-9]+)";
  EXPECT_EQ(judge(same).judgement.verdict, Verdict::constant);
  const std::string text = program::text_of_verdict(same, cli::Style{});
  EXPECT_EQ(text,
            "the metric is constant: it was 5 in all runs of A and of B, so it did not measure; "
            "check --metric 'rate ([0-9]+)'\n");
  const auto again = evidence_from(to_json(same));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(judge(*again).judgement.verdict, Verdict::constant);
  Evidence early = same;
  early.blocks.resize(3);
  EXPECT_EQ(judge(early).judgement.verdict, Verdict::undecided);
  Evidence other = same;
  other.noise[0].block.b[1] = 5.001;  // one run of many
  EXPECT_EQ(judge(other).judgement.verdict, Verdict::equivalent);
  for (EvidenceBlock& one : same.blocks) one.block.b = {6, 6};  // each constant, and different
  EXPECT_EQ(judge(same).judgement.verdict, Verdict::better);
}

TEST(MeasureEvidence, NotesFailuresAndArrivalsAreKept) {
  Evidence first = evidence(1.05, 8);
  first.notes = {"X=1 of B did not arrive: \x1b"};
  first.failures_allowed = 5;
  first.runs_a = {24, 0};
  first.runs_b = {30, 6};
  first.variables = {{"B", "X=1", false}, {"B", "Y=1", {}}, {"A", "Y=2", true}};
  const auto again = evidence_from(to_json(first));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(to_json(*again), to_json(first));
  EXPECT_EQ(again->notes, first.notes);
  EXPECT_EQ(program::text_of_notes(again->notes), "note: X=1 of B did not arrive: \\x1b\n");
  EXPECT_EQ(program::text_of_notes(again->notes, first.notes), "");
  const auto json = nlohmann::json::parse(to_json(first));
  EXPECT_EQ(json["failures"]["b"]["failed"], 6);
  EXPECT_EQ(json["variables"][0]["arrived"], false);
  EXPECT_TRUE(json["variables"][1]["arrived"].is_null());
  EXPECT_EQ(program::text_of_failures(first),
            "runs that failed: A 0 of 24, B 6 of 30 (Fisher's exact test: p 0.0282; no verdict)\n"
            "the metric is that of the runs that did not fail\n");
  EXPECT_EQ(judge(first).judgement.verdict, Verdict::better);  // failures are none
  first.runs_b.failed = 0;
  EXPECT_EQ(program::text_of_failures(first), "");
}

TEST(MeasureEvidence, FarWorseIsJudgedAgainToTheSame) {
  Evidence first = evidence(0.4, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    first.noise.push_back(first.blocks[i]);
    first.noise.back().block.b = {100, 101, 99.9};
  }
  const auto again = evidence_from(to_json(first));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_TRUE(judge(*again).judgement.ended_early);
  EXPECT_EQ(nlohmann::json::parse(to_json(first))["verdict"]["ended_early"], true);
  EXPECT_EQ(program::text_of_verdict(*again, cli::Style{}),
            "B is worse, ended early: -59.9 %  [*]      |  87.5 %: -60.0 to -59.9 %, 4 blocks\n");
  first.noise.pop_back();
  EXPECT_EQ(judge(first).judgement.verdict, Verdict::undecided);
}

TEST(MeasureEvidence, WhatWasChangedOrIsNoneIsNamed) {
  auto json = nlohmann::ordered_json::parse(to_json(evidence(1.05, 8)));
  const auto wrong = [](const nlohmann::ordered_json& one) {
    const auto read = evidence_from(one.dump());
    return read ? std::string("it was read") : read.error().text;
  };
  auto turned = json;
  turned["blocks"][3]["b_first"] = !turned["blocks"][3]["b_first"].get<bool>();
  EXPECT_NE(wrong(turned).find("block 4"), std::string::npos);
  auto zero = json;
  zero["blocks"][0]["a"][0] = 0;
  EXPECT_NE(wrong(zero).find("above 0"), std::string::npos);
  auto text = json;
  text["blocks"][0]["b"] = "fast";
  EXPECT_NE(wrong(text).find("blocks[0].b"), std::string::npos);
  auto huge = json;
  huge["planned_blocks"] = 1'000'000'000;
  EXPECT_NE(wrong(huge).find("planned_blocks"), std::string::npos);
  auto many = json;
  many["blocks"][0]["a"] = std::vector<double>(100'000, 1.0);
  EXPECT_NE(wrong(many).find("blocks[0].a"), std::string::npos);
  for (const char* const bad :
       {"", "[]", "{}", R"({"kind":"ab"})", "\xff", R"({"kind":"ab","schema":2})"})
    EXPECT_FALSE(evidence_from(bad)) << bad;
}

}  // namespace
}  // namespace nettune::tools::measure
