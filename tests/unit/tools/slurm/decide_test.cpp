// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/decide.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::slurm {
namespace {

const Subject kXid{"gpu-xid", "0000:19:00.0"};

Answer fault(const Subject& what = kXid) {
  return {true, what, what.rule + ": " + what.device + ": it's bad", {}, {}};
}
Answer pass() { return {false, {}, "", {}, {kXid}}; }
Result<Answer> broken() { return fail(Errc::io, "it was killed after 30 s"); }

Node idle() {
  Node node;
  node.name = "n1";
  node.base = "IDLE";
  return node;
}

SlurmSite draining() {
  SlurmSite site;
  site.drain = true;
  return site;
}

Memory seen(int times) { return {kXid, times, std::nullopt}; }

constexpr Others kNone{0, 0, 9};

/// The node as nettune left it after draining, and what it remembers of that.
struct Drained {
  Memory memory;
  Node node;
};
Drained drained() {
  const Decision decision = decide(fault(), seen(2), idle(), kNone, draining());
  Drained all{decision.memory, idle()};
  all.node.flags = {"DRAIN"};
  all.node.reason = decision.reason;
  all.node.reason_by = "root@2026-12-01T06:39:09";
  return all;
}

TEST(SlurmDecide, DrainsAfterSoManyChecksInARow) {
  Memory memory;
  for (const int times : {1, 2}) {
    const Decision early = decide(fault(), memory, idle(), kNone, draining());
    EXPECT_EQ(early.step, Step::none);
    EXPECT_EQ(early.memory.seen, times);
    memory = early.memory;
  }
  const Decision late = decide(fault(), memory, idle(), kNone, draining());
  EXPECT_EQ(late.step, Step::drain);
  EXPECT_EQ(late.reason, "nettune: gpu-xid: 0000:19:00.0: it_s bad");
  ASSERT_TRUE(late.memory.drain);
  EXPECT_EQ(late.memory.drain->fault, kXid);
  EXPECT_EQ(late.memory.drain->reason, late.reason);
}

TEST(SlurmDecide, AsksForTheOtherNodesOnlyWhenItMayDrain) {
  EXPECT_EQ(decide(fault(), seen(2), idle(), std::nullopt, draining()).step, Step::count);
  EXPECT_EQ(decide(fault(), seen(1), idle(), std::nullopt, draining()).step, Step::none);
}

TEST(SlurmDecide, IsOffUnlessTheSiteSwitchesItOn) {
  const Decision decision = decide(fault(), seen(9), idle(), kNone, SlurmSite());
  EXPECT_EQ(decision.step, Step::none);
  EXPECT_NE(decision.why.find("drain = true is not in [slurm]"), std::string::npos) << decision.why;
  EXPECT_EQ(decision.comment, "nettune: gpu-xid: 0000:19:00.0: it_s bad; not drained");
}

TEST(SlurmDecide, AnotherFaultBeginsANewRow) {
  const Decision decision =
      decide(fault({"gpu-xid", "0000:1a:00.0"}), seen(9), idle(), kNone, draining());
  EXPECT_EQ(decision.step, Step::none);
  EXPECT_EQ(decision.memory.seen, 1);
}

TEST(SlurmDecide, WhatIsNotAFaultEndsTheRow) {
  Answer undecided = pass();
  undecided.notes = {"gpu-nvlink: a second look failed"};
  for (const Result<Answer>& answer :
       {Result<Answer>(pass()), Result<Answer>(undecided), broken()}) {
    const Decision decision = decide(answer, seen(9), idle(), kNone, draining());
    EXPECT_EQ(decision.step, Step::none);
    EXPECT_EQ(decision.memory.seen, 0);
  }
}

TEST(SlurmDecide, AnErrorOfNettuneDrainsAndUndrainsNothing) {
  const Decision decision = decide(broken(), seen(9), idle(), kNone, draining());
  EXPECT_EQ(decision.step, Step::none);
  EXPECT_EQ(decision.why, "could not be checked: it was killed after 30 s");
  const Drained own = drained();
  EXPECT_EQ(decide(broken(), own.memory, own.node, kNone, draining()).step, Step::none);
}

TEST(SlurmDecide, StopsAtTheLimitOfNodes) {
  const auto step = [](const Others& others, int nodes, std::optional<int> percent) {
    SlurmSite site = draining();
    site.most_nodes = nodes;
    site.most_percent = percent;
    return decide(fault(), seen(2), idle(), others, site).step;
  };
  EXPECT_EQ(step({1, 0, 99}, 2, std::nullopt), Step::drain);
  EXPECT_EQ(step({2, 0, 99}, 2, std::nullopt), Step::none);
  EXPECT_EQ(step({0, 0, 99}, 0, std::nullopt), Step::none);
  EXPECT_EQ(step({1, 1, 99}, 2, std::nullopt), Step::none) << "about to drain counts";
  EXPECT_EQ(step({3, 0, 99}, 50, 5), Step::drain);
  EXPECT_EQ(step({5, 0, 99}, 50, 5), Step::none);
  EXPECT_EQ(step({0, 0, 9}, 50, 9), Step::none) << "9 % of 10 nodes are none";
}

TEST(SlurmDecide, CountsOnlyItsOwnDrains) {
  const auto node = [](std::string name, std::set<std::string> flags, std::string reason,
                       std::string extra) {
    Node one = idle();
    one.name = std::move(name);
    one.flags = std::move(flags);
    one.reason = std::move(reason);
    one.extra = std::move(extra);
    return one;
  };
  const Others others = count_others(
      {node("n1", {"DRAIN"}, "nettune: x", ""), node("n2", {"DRAIN"}, "nettune: x", ""),
       node("n3", {"DRAIN"}, "Kill task failed", ""), node("n4", {}, "nettune: x", ""),
       node("n5", {}, "", "nettune: about to drain"), node("n6", {}, "", "site")},
      "n1");
  EXPECT_EQ(others.drained, 1);
  EXPECT_EQ(others.claims, 1);
  EXPECT_EQ(others.nodes, 5);
}

TEST(SlurmDecide, LeavesANodeThatSomebodyElseHandles) {
  const auto why = [](const Node& node) {
    const Decision decision = decide(fault(), seen(2), node, kNone, draining());
    EXPECT_EQ(decision.step, Step::none);
    return decision.why;
  };
  Node node = idle();
  node.flags = {"DRAIN"};
  node.reason = "Kill task failed";
  EXPECT_NE(why(node).find("drained already: Kill task failed"), std::string::npos);
  node = idle();
  node.base = "DOWN";
  EXPECT_NE(why(node).find("its state is DOWN"), std::string::npos);
  for (const char* const flag :
       {"MAINTENANCE", "REBOOT_REQUESTED", "POWERED_DOWN", "FAIL", "NEW"}) {
    node = idle();
    node.flags = {flag};
    EXPECT_NE(why(node).find(flag), std::string::npos);
  }
  node = idle();
  node.extra = "site";
  EXPECT_NE(why(node).find("Extra"), std::string::npos);
  node = idle();
  node.base = "ALLOCATED";
  node.flags = {"CLOUD", "COMPLETING", "RESERVED"};
  EXPECT_EQ(decide(fault(), seen(2), node, kNone, draining()).step, Step::drain);
}

TEST(SlurmDecide, UndrainsWhatItDrainedAfterAPass) {
  const Drained own = drained();
  EXPECT_EQ(decide(pass(), own.memory, own.node, kNone, draining()).step, Step::undrain);
  Node busy = own.node;
  busy.base = "MIXED";
  busy.flags.insert("COMPLETING");
  EXPECT_EQ(decide(pass(), own.memory, busy, kNone, draining()).step, Step::undrain);
}

TEST(SlurmDecide, APassIsThatTheRuleIsSeenGood) {
  const Drained own = drained();
  Answer unknown = pass();
  unknown.good = {{"gpu-xid", "0000:1a:00.0"}};
  const Decision decision = decide(unknown, own.memory, own.node, kNone, draining());
  EXPECT_EQ(decision.step, Step::none);
  EXPECT_EQ(decision.why, "stays drained: gpu-xid of 0000:19:00.0 is not seen good");
  Answer noted = pass();
  noted.notes = {"gpu-nvlink: it may pass"};
  EXPECT_EQ(decide(noted, own.memory, own.node, kNone, draining()).step, Step::none);
}

TEST(SlurmDecide, StaysDrainedWhileTheFaultIsThere) {
  const Drained own = drained();
  const Decision decision = decide(fault(), own.memory, own.node, kNone, draining());
  EXPECT_EQ(decision.step, Step::none);
  EXPECT_EQ(decision.memory.drain->by, "root@2026-12-01T06:39:09");
}

TEST(SlurmDecide, LeavesADrainThatSomebodyTouched) {
  Drained own = drained();
  own.memory.drain->by = own.node.reason_by;
  const auto changed = [&](auto&& change) {
    Node node = own.node;
    change(node);
    return decide(pass(), own.memory, node, kNone, draining());
  };
  const Decision reason = changed([](Node& node) { node.reason = "Kill task failed"; });
  EXPECT_EQ(reason.step, Step::none);
  EXPECT_FALSE(reason.memory.drain) << "it is the other's from now on";
  const Decision by = changed([](Node& node) { node.reason_by = "root@2026-12-01T07:00:00"; });
  EXPECT_EQ(by.step, Step::none);
  EXPECT_FALSE(by.memory.drain);
  for (const char* const flag : {"MAINTENANCE", "REBOOT_ISSUED", "FAIL"}) {
    const Decision state = changed([&](Node& node) { node.flags.insert(flag); });
    EXPECT_EQ(state.step, Step::none) << flag;
    EXPECT_TRUE(state.memory.drain) << "it may become as it was: " << flag;
  }
  EXPECT_EQ(changed([](Node& node) { node.base = "DOWN"; }).step, Step::none);
  const Decision gone = changed([](Node& node) {
    node.flags.clear();
    node.reason.clear();
  });
  EXPECT_EQ(gone.step, Step::none);
  EXPECT_FALSE(gone.memory.drain);
}

TEST(SlurmDecide, AReasonWithoutADrainIsOfAnEarlierOne) {
  Node node = idle();
  node.reason = "Kill task failed";
  EXPECT_EQ(decide(fault(), seen(2), node, kNone, draining()).step, Step::drain);
  node = drained().node;
  node.flags.clear();
  EXPECT_EQ(decide(fault(), seen(2), node, kNone, draining()).step, Step::drain);
}

TEST(SlurmDecide, ANewRowBeginsAfterAnUndrain) {
  const Drained own = drained();
  const Decision undrain = decide(pass(), own.memory, own.node, kNone, draining());
  ASSERT_EQ(undrain.step, Step::undrain);
  EXPECT_EQ(decide(fault(), undrain.memory, idle(), kNone, draining()).step, Step::none);
}

TEST(SlurmDecide, SwitchedOffItUndrainsNothing) {
  const Drained own = drained();
  EXPECT_EQ(decide(pass(), own.memory, own.node, kNone, SlurmSite()).step, Step::none);
}

TEST(SlurmDecide, ACommentOfSomebodyElseStays) {
  Node node = idle();
  node.comment = "rack 7";
  EXPECT_FALSE(decide(fault(), {}, node, kNone, draining()).comment);
  EXPECT_FALSE(decide(pass(), {}, node, kNone, draining()).comment);
  node.comment = "nettune: gpu-xid: old";
  EXPECT_EQ(decide(pass(), {}, node, kNone, draining()).comment, "");
  EXPECT_FALSE(decide(broken(), {}, node, kNone, draining()).comment) << "nothing is known";
  SlurmSite silent = draining();
  silent.comment = false;
  EXPECT_FALSE(decide(fault(), {}, idle(), kNone, silent).comment);
}

}  // namespace
}  // namespace nettune::tools::slurm
