// SPDX-License-Identifier: Apache-2.0
#include "cli/print_text.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text.hpp"
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

TEST(CliPrintText, ErrorsAreWrapped) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += cat("word", i, ' ');
  const std::string text = text::error(
      Error{Errc::invalid, cat(words, "end\n  a line of its own"), 0, "/p/a.toml", 3}, {});
  EXPECT_TRUE(text.starts_with("error: /p/a.toml:3: word0 ")) << text;
  EXPECT_NE(text.find("\n         a line of its own\n"), std::string::npos) << text;
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 100U) << line;
  for (int i = 0; i < 60; ++i) EXPECT_NE(text.find(cat("word", i)), std::string::npos) << i;
}

TEST(CliPrintText, ACommandAtTheEndOfAnErrorIsOnOneLine) {
  const std::string command = "nettune apply tcp-fallback --confirm 120 --allow-management";
  for (const std::string sudo : {"", "sudo "})
    EXPECT_NE(
        text::error(Error{Errc::denied,
                          cat("something is in the way that a person has to judge; do it with: ",
                              sudo, command),
                          0,
                          {},
                          0},
                    Style{})
            .find(cat("\n       ", sudo, command, "\n")),
        std::string::npos);
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
  EXPECT_NE(text.find("p on node: 1 change on the host; 1 already right"), std::string::npos)
      << text;
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

/// A node with RoCE ports of 400 Gb/s, as match_profiles() sorts its profiles.
std::vector<node::Match> some_matches() {
  std::vector<node::Match> matches(4);
  matches[0].listed = {"roce", "RoCE", "/p/roce.toml", "/q/roce.toml", ""};
  matches[0].matches = true;
  matches[0].sets = {{"bootstrap", {}}, {"fabric", {"eth0", "eth1", "eth2"}}};
  matches[0].demand = {true, 200};
  matches[1].listed = {"tcp", "TCP", "/p/tcp.toml", "", ""};
  matches[1].matches = true;
  matches[1].cautions = {"RDMA is ACTIVE on mlx5_0/1: much faster"};
  matches[1].in_short = "not where RDMA is active (1 port here)";
  for (const std::size_t i : {2U, 3U}) {
    matches[i].listed = {i == 2 ? "ib-hdr" : "ib-ndr", "InfiniBand", "/p/ib.toml", "", ""};
    matches[i].misfits = {"devices.fabric needs >= 1 devices"};
    matches[i].in_short = "no InfiniBand port";
  }
  return matches;
}

TEST(CliPrintText, RecommendAnswersInAFewLines) {
  std::vector<node::Match> matches = some_matches();
  EXPECT_EQ(text::recommend(matches, "n", {}, {}),
            "n: use roce\n"
            "  made for RDMA on ports of 200 Gb/s or more; fabric: eth0 ... eth2 (3)\n"
            "  not advised    tcp: not where RDMA is active (1 port here)\n"
            "  no match       ib-hdr, ib-ndr: no InfiniBand port\n"
            "next: nettune plan roce     (-v explains each)\n");
  const std::string reasons = text::recommend(matches, "n", {true, true}, {});
  for (const char* const reason : {"hides /q/roce.toml", "devices fabric: eth0 eth1 eth2",
                                   "much faster", "devices.fabric needs >= 1 devices"})
    EXPECT_NE(reasons.find(reason), std::string::npos) << reasons;
  EXPECT_EQ(text::recommend({matches[2]}, "n", {}, {}),
            "n: no profile can be recommended\n  no match       ib-hdr: no InfiniBand port\n"
            "next: nettune recommend -v     (explains each)\n");
  // However many there are.
  for (int i = 0; i < 200; ++i) {
    matches.push_back(matches[2]);
    matches.back().listed.name += std::to_string(i);
    matches.push_back(matches[0]);
    matches.back().listed.name += std::to_string(i);
  }
  const std::string many = text::recommend(matches, "n", {}, {80});
  EXPECT_LE(std::ranges::count(many, '\n'), 12) << many;
}

TEST(CliPrintText, TheListHasALineForEachProfile) {
  std::vector<node::Match> matches = some_matches();
  EXPECT_EQ(text::list(matches, {}, {}),
            "PROFILE  HERE  FOR\n"
            "roce     best  RoCE\n"
            "tcp      no!   not where RDMA is active (1 port here)\n"
            "ib-hdr   no    no InfiniBand port\n"
            "ib-ndr   no    no InfiniBand port\n"
            "-v shows files and reasons\n");
  matches.front().listed.summary = std::string(30, 'a') + ' ' + std::string(70, 'b');
  const std::string narrow = text::list(matches, {}, {80, true});
  EXPECT_EQ(std::ranges::count(narrow, '\n'), 6) << narrow;
  for (const std::string_view line : split(narrow, '\n')) EXPECT_LE(line.size(), 80U) << line;
  // Without facts it is not known which match.
  EXPECT_EQ(text::list({matches[2]}, {false}, {}),
            "PROFILE  FOR\nib-hdr   InfiniBand\n-v shows files and reasons\n");
}

TEST(CliPrintText, EachMistakeOfAProfileIsALine) {
  node::Match broken;
  broken.listed.name = "p";
  broken.listed.error = "/p.toml:1: a\n/p.toml:2: b\x1b";
  broken.misfits = {broken.listed.error};
  for (const std::string& text :
       {text::list({broken}, {true, true}, {}), text::recommend({broken}, "n", {true, true}, {})}) {
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
