// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/findings.hpp"

#include <gtest/gtest.h>

#include "tools/doctor/program/diagnosis.hpp"
#include "unit/tools/doctor/fixture.hpp"

namespace nettune::tools::doctor {
namespace {

using checks::Cost;
using checks::Rule;

std::vector<std::string> order(const Judged& judged) {
  std::vector<std::string> ids;
  for (const Finding& finding : judged.findings) ids.push_back(finding.rule->id);
  return ids;
}

TEST(DoctorFindings, OrderIsCostThenSureness) {
  const std::vector<Rule> rules = {
      rule("slow", "a", Cost::percent, true), rule("hint", "b", Cost::fails, false),
      rule("dead", "c", Cost::fails, true), rule("half", "d", Cost::halves, true)};
  const Judged judged =
      judge(rules, {}, {bad("a", "x"), bad("b", "x"), bad("c", "x"), bad("d", "x")}, {});
  EXPECT_EQ(order(judged), (std::vector<std::string>{"dead", "half", "slow", "hint"}));
  facts::Observation measured = bad("a", "x");
  measured.sureness = facts::Sureness::measured;
  const std::vector<Rule> same = {rule("read", "b", Cost::percent, true),
                                  rule("measured", "a", Cost::percent, true)};
  EXPECT_EQ(order(judge(same, {}, {bad("b", "x"), measured}, {})).front(), "measured");
}

TEST(DoctorFindings, ACauseStandsAboveWhatItExplainsOnTheSameDevice) {
  const std::vector<Rule> rules = {rule("symptom", "s", Cost::fails, true),
                                   rule("cause", "c", Cost::risk, false, {"symptom"})};
  const Judged judged =
      judge(rules, {}, {bad("s", "mlx5_0"), bad("s", "mlx5_1"), bad("c", "port", {"mlx5_0"})}, {});
  ASSERT_EQ(judged.findings.size(), 3U);
  std::size_t explained = 0;
  for (const Finding& finding : judged.findings) {
    if (!finding.explained_by) continue;
    ++explained;
    EXPECT_EQ(finding.seen.device, "mlx5_0");
    EXPECT_EQ(judged.findings[*finding.explained_by].rule->id, "cause");
  }
  EXPECT_EQ(explained, 1U);
  // Both stand as high as the symptom that is nobody's.
  const auto groups = program::groups_of(judged);
  ASSERT_EQ(groups.size(), 2U);
}

TEST(DoctorFindings, TwoThatExplainEachOtherDoNotVanish) {
  const std::vector<Rule> rules = {rule("a", "a", Cost::fails, true, {"b"}),
                                   rule("b", "b", Cost::fails, true, {"a"})};
  const Judged judged = judge(rules, {}, {bad("a", ""), bad("b", "")}, {});
  EXPECT_EQ(program::groups_of(judged).size(), 1U);
  EXPECT_EQ(program::groups_of(judged)[0].effects.size(), 1U);
}

TEST(DoctorFindings, IgnoredOnesAreShownAndCountForNothing) {
  const std::vector<Rule> rules = {rule("r", "a", Cost::fails, true)};
  JudgeRequest request{{{"r", "mlx5_1*", "2026-12-31", "no cable"}}, "2026-11-24"};
  Judged judged = judge(rules, {}, {bad("a", "mlx5_10/1")}, request);
  EXPECT_FALSE(judged.has_fault());
  EXPECT_EQ(judged.ignored(), 1U);
  EXPECT_EQ(judged.findings[0].ignored, "no cable (until 2026-12-31)");
  EXPECT_TRUE(judge(rules, {}, {bad("a", "mlx5_2/1")}, request).has_fault());
  request.today = "2027-01-01";
  judged = judge(rules, {}, {bad("a", "mlx5_10/1")}, request);
  EXPECT_TRUE(judged.has_fault());
  EXPECT_EQ(judged.notes, std::vector<std::string>{"site file: ignore of r ended on 2026-12-31"});
  request.ignores[0].id = "nosuch";
  EXPECT_EQ(judge(rules, {}, {}, request).notes,
            std::vector<std::string>{"site file: ignore names an unknown rule: nosuch"});
}

}  // namespace
}  // namespace nettune::tools::doctor
