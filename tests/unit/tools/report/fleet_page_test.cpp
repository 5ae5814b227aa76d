// SPDX-License-Identifier: Apache-2.0
#include "tools/report/fleet_page.hpp"

#include "unit/tools/report/fixture.hpp"

namespace nettune::tools::report {
namespace {

TEST(ReportFleetPage, ColoursANodeByItsWorstFinding) {
  const Page page = page_of(
      {{"a.json",
        doctor("a", "not_ready",
               Json::array({finding("one", "advice", "risk"), finding("two", "fault", "halves")}))},
       {"b.json", doctor("b", "not_ready", Json::array({finding("two", "fault", "fails")}))},
       {"c.json", doctor("c", "ready", Json::array({finding("one", "advice", "risk")}))},
       {"d.json", doctor("d", "ready")},
       {"e.json", doctor("e", "undecided", Json::array({finding("two", "unknown", "fails")}))},
       {"f.json", {{"schema", 1}, {"kind", "check"}, {"verdict", "in_sync"}, {"state", state()}}}});
  EXPECT_EQ(node_of(page, "a").level, Level::slows);
  EXPECT_EQ(node_of(page, "b").level, Level::fails);
  EXPECT_EQ(node_of(page, "c").level, Level::may);
  EXPECT_EQ(node_of(page, "d").level, Level::good);
  EXPECT_EQ(node_of(page, "e").level, Level::unknown);
  EXPECT_EQ(node_of(page, "f").level, Level::unknown);
  ASSERT_EQ(node_of(page, "a").items.size(), 2U);
  EXPECT_EQ(node_of(page, "a").items.front().seen, "seen of two") << "the worst first";
  EXPECT_EQ(node_of(page, "a").items.front().remedy, "remedy of two");
}

TEST(ReportFleetPage, AFindingThatTheSiteIgnoresDoesNotCount) {
  Json ignored = finding("one", "fault", "fails");
  ignored["ignored"] = "known";
  const Page page = page_of({{"a.json", doctor("a", "ready", Json::array({ignored}))}});
  EXPECT_EQ(node_of(page, "a").level, Level::good);
  EXPECT_TRUE(page.steps.empty());
}

TEST(ReportFleetPage, TheFirstStepIsTheRootOfTheWorst) {
  Json effect = finding("effect", "fault", "fails");
  effect["explained_by"] = {{"rule", "cause"}, {"device", nullptr}};
  const Page page = page_of(
      {{"a.json", doctor("a", "not_ready",
                         Json::array({finding("small", "advice", "risk"), effect,
                                      finding("cause", "fault", "fails")}))},
       {"b.json", doctor("b", "not_ready", Json::array({finding("cause", "fault", "fails")}))}});
  ASSERT_EQ(page.steps.size(), 2U);
  EXPECT_EQ(page.steps[0].text, "cause: seen of cause");
  EXPECT_EQ(page.steps[0].remedy, "remedy of cause");
  EXPECT_EQ(page.steps[0].nodes, (Nodes{0, 1}));
  EXPECT_EQ(page.steps[1].text, "small: seen of small");
}

TEST(ReportFleetPage, TheNewerOfTwoDocumentsCounts) {
  Json old = doctor("a", "not_ready", Json::array({finding("one", "fault", "fails")}));
  Json now = doctor("a", "ready");
  old["time"] = "2026-08-01T00:00:00Z";
  now["time"] = "2026-08-02T00:00:00Z";
  for (const bool is_first : {true, false}) {
    const std::pair<std::string, Json> older{"older.json", old};
    const std::pair<std::string, Json> newer{"newer.json", now};
    const Page page = is_first ? page_of({older, newer}) : page_of({newer, older});
    ASSERT_EQ(page.nodes.size(), 1U);
    EXPECT_EQ(page.nodes[0].level, Level::good);
    ASSERT_EQ(page.left_out.size(), 1U);
    EXPECT_EQ(page.left_out[0].first, "older.json");
    EXPECT_EQ(page.left_out[0].second,
              "doctor of a, of 2026-08-01T00:00:00Z; shown is newer.json, of 2026-08-02T00:00:00Z");
  }
}

TEST(ReportFleetPage, TwoMachinesOfOneNameAreNamed) {
  Json one = compare::facts(1);
  Json two = compare::facts(2);
  two["node"]["hostname"] = "gpu1";
  const Page page = page_of({{"a.json", one}, {"b.json", two}});
  ASSERT_EQ(page.nodes.size(), 1U);
  ASSERT_FALSE(page.steps.empty());
  EXPECT_NE(page.steps[0].text.find("two machines have the name gpu1"), std::string::npos);
}

TEST(ReportFleetPage, WhatIsMissingAndNotKnownIsNamed) {
  const Page page = page_of(
      {{"a.json", doctor("a", "ready", Json::array({finding("acs", "not_permitted", "halves")}))},
       {"b.json", {{"schema", 1}, {"kind", "check"}, {"verdict", "in_sync"}, {"state", state()}}}});
  const Gap* const doctor_gap = gap_of(page.missing, "doctor");
  ASSERT_TRUE(doctor_gap);
  EXPECT_EQ(doctor_gap->nodes, Nodes{1});
  ASSERT_TRUE(gap_of(page.missing, "check"));
  EXPECT_EQ(gap_of(page.missing, "check")->nodes, Nodes{0});
  EXPECT_EQ(gap_of(page.missing, "history")->nodes, (Nodes{0, 1}));
  EXPECT_TRUE(gap_of(page.missing, "test --mesh"));
  EXPECT_TRUE(gap_of(page.missing, "ab"));
  const Gap* const open = gap_of(page.unknown, "doctor: acs");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->why, "seen of acs");
  EXPECT_EQ(open->nodes, Nodes{0});
}

TEST(ReportFleetPage, WhatIsNoDocumentDoesNotStopThePage) {
  const Page page = page_of({{"a.json", doctor("a", "ready")},
                             {"b.json", {{"hello", "world"}}},
                             {"c.json", {{"schema", 1}, {"kind", "plan"}}},
                             {"d.json", Json::array({1, 2})}});
  EXPECT_EQ(page.nodes.size(), 1U);
  ASSERT_EQ(page.not_read.size(), 3U);
  EXPECT_EQ(page.not_read[0].first, "b.json");
  EXPECT_NE(page.not_read[0].second.find("names no kind"), std::string::npos);
  EXPECT_NE(page.not_read[1].second.find("of kind plan"), std::string::npos);
  EXPECT_NE(page.not_read[2].second.find("not a JSON object"), std::string::npos);
}

TEST(ReportFleetPage, TheTimelineHasChangesRebootsHoldsAndDrift) {
  Json held = state();
  held["hold"] = {{"who", "alice"}, {"since", "2026-08-03T00:00:00Z"}, {"why", "cable"}};
  const auto change = [](int number, const std::string& time, const std::string& boot,
                         const std::string& result) {
    return Json{
        {"number", number}, {"action", "apply"},       {"profile", "p"},   {"time", time},
        {"who", "root"},    {"boot_id", boot},         {"result", result}, {"reason", nullptr},
        {"settings", 3},    {"changes", Json::array()}};
  };
  const Json history = {{"schema", 1},
                        {"kind", "history"},
                        {"transactions",
                         {change(2, "2026-08-02T00:00:00Z", "b2", "aborted"),
                          change(1, "2026-08-01T00:00:00Z", "b1", "committed")}},
                        {"state", held}};
  const Json check = {{"schema", 1},
                      {"kind", "check"},
                      {"verdict", "drift"},
                      {"not_in_sync",
                       {{{"address", "link:eth1:mtu"},
                         {"want", "9000"},
                         {"now", {{"text", "1500"}, {"why", nullptr}}},
                         {"verdict", "different"},
                         {"origin", {{"file", "p.toml"}, {"line", 3}}}}}},
                      {"state", held}};
  const Page page = page_of({{"a.history.json", history}, {"a.check.json", check}});
  ASSERT_EQ(page.timelines.size(), 1U);
  const Timeline& line = page.timelines[0];
  EXPECT_TRUE(line.has_trouble);
  std::string kinds;
  for (const Event& event : line.events) kinds += "AURBHDS"[static_cast<int>(event.kind)];
  EXPECT_EQ(kinds, "HSDABU") << "hold, read, drift; applied, reboot, undone";
  EXPECT_EQ(line.events[3].seconds, seconds_of("2026-08-01T00:00:00Z"));
  EXPECT_NE(line.now.find("hold by alice since 2026-08-03T00:00:00Z: cable"), std::string::npos)
      << line.now;
  ASSERT_EQ(page.steps.size(), 1U);
  EXPECT_EQ(page.steps[0].text, "drift: link:eth1:mtu is 1500, should be 9000");
  EXPECT_EQ(page.nodes[0].history.front(),
            "2026-08-02T00:00:00Z apply p by root: aborted, 0 changes");
}

TEST(ReportFleetPage, GroupsAreThoseOfCompare) {
  std::vector<std::pair<std::string, Json>> documents;
  for (int i = 0; i < 8; ++i) {
    Json facts = compare::facts(i);
    if (i >= 4)
      for (Json& gpu : facts["gpus"]) gpu["pci_id"] = "10de:20b2";
    if (i == 1)
      for (Json& device : facts["rdma"]) device["firmware"] = "28.36.1010";
    documents.emplace_back("gpu" + std::to_string(i) + ".json", facts);
  }
  documents.emplace_back("gpu9.json", doctor("gpu9", "ready"));
  const Page page = page_of(documents);
  ASSERT_EQ(page.groups.size(), 2U);
  EXPECT_EQ(page.groups[0].nodes.size(), 4U);
  EXPECT_EQ(node_of(page, "gpu9").group, -1);
  ASSERT_EQ(page.differences.size(), 1U);
  EXPECT_EQ(page.differences[0].others[0].second, Nodes{1});
  EXPECT_FALSE(node_of(page, "gpu1").also.empty());
  EXPECT_TRUE(node_of(page, "gpu2").also.empty());
}

}  // namespace
}  // namespace nettune::tools::report
