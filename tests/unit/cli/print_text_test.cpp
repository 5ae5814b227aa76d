// SPDX-License-Identifier: Apache-2.0
#include "cli/print_text.hpp"

#include <gtest/gtest.h>

#include "cli/table.hpp"

namespace nettune::cli {
namespace {

TEST(CliPrintText, ErrorsCarryFileAndLine) {
  EXPECT_EQ(text::error(Error{Errc::invalid, "no", 0, "/p/a.toml", 3}, {}),
            "error: /p/a.toml:3: no\n");
  EXPECT_EQ(text::error(Error{Errc::invalid, "no", 0, {}, 0}, {}), "error: no\n");
}

PlanItem item(std::string address, Verdict verdict) {
  PlanItem made;
  made.setting.address.text = std::move(address);
  made.setting.want = "2";
  made.setting.origin = {"/p/a.toml", 3};
  made.verdict = verdict;
  made.now = {Presence::present, "1", {}, {}};
  made.after = "2";
  return made;
}

TEST(CliPrintText, ThePlanNamesWhatChangesWhoClaimsItAndWhatMovesAlong) {
  node::Planned planned;
  planned.plan.profile = "p";
  planned.plan.items = {item("sysctl:a", Verdict::different), item("sysctl:b", Verdict::in_sync)};
  planned.plan.units = {{0}};
  planned.plan.items[0].effects.touches = {{{"sysctl:c"}, {}, "0", "because"}};
  planned.plan.claims = {
      {{"sysctl:a"}, "sysctl.d", "/etc/sysctl.conf", 12, "4", true, "it is read later"}};
  const std::string text = text::plan(planned, {}, {"node", true}, {});
  EXPECT_NE(text.find("p on node: 1 change, 1 already in place"), std::string::npos) << text;
  EXPECT_NE(text.find("also changes sysctl:c to 0: because"), std::string::npos) << text;
  EXPECT_NE(text.find("overrides nettune: it is read later"), std::string::npos) << text;
  EXPECT_NE(text.find("a.toml:3"), std::string::npos) << text;
  EXPECT_EQ(text.find("sysctl:b"), std::string::npos) << text;
}

TEST(CliPrintText, WhatComesFromOutsideDoesNotSteerTheTerminal) {
  node::Planned planned;
  planned.plan.profile = "p";
  planned.plan.items = {item("sysctl:a\x1b[31m", Verdict::different)};
  planned.plan.items[0].now.text = "\x1b]0;title\x07";
  planned.plan.items[0].now.why = "\x1b[2J";
  planned.plan.notes = {"\x1b[2J"};
  planned.resolved.cautions = {"\x1b[2J"};
  const std::string text = text::plan(planned, {}, {"\x1b[2J"}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(CliPrintText, AdviceIsALineEachAndTheUnknownOneForEachReason) {
  using checks::Opinion;
  EXPECT_EQ(text::advice({}, {}), "");
  const auto some = [](Opinion opinion, const std::string& device, const std::string& rule) {
    return checks::Advice{opinion, device, rule, "seen", "why", "remedy", "source"};
  };
  EXPECT_EQ(text::advice({some(Opinion::good, "fab0", "a"), some(Opinion::fault, "fab0", "b"),
                          some(Opinion::unknown, "fab0", "c"), some(Opinion::advice, "fab1", "d"),
                          some(Opinion::unknown, "fab1", "c"), some(Opinion::unknown, "fab1", "d")},
                         {}),
            "fault: fab0: seen: why; remedy [b]\n"
            "advice: fab1: seen: why; remedy [d]\n"
            "unknown: fab0, fab1: c: seen\n"
            "unknown: fab1: d: seen\n"
            "read-only checks: 6, of which 1 good, 1 at fault, 1 could be better, 3 unknown\n");
}

TEST(CliPrintText, RecommendSaysWhichAndWhy) {
  node::Match best;
  best.listed.name = "roce";
  best.matches = true;
  best.sets["fabric"] = {"eth0"};
  best.demand = {true, 200};
  node::Match other;
  other.listed.name = "tcp";
  other.matches = true;
  node::Match far;
  far.listed.name = "ib";
  far.misfits = {"there is no port of InfiniBand"};
  EXPECT_EQ(text::recommend({best, other, far}, "n", {}),
            "recommended for n:\n  roce\n      devices fabric: eth0\n"
            "      made for RDMA on ports of 200 Gb/s or more, which this node has; no matching "
            "profile asks for more\n"
            "also matches:\n  tcp\n"
            "does not match:\n  ib\n      there is no port of InfiniBand\n"
            "To see what it would change: nettune plan roce\n");
  EXPECT_EQ(text::recommend({far}, "n", {}),
            "no profile can be recommended for n\ndoes not match:\n  ib\n      there is no port "
            "of InfiniBand\n");
}

TEST(CliPrintText, EachMistakeOfAProfileIsALine) {
  node::Match broken;
  broken.listed.name = "p";
  broken.listed.error = "/p.toml:1: a\n/p.toml:2: b\x1b";
  broken.misfits = {broken.listed.error};
  for (const std::string& text :
       {text::list({broken}, true, {}), text::recommend({broken}, "n", {})}) {
    EXPECT_EQ(text.find("\\n"), std::string::npos) << text;
    EXPECT_NE(text.find("/p.toml:1: a\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  /p.toml:2: b\\x1b\n"), std::string::npos) << text;
  }
}

TEST(CliPrintText, AReportOfAFailureTellsWhatCameBack) {
  Report report;
  report.outcome = Outcome::incomplete;
  report.restored = {{{"sysctl:a"}, "1", "2", "1", {}}};
  report.not_restored = {{{"sysctl:b"}, "1", "2", "2", "it is stuck"}};
  const std::string text = text::report(report, "applied p", {});
  EXPECT_NE(text.find("unfinished"), std::string::npos);
  EXPECT_NE(text.find("could NOT be restored:\n  sysctl:b: 2 (it is stuck)"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace nettune::cli
