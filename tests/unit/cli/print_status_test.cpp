// SPDX-License-Identifier: Apache-2.0
#include "cli/print_status.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {
namespace {

constexpr std::int64_t kThen_s = 1'700'000'000;

node::Summary applied_summary() {
  node::Summary summary;
  summary.time_s = kThen_s;
  summary.lasting.generation = 5;
  summary.lasting.profile = "tcp\x1b";
  summary.lasting.settings = 28;
  summary.lasting.since_s = kThen_s;
  summary.lasting.who = "root";
  return summary;
}

TEST(CliPrintStatus, OneLineForEachQuestion) {
  node::Summary summary = applied_summary();
  const std::string then = text::time(kThen_s);
  const node::OwnUnits units{true, false, {true, "active"}, {true, "inactive"}, {}};
  EXPECT_EQ(text::status(summary, {}, units, kThen_s, {}),
            cat("applied   tcp\\x1b, generation 5, 28 settings, since ", then, " by root\n",
                "pending   nothing\n"
                "owed      nothing\n"
                "hold      none\n"
                "checked   not since this was applied, or the node booted\n"
                "timer     on (nettune-check.timer), but not started: systemctl start "
                "nettune-check.timer\n"
                "boot      on (nettune-apply.service)\n"));
  summary.lasting.pending = {"apply", "node", 12, "root", kThen_s + 42, false};
  summary.lasting.owed = 1;
  summary.lasting.hold = Hold{"bob", kThen_s - 7200, "a card"};
  summary.check = node::Summary::Check{
      kThen_s, 3, node::check::Standing::drift, {{"sysctl:a", "p.toml:3", kThen_s}}, 1, 0};
  EXPECT_EQ(
      text::status(summary, {}, {}, kThen_s, {}),
      cat("applied   tcp\\x1b, generation 5, 28 settings, since ", then, " by root\n",
          "pending   the apply of node (12 settings) by root; without confirmation, at ",
          text::clock(kThen_s + 42), ": back to tcp\\x1b (42 s left)\n",
          "owed      1 value\n"
          "hold      by bob since ",
          text::moment(kThen_s - 7200), " (2 h): a card\n", "checked   ", text::moment(kThen_s),
          ": drift (1 setting apart, 1 traffic rule blocked)\n"
          "timer     off (no systemd, no cron)\n"));
  summary.lasting.profile.clear();
  summary.lasting.lost = true;
  const std::string lost = text::status(summary, {}, {}, kThen_s + 43, {});
  EXPECT_TRUE(lost.starts_with("applied   nothing is recorded")) << lost;
  EXPECT_NE(lost.find("has expired"), std::string::npos) << lost;
  EXPECT_NE(lost.find("back to nothing applied"), std::string::npos) << lost;
}

TEST(CliPrintStatus, ACachedCheckSaysItsAgeOrThatItIsTooOld) {
  node::Summary summary = applied_summary();
  EXPECT_TRUE(text::cached_check(summary, "", kThen_s, {}).starts_with("UNKNOWN  not checked"));
  summary.check = node::Summary::Check{
      kThen_s, 3, node::check::Standing::drift, {{"sysctl:a\x1b", "p.toml:3", kThen_s}}, 0, 0};
  EXPECT_EQ(text::cached_check(summary, "", kThen_s + 180, {}),
            cat("DRIFT  tcp\\x1b, generation 5: 1 setting apart\n  sysctl:a\\x1b  since ",
                text::moment(kThen_s), "  p.toml:3\nas of ", text::moment(kThen_s),
                " (3 min ago), from /run/nettune/summary.json\n"));
  EXPECT_TRUE(text::cached_check(summary, "it is older than 2 hours", kThen_s + 18000, {})
                  .starts_with("UNKNOWN  the last check is from "));
}

TEST(CliPrintStatus, HistorySaysWhyAChangeWasReverted) {
  node::Past past{7, kThen_s, "root", "apply", "p", 28, 3, "reverted", ""};
  past.reason = cat(kNotConfirmed, ": probe path:10.20.0.2%nt0 got no answer");
  past.vars = {{"mtu", "9000"}};
  const std::string text = text::history({past}, {});
  EXPECT_NE(text.find("  reverted: probe path:10.20.0.2%nt0 got no answer\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("--set mtu=9000"), std::string::npos) << text;
  past.reason = kNotConfirmed;
  EXPECT_NE(text::history({past}, {}).find("reverted: not confirmed in time"), std::string::npos);
  EXPECT_EQ(text::history({}, {}), "nothing has been applied on this node\n");
}

}  // namespace
}  // namespace nettune::cli
