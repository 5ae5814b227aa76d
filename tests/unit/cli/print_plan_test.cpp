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

TEST(CliPrintPlan, SignsSayWhatAWriteDoesAndTheLastLineCountsThem) {
  const node::Planned planned =
      shown_plan({change_of("sysctl:a", "1", "2"), change_of("module:b", {}, "loaded"),
                  change_of("nccl.conf:C", "3", {}), change_of("sysctl:d", "1", "4")});
  const std::string text = text::plan(planned, {}, {"node"}, {});
  EXPECT_TRUE(says(text, "\n  ~ sysctl:a ")) << text;
  EXPECT_TRUE(says(text, "\n  + module:b ")) << text;
  EXPECT_TRUE(says(text, "\n  - nccl.conf:C ")) << text;
  EXPECT_TRUE(text.ends_with("\n1 to add, 2 to change, 1 to remove\n")) << text;
  EXPECT_TRUE(text::plan(shown_plan({}), {}, {}, {}).ends_with("\nnothing to change\n"));
}

TEST(CliPrintPlan, WhatIsSaidBeforeTheCountStandsThere) {
  text::PlanView view;
  view.closing = "Apply it with: x\n";
  const std::string text = text::plan(shown_plan({change_of("sysctl:a", "1", "2")}), {}, view, {});
  EXPECT_TRUE(text.ends_with("Apply it with: x\n1 to change\n")) << text;
}

TEST(CliPrintPlan, EqualChangesOfManyDevicesAreOneRow) {
  std::vector<PlanItem> items;
  for (const std::string name : {"nt0", "nt1", "nt2"}) {
    items.push_back(change_of(cat("link:", name, ":mtu"), "1500", "9000"));
    items.push_back(change_of(cat("ethtool:", name, ":pause-rx"), "on", "off"));
  }
  items.push_back(change_of("link:nt3:mtu", "4000", "9000"));
  const std::string text = text::plan(shown_plan(items), {}, {}, {});
  EXPECT_TRUE(says(text, "~ link:{nt0,nt1,nt2}:mtu          1500  9000")) << text;
  EXPECT_TRUE(says(text, "~ ethtool:{nt0,nt1,nt2}:pause-rx  on    off")) << text;
  EXPECT_TRUE(says(text, "~ link:nt3:mtu ")) << text;
  EXPECT_TRUE(says(text, "\n7 to change\n")) << text;
}

TEST(CliPrintPlan, NamesThatAreTooLongForARowStandBelowIt) {
  std::vector<PlanItem> items;
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    names.push_back(cat("enp", i, "s0f0np0"));
    items.push_back(change_of(cat("link:", names.back(), ":mtu"), "1500", "9000"));
  }
  const std::string text = text::plan(shown_plan(items), {}, {}, {});
  EXPECT_TRUE(says(text, "~ link:(8 devices):mtu ")) << text;
  EXPECT_TRUE(says(text, cat("devices: ", join(names, " "), "\n"))) << text;
}

TEST(CliPrintPlan, WhatIsSaidOfEachDeviceAlikeIsSaidOnce) {
  std::vector<PlanItem> items;
  for (const std::string name : {"m0", "m01"}) {
    items.push_back(change_of(cat("rdma:", name, "/1:cma-roce-tos"), {}, "106"));
    items.back().now.why = cat("after rdma:", name, ":cma");
  }
  const std::string text = text::plan(shown_plan(items), {}, {}, {});
  EXPECT_TRUE(says(text, "+ rdma:{m0,m01}/1:cma-roce-tos ")) << text;
  EXPECT_TRUE(says(text, "after rdma:(the same):cma\n")) << text;
}

TEST(CliPrintPlan, AFileIsShownByWhatItWillHold) {
  const std::string before = "one\ntwo\n";
  const std::string after = "one\nthree\n";
  node::Planned planned =
      shown_plan({change_of("file:/etc/new", {}, digest_value(after)),
                  change_of("file:/etc/old", digest_value(before), digest_value(after))});
  planned.plan.items[1].now.content = before;
  planned.resolved.desired.contents[sha256_hex(after)] = after;
  const std::string text = text::plan(planned, {}, {}, {});
  EXPECT_TRUE(says(text, "2 lines, 0644")) << text;
  EXPECT_FALSE(says(text, sha256_hex(after).substr(0, 8))) << text;
  EXPECT_TRUE(says(text, "  file:/etc/new\n    +one\n    +three\n")) << text;
  EXPECT_TRUE(says(text, "  file:/etc/old\n    @@ -1,2 +1,2 @@\n     one\n    -two\n    +three\n"))
      << text;
}

TEST(CliPrintPlan, ALongFileIsCutAndVerboseIsNot) {
  std::string content;
  for (int i = 1; i <= 40; ++i) content += cat("line ", i, "\n");
  node::Planned planned = shown_plan({change_of("file:/etc/new", {}, digest_value(content))});
  text::PlanView view;
  view.blob = [&](const std::string& digest) -> std::optional<std::string> {
    return digest == sha256_hex(content) ? std::optional(content) : std::nullopt;
  };
  const std::string in_short = text::plan(planned, {}, view, {});
  EXPECT_TRUE(says(in_short, "+line 12\n    [28 lines more, shown by -v]\n")) << in_short;
  view.all = true;
  EXPECT_TRUE(says(text::plan(planned, {}, view, {}), "+line 40\n"));
}

TEST(CliPrintPlan, SideEffectsAreCountedAndListedByVerbose) {
  node::Planned planned =
      shown_plan({change_of("sysctl:a", "1", "2"), change_of("sysctl:b", "1", "2")});
  planned.plan.items[0].effects.touches = {{{"sysctl:c"}, {}, "0", "because"},
                                           {{"sysctl:d"}, {}, {}, {}}};
  planned.plan.items[1].effects.touches = {{{"sysctl:d"}, {}, {}, {}}};
  text::PlanView view;
  const std::string in_short = text::plan(planned, {}, view, {});
  EXPECT_TRUE(says(in_short, "The kernel changes 2 more settings along with these; -v lists them."))
      << in_short;
  EXPECT_FALSE(says(in_short, "sysctl:c")) << in_short;
  view.all = true;
  const std::string all = text::plan(planned, {}, view, {});
  EXPECT_TRUE(says(all, "also changes sysctl:c to 0: because")) << all;
  EXPECT_FALSE(says(all, "-v lists")) << all;
}

TEST(CliPrintPlan, AWriteThatFollowsAnotherHasARowInVerboseAlone) {
  node::Planned planned =
      shown_plan({change_of("sysctl:a", "1", "2"), change_of("sysctl:b", "1", "2")});
  for (PlanItem& item : planned.plan.items) item.role = PlanItem::Role::give_back;
  planned.plan.owned[Address{"sysctl:b"}].cause = Address{"sysctl:a"};
  text::PlanView view;
  const std::string in_short = text::plan(planned, {}, view, {});
  EXPECT_TRUE(says(in_short, "p: 1 change, ")) << in_short;
  EXPECT_FALSE(says(in_short, "sysctl:b")) << in_short;
  EXPECT_TRUE(says(in_short, "The kernel changes 1 more setting along with these; -v lists it."))
      << in_short;
  EXPECT_TRUE(in_short.ends_with("\n1 to change\n")) << in_short;
  view.all = true;
  EXPECT_TRUE(says(text::plan(planned, {}, view, {}), "\n  ~ sysctl:b "));
}

TEST(CliPrintPlan, ARollbackSaysNothingOfItsOwnUndo) {
  node::Planned planned = shown_plan({change_of("sysctl:a", "1", "2")});
  planned.plan.items[0].effects.undo = Undo::residue;
  planned.plan.items[0].effects.residue = "a map";
  EXPECT_TRUE(says(text::plan(planned, {}, {}, {}), "UNDO"));
  text::PlanView view;
  view.undoes = true;
  const std::string text = text::plan(planned, {}, view, {});
  EXPECT_FALSE(says(text, "UNDO")) << text;
  EXPECT_FALSE(says(text, "rollback")) << text;
  EXPECT_FALSE(says(text, "undo leaves behind")) << text;
}

}  // namespace
}  // namespace nettune::cli
