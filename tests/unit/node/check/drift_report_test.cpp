// SPDX-License-Identifier: Apache-2.0
#include "node/check/drift_report.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/print_check.hpp"

namespace nettune::node::check {
namespace {

/// A port whose whole map from DSCP is gone, and its MTU.
Checked lost_map() {
  Checked checked;
  checked.state.active.emplace();
  checked.state.active->profile = "roce";
  checked.held.emplace();
  const auto add = [&](std::string address, std::string now, std::string want) {
    PlanItem item;
    item.setting.address.text = std::move(address);
    item.setting.want = std::move(want);
    item.setting.origin = {"/etc/nettune/profiles/roce.toml", 7};
    item.verdict = Verdict::different;
    item.now.presence = Presence::present;
    item.now.text = std::move(now);
    checked.held->plan.items.push_back(std::move(item));
  };
  for (int dscp = 0; dscp < 64; ++dscp) add(cat("dcb:ens1:app#dscp-", dscp), "0", cat(dscp / 8));
  add("link:ens1:mtu", "1500", "9000");
  return checked;
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST(NodeCheckDriftReport, TheMapOfAPortIsOneLineAndOneEntry) {
  const Checked checked = lost_map();
  const std::string text = cli::text::check(checked, {}, {}, cli::Style{});
  EXPECT_EQ(count(text, "app#dscp-"), 1U) << text;
  EXPECT_NE(text.find("dcb:ens1:app#dscp-0..63 (64 entries)  is 0, should be 0..7: 0, 8..15: 1"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("65 of"), std::string::npos) << text;

  const auto entries = journal_entries(checked);
  ASSERT_EQ(entries.size(), 3U);  // the sum, the map, the MTU
  EXPECT_TRUE(std::ranges::count(entries[0], "NETTUNE_APART=65"));
  EXPECT_TRUE(
      std::ranges::count(entries[1], "NETTUNE_SETTING=dcb:ens1:app#dscp-0..63 (64 entries)"));
  EXPECT_TRUE(std::ranges::count(entries[1], "NETTUNE_NOW=0"));
  EXPECT_TRUE(std::ranges::count(entries[2], "NETTUNE_SETTING=link:ens1:mtu"));
}

firewall::RequiredTraffic traffic(const std::string& name, firewall::walk::Passage verdict) {
  firewall::RequiredTraffic passage{name, "tcp 29400 from 10.10.0.0/16 in eth1", {}, {}};
  passage.verdict.passage = verdict;
  return passage;
}

TEST(NodeCheckDriftReport, BlockedAndUnknownTrafficIsCounted) {
  Checked checked;
  checked.state.active.emplace();
  checked.state.active->profile = "roce";
  checked.state.active->settings.resize(2);
  checked.held.emplace();
  const auto first_line = [&] {
    const std::string text = cli::text::check(checked, {}, {}, cli::Style{});
    return text.substr(0, text.find('\n'));
  };
  checked.passages = {traffic("a", firewall::walk::Passage::accepted)};
  EXPECT_EQ(first_line(), "IN SYNC  roce, generation 0: 2 settings, traffic allowed");
  checked.passages.push_back(traffic("b", firewall::walk::Passage::unknown));
  EXPECT_EQ(first_line(),
            "IN SYNC as far as known  roce, generation 0: 2 settings, 1 of 2 traffic rules is "
            "unknown");
  checked.passages.push_back(traffic("c", firewall::walk::Passage::dropped));
  EXPECT_EQ(first_line(),
            "DRIFT  roce, generation 0: 1 of 3 traffic rules is blocked, 1 is unknown");
  const std::string shown = metrics(checked, 0);
  EXPECT_EQ(count(shown, "\nnettune_passages 3\n"), 1U) << shown;
  EXPECT_EQ(count(shown, "\nnettune_passages_dropped 1\n"), 1U) << shown;
  EXPECT_EQ(count(shown, "\nnettune_passages_unknown 1\n"), 1U) << shown;
}

TEST(NodeCheckDriftReport, AStateThatIsLostIsNoGoodNews) {
  Checked checked;
  checked.unmanaged = true;
  checked.skipped = "nothing is applied here";
  EXPECT_EQ(checked.standing(), Standing::unmanaged);
  EXPECT_EQ(checked.state.exit(), Exit::done);
  EXPECT_TRUE(journal_entries(checked).empty());
  EXPECT_EQ(cli::text::check(checked, {}, {}, cli::Style{}),
            "UNMANAGED  nothing is applied here (see nettune recommend)\n");
  checked.state.signs = {"/etc/nettune/site.toml"};
  EXPECT_EQ(checked.standing(), Standing::state_lost);
  EXPECT_EQ(checked.state.exit(), Exit::drift);
  ASSERT_EQ(journal_entries(checked).size(), 1U);
  EXPECT_NE(journal_entries(checked)[0].back().find("/etc/nettune/site.toml"), std::string::npos);
  EXPECT_EQ(count(metrics(checked, 0), "\nnettune_state_lost 1\n"), 1U);
  EXPECT_EQ(cli::text::check(checked, {}, {}, cli::Style{}),
            "STATE LOST  nothing is applied here, but this node should be managed (lost, or never "
            "applied)\n");
  // Rolled back to the baseline on purpose: there is a record.
  checked.state.signs.clear();
  checked.state.has_records = true;
  checked.state.unrecorded = {{{"file:/etc/nettune/nccl.env"}, "p"}};
  EXPECT_EQ(checked.standing(), Standing::unmanaged);
}

TEST(NodeCheckDriftReport, ASettingThatDriftedSaysWhoSetItAndHowToRestoreIt) {
  Checked checked = lost_map();
  checked.held->plan.items.erase(checked.held->plan.items.begin(),
                                 checked.held->plan.items.end() - 1);
  checked.state.active->settings.resize(28);
  Restoring restoring;
  restoring.set_by[{"link:ens1:mtu"}] = "/etc/x\x1b.network:3";
  EXPECT_EQ(
      cli::text::check(checked, restoring,
                       {"sudo nettune reapply --allow-busy", "sudo nettune diff"}, cli::Style{}),
      "DRIFT  roce, generation 0: 1 of 28 settings\n"
      "  link:ens1:mtu  is 1500, should be 9000  set by /etc/x\\x1b.network:3  roce.toml:7\n"
      "  restore: sudo nettune reapply --allow-busy      look: sudo nettune diff\n");
}

TEST(NodeCheckDriftReport, DebtsThatAreNotKnownAreNoNumber) {
  Checked checked;
  EXPECT_EQ(count(metrics(checked, 0), "\nnettune_debts 0\n"), 1U);
  EXPECT_EQ(
      count(metrics(checked, 0), cat(",catalog=\"", build_info().at("catalog"), "\",rules=\"")),
      1U);
  checked.state.debts_unreadable = "generations/3.aborted: it is empty";
  EXPECT_EQ(count(metrics(checked, 0), "nettune_debts"), 0U);
}

}  // namespace
}  // namespace nettune::node::check
