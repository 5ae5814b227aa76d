// SPDX-License-Identifier: Apache-2.0
// The plan as people read it.
#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {
namespace {

PlanItem change_of(std::string address, Value now, Value after) {
  PlanItem item;
  item.setting.address.text = std::move(address);
  item.setting.want = after;
  item.setting.origin = {"/p/a.toml", 3};
  item.verdict = Verdict::different;
  item.now.presence = now ? Presence::present : Presence::absent;
  item.now.text = now.value_or("");
  item.after = std::move(after);
  return item;
}

node::Planned shown_plan(std::vector<PlanItem> items) {
  node::Planned planned;
  planned.plan.profile = "p";
  for (std::size_t i = 0; i < items.size(); ++i) planned.plan.units.push_back({i});
  planned.plan.items = std::move(items);
  return planned;
}

std::string digest_value(const std::string& content) {
  return cat("sha256:", sha256_hex(content), " mode 0644 owner 0:0");
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string brief(const node::Planned& planned, const text::PlanView& view = {},
                  std::size_t width = 100) {
  Style style;
  style.width = width;
  return text::plan(planned, {}, view, style);
}

std::string in_full(const node::Planned& planned) {
  text::PlanView view;
  view.all = true;
  return text::plan(planned, {}, view, {});
}

/// Two ports of a node that ssh reaches by another one.
facts::Facts facts_of_node() {
  facts::Facts facts;
  facts.net.resize(3);
  facts.net[0].name = "eno1";
  facts.net[0].default_route = true;
  facts.net[0].protected_by = {"carries the default route (IPv4, table main)"};
  facts.net[1].name = "nt0";
  facts.net[1].rdma_devices = {"mlx5_0"};
  facts.net[2].name = "nt1";
  facts.net[2].rdma_devices = {"mlx5_1"};
  facts.ssh = {{"10.0.0.1", 22, "192.0.2.10", "eno1", "eno1"}};
  return facts;
}

TEST(CliPrintPlan, SignsSayWhatAWriteDoes) {
  const std::string text =
      brief(shown_plan({change_of("sysctl:a", "1", "2"), change_of("module:b", {}, "loaded"),
                        change_of("qdisc:c:root", "3", {}), change_of("sysctl:d.e", "1", "4")}));
  EXPECT_TRUE(says(text, "~ a           1 -> 2\n")) << text;
  EXPECT_TRUE(says(text, "+ module b    loaded\n")) << text;
  EXPECT_TRUE(says(text, "- qdisc ")) << text;
  EXPECT_TRUE(says(text, "3 -> absent\n")) << text;
  EXPECT_TRUE(text.starts_with("p: 4 changes on c and the host; 0 already right\n")) << text;
}

TEST(CliPrintPlan, WhatClosesItIsTheLastLine) {
  text::PlanView view;
  view.closing = "Apply it with: x\n";
  EXPECT_TRUE(
      brief(shown_plan({change_of("sysctl:a", "1", "2")}), view).ends_with("Apply it with: x\n"));
}

TEST(CliPrintPlan, EqualChangesOfPortsAreOneRowAndCountOnce) {
  const facts::Facts facts = facts_of_node();
  std::vector<PlanItem> items;
  for (const std::string name : {"0", "1"}) {
    items.push_back(change_of(cat("link:nt", name, ":mtu"), "1500", "9000"));
    items.push_back(change_of(cat("ethtool:nt", name, ":pause-rx"), "on", "off"));
    items.push_back(change_of(cat("ethtool:nt", name, ":pause-tx"), "on", "off"));
    items.push_back(change_of(cat("rdma:mlx5_", name, "/1:cma-roce-tos"), {}, "106"));
  }
  items.push_back(change_of("link:nt2:mtu", "4000", "9000"));
  text::PlanView view;
  view.facts = &facts;
  const std::string text = brief(shown_plan(items), view);
  EXPECT_TRUE(says(text, "5 changes on 3 ports (9 settings); ")) << text;
  EXPECT_TRUE(says(text, "  nt{0,1}   ~ mtu            1500 -> 9000\n")) << text;
  EXPECT_TRUE(says(text, "            ~ pause-{rx,tx}  on -> off\n")) << text;
  EXPECT_TRUE(says(text, "            + cma-roce-tos   106\n")) << text;
  EXPECT_TRUE(says(text, "  nt2       ~ mtu            4000 -> 9000\n")) << text;
  const std::string all = in_full(shown_plan(items));
  EXPECT_TRUE(says(all, "  ~ link:{nt0,nt1}:mtu                   1500    9000    a.toml:3\n"))
      << all;
  EXPECT_TRUE(says(all, "  + rdma:{mlx5_0,mlx5_1}/1:cma-roce-tos ")) << all;
}

TEST(CliPrintPlan, RowsOfAnotherImpactOrUndoOrRemarkStayApart) {
  std::vector<PlanItem> items;
  for (const std::string name : {"nt0", "nt1", "nt2", "nt3"})
    items.push_back(change_of(cat("link:", name, ":mtu"), "1500", "9000"));
  items[1].effects.impact = Impact::link_bounce;
  items[2].effects.undo = Undo::none;
  items[2].effects.residue = "it stays";
  items[3].refused = "a guard";
  node::Planned planned = shown_plan(items);
  const std::string text = brief(planned);
  EXPECT_TRUE(says(text, "  nt0       ~ mtu  1500 -> 9000\n")) << text;
  EXPECT_TRUE(says(text, "  nt1       ~ mtu  1500 -> 9000  link bounce\n")) << text;
  EXPECT_TRUE(says(text, "  nt2       ~ mtu  1500 -> 9000  no undo\n")) << text;
  EXPECT_TRUE(says(text, "  nt3       ~ mtu  1500 -> 9000  refused\n              a guard\n"))
      << text;
}

TEST(CliPrintPlan, WhatWillNotBeAsWantedHasARow) {
  std::vector<PlanItem> items;
  for (const Verdict verdict : {Verdict::unknown, Verdict::missing, Verdict::not_permitted,
                                Verdict::refused, Verdict::left}) {
    items.push_back(change_of(cat("nccl.conf:A", items.size()), "1", "2"));
    items.back().verdict = verdict;
  }
  const std::string text = brief(shown_plan(items));
  for (const char* const row : {"A0  1, wanted 2  unknown\n", "missing\n", "not permitted\n",
                                "refused by the kernel\n", "  left\n"})
    EXPECT_TRUE(says(text, row)) << row << text;
}

TEST(CliPrintPlan, AConflictBringsAVariableBackIntoTheRows) {
  node::Planned planned =
      shown_plan({change_of("nccl.conf:NCCL_A", {}, "1"), change_of("nccl.conf:NCCL_B", "1", "2")});
  planned.plan.items[1].setting.same_on_all_nodes = true;
  std::string text = brief(planned);
  EXPECT_TRUE(
      says(text, "  NEW JOBS   NCCL_A 1, NCCL_B 1 -> 2* (*: equal on every node of a job)\n"))
      << text;
  EXPECT_FALSE(says(text, "\n  host ")) << "the line says all: " << text;
  planned.plan.claims = {{{"nccl.conf:NCCL_A"}, "user", "/f", 1, "2", true, "/f:1 sets it"}};
  text = brief(planned);
  EXPECT_TRUE(says(text, "overrides nettune: /f:1 sets it\n")) << text;
  EXPECT_TRUE(says(text, "+ NCCL_A  1\n")) << text;
}

TEST(CliPrintPlan, LinksAreNamedInTheOrderOfTheWrites) {
  std::vector<PlanItem> items;
  for (const std::string name : {"en10np0", "en2np0"})
    items.push_back(change_of(cat("link:", name, ":mtu"), "1500", "9000"));
  for (const std::string name : {"en10np0", "en2np0"}) {
    items.push_back(change_of(cat("ethtool:", name, ":pause-rx"), "on", "off"));
    items.push_back(change_of(cat("ethtool:", name, ":pause-tx"), "on", "off"));
  }
  for (PlanItem& item : items)
    item.effects.impact =
        item.setting.address.kind() == "link" ? Impact::queue_reopen : Impact::link_bounce;
  node::Planned planned = shown_plan(items);
  planned.plan.units = {{0}, {1}, {2, 3}, {4, 5}};
  EXPECT_TRUE(
      says(brief(planned, {}, 160),
           "  DISTURBS   2 links go down and up, one after the other: en{10,2}np0; mtu (queue "
           "reopen), then pause-{rx,tx} (link bounce)\n"))
      << brief(planned, {}, 160);
  planned.plan.units = {{1}, {0}, {4, 5}, {2, 3}};
  EXPECT_TRUE(says(brief(planned, {}, 160), "en{2,10}np0; mtu")) << brief(planned, {}, 160);
  EXPECT_TRUE(says(brief(shown_plan({change_of("sysctl:a", "1", "2")})),
                   "  DISTURBS   nothing: no traffic is interrupted\n"));
}

TEST(CliPrintPlan, PortsThatNothingNamesAreNamedAboveTheirRows) {
  std::vector<PlanItem> items;
  for (const std::string name : {"enp10s0np0", "enp20s0np0", "enp30s0np0"})
    items.push_back(change_of(cat("link:", name, ":mtu"), "1500", "9000"));
  EXPECT_TRUE(says(brief(shown_plan(items)),
                   "  3 ports: enp{10,20,30}s0np0\n            ~ mtu  1500 -> 9000\n"))
      << brief(shown_plan(items));
  for (PlanItem& item : items) item.effects.impact = Impact::queue_reopen;
  EXPECT_TRUE(says(brief(shown_plan(items)), "  3 ports   ~ mtu  1500 -> 9000  queue reopen\n"))
      << brief(shown_plan(items));
}

TEST(CliPrintPlan, AccessIsSafeOnlyWhereEverythingWasSeen) {
  facts::Facts facts = facts_of_node();
  node::Planned planned = shown_plan({change_of("link:nt0:mtu", "1500", "9000")});
  EXPECT_TRUE(says(brief(planned), "  ACCESS     unknown: a recorded node "));
  text::PlanView view;
  view.facts = &facts;
  EXPECT_TRUE(
      says(brief(planned, view),
           "  ACCESS     safe: no change can cut eno1 (ssh from 192.0.2.10, default route)\n"))
      << brief(planned, view);
  view.seen = text::PlanView::Seen::recorded;
  EXPECT_TRUE(says(brief(planned, view), "ACCESS     unknown: a recorded node "));
  view.seen = text::PlanView::Seen::image;
  EXPECT_TRUE(says(brief(planned, view), "ACCESS     an image: "));
  view.seen = text::PlanView::Seen::here;
  planned.plan.access_gaps = {"the sockets of sshd could not be read"};
  EXPECT_TRUE(
      says(brief(planned, view), "unknown: the sockets of sshd could not be read; no change"));
  planned.plan.access_gaps.clear();
  facts.ssh[0].interface = facts.ssh[0].leaves_by = "";
  EXPECT_TRUE(
      says(brief(planned, view), "unknown: the interface of ssh from 192.0.2.10 is not known"));
  planned.plan.items[0].lockout = "eno1 is above nt0, and this change can cut it off";
  EXPECT_TRUE(says(brief(planned, view), "MAY BE LOST: eno1 is above nt0, and this change can cut"))
      << brief(planned, view);
  planned.plan.items[0].refused = planned.plan.items[0].lockout;
  EXPECT_TRUE(says(brief(planned, view), "refused, it could be lost: eno1 is above nt0"));
  facts::Facts nobody;
  view.facts = &nobody;
  planned.plan.items[0].lockout.clear();
  const std::string text = brief(planned, view);
  EXPECT_TRUE(says(text, "ACCESS     no ssh connection, default route or network mount")) << text;
  EXPECT_FALSE(says(text, "safe")) << text;
}

TEST(CliPrintPlan, WhatIsNotUndoneExactlyIsNamedWithItsRest) {
  std::vector<PlanItem> items = {
      change_of("module:a_b", {}, "loaded"), change_of("module:a_c", {}, "loaded"),
      change_of("link:nt0:mtu", "1500", "9000"), change_of("link:nt1:mtu", "1500", "9000")};
  for (PlanItem& item : items) item.effects.undo = Undo::residue;
  items[0].effects.residue = items[1].effects.residue = "it stays loaded";
  items[2].effects.residue = "what is on nt0";
  items[3].effects.residue = "what is on nt1";
  const std::string text = brief(shown_plan(items), {}, 160);
  EXPECT_TRUE(
      says(text,
           "  UNDO       exact, except: module a_{b,c} (it stays loaded); mtu of 2 ports (what "
           "is on the port)\n"))
      << text;
  items[0].effects.undo = Undo::none;
  EXPECT_TRUE(says(brief(shown_plan(items), {}, 160), "NOT UNDONE: module a_b (it stays loaded)"));
}

TEST(CliPrintPlan, UnitsAreReadableAndExactInVerbose) {
  const node::Planned planned = shown_plan(
      {change_of("sysctl:net.ipv4.tcp_rmem", "4096 87380 6291456", "4096 87380 33554432"),
       change_of("sysctl:net.ipv4.tcp_mem", "4096 8192 16384", "4096 8192 32768")});
  const std::string text = brief(planned);
  EXPECT_TRUE(says(text, "tcp_rmem  4 KiB 87380 6 MiB -> 4 KiB 87380 32 MiB\n")) << text;
  EXPECT_TRUE(says(text, "tcp_mem   4096 8192 16384 -> 4096 8192 32768\n")) << "pages: " << text;
  EXPECT_TRUE(says(in_full(planned), "4096 87380 33554432 (4 KiB 87380 32 MiB)"));
}

TEST(CliPrintPlan, NumberedNamesAreOneRowAndNoValueIsLost) {
  std::vector<PlanItem> items;
  for (const std::string family : {"ipv4", "ipv6"})
    for (const std::string number : {"1", "2"}) {
      items.push_back(change_of(cat("sysctl:net.", family, ".gc_thresh", number), cat("10", number),
                                cat("20", number)));
      items.back().setting.relation = Relation::at_least;
    }
  const std::string text = brief(shown_plan(items));
  EXPECT_TRUE(says(text, "~ net.ipv{4,6}.gc_thresh{1,2}  101, 102 -> >= 201, 202\n")) << text;
}

TEST(CliPrintPlan, AValueThatIsTooWideGetsItsOwnLineAndIsCutInTheMiddle) {
  const std::string value(200, 'x');
  const std::string text =
      brief(shown_plan({change_of("sysctl:a", "1", "0" + value + "9")}), {}, 60);
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 60U) << text;
  EXPECT_TRUE(says(text, "~ a\n                1 -> 0xx")) << text;
  EXPECT_TRUE(says(text, "xx9\n")) << text;
}

TEST(CliPrintPlan, FilesAreCountedAndVerboseShowsThemWhole) {
  const std::string before = "one\ntwo\n";
  std::string after = "one\n";
  for (int i = 1; i <= 40; ++i) after += cat("line ", i, "\n");
  node::Planned planned =
      shown_plan({change_of("file:/etc/new", {}, digest_value(after)),
                  change_of("file:/etc/old", digest_value(before), digest_value(after)),
                  change_of("dir:/etc/d", {}, "present")});
  planned.plan.items[1].now.content = before;
  planned.resolved.desired.contents[sha256_hex(after)] = after;
  const std::string text = brief(planned);
  EXPECT_TRUE(says(text, "  ON BOOT    /etc/new is placed, /etc/old is changed (-v shows them)\n"))
      << text;
  EXPECT_FALSE(says(text, "line 1")) << text;
  const std::string all = in_full(planned);
  EXPECT_TRUE(says(all, "41 lines, 0644")) << all;
  EXPECT_FALSE(says(all, sha256_hex(after).substr(0, 8))) << all;
  EXPECT_TRUE(says(all, "  file:/etc/new\n    +one\n    +line 1\n")) << all;
  EXPECT_TRUE(says(all, "+line 40\n")) << all;
  EXPECT_TRUE(says(all, "  file:/etc/old\n    @@ -1,2 +1,41 @@\n     one\n    -two\n")) << all;
}

TEST(CliPrintPlan, AVariableThatIsOnlyInAFileIsWhatNewJobsGet) {
  const std::string content = "NCCL_A=1\n";
  node::Planned planned = shown_plan({change_of("file:/etc/env", {}, digest_value(content))});
  planned.resolved.desired.contents[sha256_hex(content)] = content;
  planned.resolved.desired.variables = {{"NCCL_A", "1", false, false, {}},
                                        {"NCCL_B", "2", false, false, {}}};
  EXPECT_TRUE(says(brief(planned), "  NEW JOBS   NCCL_A 1\n")) << brief(planned);
}

TEST(CliPrintPlan, SideEffectsAndWhatIsSkippedAreCountedAndListedByVerbose) {
  node::Planned planned =
      shown_plan({change_of("sysctl:a", "1", "2"), change_of("sysctl:b", "1", "2")});
  planned.plan.items[0].effects.touches = {{{"sysctl:c"}, {}, "0", "because"},
                                           {{"sysctl:d"}, {}, {}, {}}};
  planned.plan.items[1].effects.touches = {{{"sysctl:d"}, {}, {}, {}}};
  planned.plan.notes = {"[env] A: nothing; skipped", "read this"};
  planned.resolved.desired.skipped = {planned.plan.notes[0]};
  const std::string in_short = brief(planned);
  EXPECT_TRUE(says(in_short, "Side effects: 2 more kernel settings (-v). Skipped: [env] A (-v).\n"))
      << in_short;
  EXPECT_FALSE(says(in_short, "sysctl:c")) << in_short;
  EXPECT_FALSE(says(in_short, "nothing; skipped")) << in_short;
  EXPECT_TRUE(says(in_short, "note: read this\n")) << in_short;
  const std::string all = in_full(planned);
  EXPECT_TRUE(says(all, "also changes sysctl:c to 0: because")) << all;
  EXPECT_TRUE(says(all, "note: [env] A: nothing; skipped\n")) << all;
  EXPECT_FALSE(says(all, "(-v)")) << all;
}

TEST(CliPrintPlan, AWriteThatFollowsAnotherHasARowInVerboseAlone) {
  node::Planned planned =
      shown_plan({change_of("sysctl:a", "1", "2"), change_of("sysctl:b", "1", "2")});
  for (PlanItem& item : planned.plan.items) item.role = PlanItem::Role::give_back;
  planned.plan.owned[Address{"sysctl:b"}].cause = Address{"sysctl:a"};
  const std::string in_short = brief(planned);
  EXPECT_TRUE(says(in_short, "p: 1 change on the host; ")) << in_short;
  EXPECT_TRUE(says(in_short, "~ a  1 -> 2  restore\n")) << in_short;
  EXPECT_FALSE(says(in_short, "~ b")) << in_short;
  EXPECT_TRUE(says(in_short, "Side effect: 1 more kernel setting (-v).\n")) << in_short;
  EXPECT_TRUE(says(in_full(planned), "\n  ~ sysctl:b "));
}

TEST(CliPrintPlan, ARollbackSaysNothingOfItsOwnUndo) {
  node::Planned planned = shown_plan({change_of("sysctl:a", "1", "2")});
  planned.plan.items[0].role = PlanItem::Role::give_back;
  planned.plan.items[0].effects.undo = Undo::residue;
  planned.plan.items[0].effects.residue = "a map";
  EXPECT_TRUE(says(brief(planned), "UNDO       exact, except: a (a map)"));
  text::PlanView view;
  view.undoes = true;
  for (const bool all : {false, true}) {
    view.all = all;
    const std::string text = brief(planned, view);
    EXPECT_FALSE(says(text, "UNDO")) << text;
    EXPECT_FALSE(says(text, "undo")) << text;
    EXPECT_FALSE(says(text, "a map")) << text;
  }
}

TEST(CliPrintPlan, ValuesThatAreNotRecordedAreNoPlan) {
  node::Planned planned = shown_plan({change_of("sysctl:a", "1", "2")});
  planned.plan.items[0].verdict = Verdict::unknown;
  planned.plan.units.clear();
  text::PlanView view;
  view.values = "n17.json";
  const std::string text = brief(planned, view);
  EXPECT_TRUE(says(text,
                   "cannot plan: n17.json has no values for 1 setting. There, with the profile "
                   "installed: sudo"))
      << text;
  EXPECT_FALSE(says(text, "no traffic is interrupted")) << text;
}

TEST(CliPrintPlan, WhatARollbackKeepsIsOneList) {
  node::Planned planned = shown_plan({change_of("sysctl:a", "5", "2")});
  planned.plan.items[0].leave("somebody changed it");
  planned.plan.items[0].changed_by_others = true;
  Report report;
  report.outcome = Outcome::committed;
  report.left = {{{"sysctl:b"}, {}, {}, "7", {}}};
  EXPECT_TRUE(text::report(report, "rolled back", {}, &planned.plan, true)
                  .ends_with("kept, changed by others since:\n  sysctl:b: 7\n  sysctl:a: 5 "
                             "(somebody changed it)\n"))
      << text::report(report, "rolled back", {}, &planned.plan, true);
  planned.plan.items[0].changed_by_others = false;
  EXPECT_TRUE(says(text::report(report, "rolled back", {}, &planned.plan, true), "\nkept:\n"));
}

}  // namespace
}  // namespace nettune::cli
