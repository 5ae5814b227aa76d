// SPDX-License-Identifier: Apache-2.0
#include "node/plan_file.hpp"

#include <gtest/gtest.h>

#include "cli/print_json.hpp"

namespace nettune::node {
namespace {

PlanItem change(std::string address, std::string now, std::string after) {
  PlanItem made;
  made.setting.address.text = std::move(address);
  made.setting.want = after;
  made.verdict = Verdict::different;
  made.now = {Presence::present, std::move(now), {}, {}};
  made.after = std::move(after);
  return made;
}

Planned planned(std::vector<PlanItem> items) {
  Planned made;
  made.plan.profile = "p";
  made.plan.items = std::move(items);
  for (std::size_t i = 0; i < made.plan.items.size(); ++i) made.plan.units.push_back({i});
  return made;
}

SavedPlan saved(const Planned& plan) {
  auto parsed = parse_plan_file(cli::json::plan(plan, {{"k", "v"}}, {}, ""));
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().text);
  return parsed ? std::move(*parsed) : SavedPlan();
}

TEST(NodePlanFile, IsToldFromAProfileByItsName) {
  EXPECT_TRUE(is_plan_file("./p"));
  EXPECT_TRUE(is_plan_file("p.json"));
  EXPECT_TRUE(is_plan_file("p.plan"));
  EXPECT_FALSE(is_plan_file("tcp-fallback"));
  EXPECT_FALSE(is_plan_file("p.json.x"));
}

TEST(NodePlanFile, WhatIsSavedIsRead) {
  const Planned plan = planned({change("sysctl:a", "1", "2")});
  const SavedPlan read = saved(plan);
  EXPECT_EQ(read.profile, "p");
  EXPECT_EQ(read.set.at("k"), "v");
  EXPECT_EQ(read.digest, plan.plan.digest());
  EXPECT_TRUE(moved_since(read, plan.plan).empty());
}

TEST(NodePlanFile, ListsWhatMoved) {
  const SavedPlan read = saved(planned({change("sysctl:a", "1", "2"), change("sysctl:b", "1", "2"),
                                        change("sysctl:same", "1", "2")}));
  const auto moved =
      moved_since(read, planned({change("sysctl:a", "7", "2"), change("sysctl:c", "1", "2"),
                                 change("sysctl:same", "1", "2")})
                            .plan);
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[0], "sysctl:a: was 1 -> 2, would be 7 -> 2");
  EXPECT_EQ(moved[1], "sysctl:c: would now also change, 1 -> 2");
  EXPECT_EQ(moved[2], "sysctl:b: would no longer change, was 1 -> 2");
}

TEST(NodePlanFile, RefusesWhatIsNoPlan) {
  for (const char* text :
       {"", "{", "[]", "null", R"({"schema":1,"kind":"facts"})", R"({"schema":2,"kind":"plan"})",
        R"({"schema":1,"kind":"plan"})", R"({"schema":1,"kind":"plan","profile":1,"digest":"x"})",
        R"({"schema":1,"kind":"plan","profile":"p","digest":"x","set":{"a":1}})",
        R"({"schema":1,"kind":"plan","profile":"p","digest":"x","items":[{"writes":true}]})"}) {
    const auto parsed = parse_plan_file(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Errc::invalid) << text;
  }
}

}  // namespace
}  // namespace nettune::node
