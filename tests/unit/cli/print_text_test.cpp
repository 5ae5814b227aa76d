// SPDX-License-Identifier: Apache-2.0
#include "cli/print_text.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/line_diff.hpp"
#include "cli/table.hpp"
#include "node/exit_codes.hpp"
#include "node/words.hpp"

namespace nettune::cli {
namespace {

TEST(CliExitCodes, PrecedenceIsThatOfTheManual) {
  const node::Exit order[] = {node::Exit::done,  node::Exit::not_permitted,
                              node::Exit::drift, node::Exit::refused,
                              node::Exit::busy,  node::Exit::unfinished};
  for (std::size_t low = 0; low < std::size(order); ++low)
    for (std::size_t high = low; high < std::size(order); ++high) {
      EXPECT_EQ(node::worse(order[low], order[high]), order[high]);
      EXPECT_EQ(node::worse(order[high], order[low]), order[high]);
    }
}

TEST(CliTable, ColumnsFitTheirContentAndEmptyOnesAreLeftOut) {
  Table table({{"A"}, {"EMPTY"}, {"B"}});
  table.add({"one", "", "x"});
  table.add({"three", "", "y"}, {"below"});
  EXPECT_EQ(table.text({}, ""), "A      B\none    x\nthree  y\n    below\n");
}

TEST(CliTable, OnlyShrinkingColumnsGiveWay) {
  Table table({{"NAME"}, {"VALUE", Table::Give::first}});
  table.add({"sysctl:net.ipv4.tcp_rmem", "4096 131072 33554432 and much more than fits here"});
  Style narrow;
  narrow.terminal = true;
  narrow.width = 60;
  const std::string text = table.text(narrow);
  for (const std::string_view line : split(text, '\n'))
    EXPECT_LE(display_width(line), narrow.width) << line;
  EXPECT_NE(text.find("sysctl:net.ipv4.tcp_rmem"), std::string::npos);
}

TEST(CliTable, WhatIsShortenedStandsInFullBelowAndAFileIsNeverCut) {
  const std::string value = "4096 131072 33554432 and much more than fits here";
  Table table({{"NAME"}, {"VALUE", Table::Give::first}});
  table.add({"sysctl:net.ipv4.tcp_rmem", value});
  Style narrow;
  narrow.terminal = true;
  narrow.width = 50;
  EXPECT_NE(table.text(narrow).find("VALUE: 4096 131072 33554432"), std::string::npos);
  Style file;
  file.width = 50;
  EXPECT_NE(table.text(file).find(value), std::string::npos);
}

TEST(CliTable, OriginsGoBelowAndNamesAreNeverCut) {
  Table table({{"NAME"}, {"VALUE", Table::Give::first}, {"FROM", Table::Give::below, "from"}});
  table.add({std::string(40, 'n'), "value", "profile.toml:12"});
  Style style;
  style.terminal = true;
  style.width = 80;
  EXPECT_NE(table.text(style).find("nnn  value  profile.toml:12\n"), std::string::npos);
  style.width = 60;
  EXPECT_NE(table.text(style).find("nnn  value\n      from profile.toml:12\n"), std::string::npos);
  style.width = 40;
  EXPECT_EQ(table.text(style), cat("  NAME\n      VALUE  FROM\n  ", std::string(40, 'n'),
                                   "\n      value  profile.toml:12\n"));
}

TEST(CliTable, ShortensInTheMiddleWithoutCuttingCharacters) {
  EXPECT_EQ(shorten_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten_middle("abcdefghijk", 8), "abc..ijk");
  EXPECT_EQ(shorten_middle("abcdefghijk", 0), "ab..k");
  EXPECT_EQ(shorten_middle("ääääääääää", 6), "ää..ää");
}

TEST(CliTable, WrapsWords) {
  EXPECT_EQ(wrap("one two three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(wrap("", "  ", 9), "");
  EXPECT_EQ(wrap("averyveryverylongword", "  ", 9), "  averyveryverylongword\n");
}

TEST(CliLineDiff, EqualTextsHaveNone) { EXPECT_EQ(line_diff("a\nb\n", "a\nb\n"), ""); }

TEST(CliLineDiff, AsDiffWritesIt) {
  EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(line_diff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(line_diff("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_EQ(line_diff("a", "a\n"), "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(CliLineDiff, DistantChangesAreHunksOfTheirOwn) {
  std::string before;
  for (int i = 1; i <= 30; ++i) before += cat("line ", i, "\n");
  std::string after = before;
  after.replace(after.find("line 2\n"), 7, "line two\n");
  after.replace(after.find("line 25\n"), 8, "");
  EXPECT_EQ(line_diff(before, after),
            "@@ -1,5 +1,5 @@\n line 1\n-line 2\n+line two\n line 3\n line 4\n line 5\n"
            "@@ -22,7 +22,6 @@\n line 22\n line 23\n line 24\n-line 25\n line 26\n line 27\n"
            " line 28\n");
}

TEST(CliLineDiff, NeighbouringChangesShareAHunk) {
  EXPECT_EQ(line_diff("a\n1\n2\n3\n4\nb\n", "A\n1\n2\n3\n4\nB\n"),
            "@@ -1,6 +1,6 @@\n-a\n+A\n 1\n 2\n 3\n 4\n-b\n+B\n");
}

TEST(CliLineDiff, HugeTextsGiveACorrectAnswerAndNoTerminalCodes) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += cat("old ", i, "\n");
    after += cat("new ", i, "\n");
  }
  const std::string diff = line_diff(before, after);
  EXPECT_TRUE(diff.starts_with("@@ -1,5000 +1,5000 @@\n"));
  EXPECT_EQ(line_diff("", "\x1b[31mred\n").find('\x1b'), std::string::npos);
}

TEST(CliWordsOfValues, FilesAreShownByTheStartOfTheirDigest) {
  const std::string digest(64, 'a');
  EXPECT_EQ(node::value_text(cat("sha256:", digest, " mode 0644 owner 0:0")), "aaaaaaaa 0644");
  EXPECT_EQ(node::value_text(cat("sha256:", digest, " mode 0600 owner 7:8")), "aaaaaaaa 0600 7:8");
  EXPECT_EQ(node::value_text({}), "absent");
  EXPECT_EQ(node::value_text(Value("a\x1b[m")), "a\\x1b[m");
}

TEST(CliWordsOfValues, OriginsAreShort) {
  EXPECT_EQ(node::origin_text({"/usr/share/nettune/profiles/base.toml", 12}), "base.toml:12");
  EXPECT_EQ(node::origin_text({"--set", 0}), "--set");
}

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
