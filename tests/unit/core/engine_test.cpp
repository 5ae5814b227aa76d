// SPDX-License-Identifier: Apache-2.0
// The engine over a kernel in memory: what is written, what is refused, and that every failure is
// undone.
#include <cerrno>
#include <gtest/gtest.h>

#include "unit/support/crash_world.hpp"

namespace nettune::core {
namespace {

using namespace test;

std::string error_text(const Report& report) { return report.error ? report.error->text : ""; }

Desired just(std::vector<Setting> settings, std::string profile = "just") {
  Desired desired;
  desired.profile = std::move(profile);
  desired.settings = std::move(settings);
  sort_settings(desired);
  return desired;
}

int writes(const Session& session) {
  int count = 0;
  for (const FakeProvider* const fake : session.fakes) count += fake->writes;
  return count;
}

TEST(CoreEngine, AppliesAndGoesBackExactly) {
  World world = fresh_world();
  const std::string before = visible(world, true);
  Session session(world);
  const Report applied = session.apply(first_profile());
  ASSERT_EQ(applied.outcome, Outcome::committed) << error_text(applied);
  EXPECT_EQ(applied.generation, 1U);
  EXPECT_EQ(world.kernel.values["live:a"], "100");
  EXPECT_EQ(world.kernel.values["live:b"], "50");
  EXPECT_EQ(world.kernel.values["live:late"], "6");
  EXPECT_NE(visible(world, true), before);
  const Report back = session.rollback(0);
  ASSERT_EQ(back.outcome, Outcome::committed) << error_text(back);
  EXPECT_EQ(visible(world, true), before);
  EXPECT_TRUE(back.left.empty());
}

TEST(CoreEngine, AWitnessThatMayNotGoBackNowGoesBackLater) {
  World world = fresh_world();
  const std::string before = visible(world, true);
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  world.kernel.barred = {"live:a.shadow"};
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "moved");
  world.kernel.barred.clear();
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), before);
}

TEST(CoreEngine, TheSecondApplyChangesNothingAtAll) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  const int writes_before = writes(session);
  int operations = 0;
  world.disk->before_operation = [&](const std::string&) { return ++operations, 0; };
  EXPECT_EQ(session.apply(first_profile()).outcome, Outcome::unchanged);
  EXPECT_EQ(writes(session), writes_before);
  EXPECT_EQ(operations, 0);
  EXPECT_EQ(session.rollback(1).outcome, Outcome::unchanged);
  EXPECT_EQ(operations, 0);
}

TEST(CoreEngine, OneValueChangedByHandIsOneWrite) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  world.kernel.values["live:b"] = "3";
  const int writes_before = writes(session);
  const Report report = session.apply(first_profile());
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_EQ(writes(session), writes_before + 1);
  ASSERT_EQ(report.written.size(), 1U);
  EXPECT_EQ(report.written[0].address.text, "live:b");
  // The baseline is what was there before nettune first came, not what drifted in between.
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "2");
}

TEST(CoreEngine, EveryFailingWriteIsUndone) {
  for (int nth = 0;; ++nth) {
    World world = fresh_world();
    const std::string before = visible(world, true);
    Session session(world);
    int count = 0;
    std::string failed_at;
    for (FakeProvider* const fake : session.fakes)
      fake->before_write = [&](const Address& address) {
        if (count++ != nth) return std::string();
        failed_at = address.text;
        return std::string("Input/output error");
      };
    const Report report = session.apply(first_profile());
    if (failed_at.empty()) {
      EXPECT_EQ(report.outcome, Outcome::committed);
      EXPECT_GT(nth, 7);
      return;
    }
    EXPECT_EQ(report.outcome, Outcome::rolled_back) << failed_at << ": " << error_text(report);
    EXPECT_NE(error_text(report).find(failed_at), std::string::npos) << error_text(report);
    EXPECT_EQ(visible(world, true), before) << failed_at;
    const auto journal = session.state.journal();
    EXPECT_EQ(journal->kind, JournalStatus::Kind::none);
  }
}

TEST(CoreEngine, WhatAnUndoMovesAgainIsPutBack) {
  World world = fresh_world();
  // Writing a moves b, forwards and on the way back, behind b.
  world.kernel.moves["live:a"] = {{"live:b", "9"}};
  const std::string before = visible(world, true);
  Session session(world);
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [](const Address& address) {
      return std::string(address.text == "live:z" ? "Input/output error" : "");
    };
  const Report report = session.apply(
      just({setting("live:a", "100"), setting("live:b", "50"), setting("live:z", "1")}));
  EXPECT_EQ(report.outcome, Outcome::rolled_back) << error_text(report);
  EXPECT_EQ(visible(world, true), before);
  EXPECT_EQ(report.restored.size(), 2U) << "each is told once";
}

TEST(CoreEngine, WhatProtectsIsWrittenFirstAndGoesBackBehindAllSideEffects) {
  World world = fresh_world();
  world.kernel.protects = {{"live:b", "50"}};
  world.kernel.values["live:c"] = "3";
  world.kernel.moves["live:a"] = {{"live:c", "9"}};
  const std::string before = visible(world, true);
  Session session(world);
  std::string order;
  std::string refuse = "live:z";
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [&](const Address& address) {
      order += cat(address.text, " ");
      return std::string(address.text == refuse ? "Input/output error" : "");
    };
  const Desired desired =
      just({setting("live:a", "100"), setting("live:b", "50"), setting("live:z", "1")});
  EXPECT_EQ(session.apply(desired).outcome, Outcome::rolled_back);
  EXPECT_EQ(order, "live:b live:a live:z live:a live:c live:b ") << "undone at once";
  EXPECT_EQ(visible(world, true), before);
  refuse.clear();
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  order.clear();
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_TRUE(order.ends_with("live:b ")) << order;
  EXPECT_EQ(visible(world, true), before);
}

TEST(CoreEngine, WhatWasMovedBeforeItsOwnWriteIsPutBackToo) {
  World world = fresh_world();
  world.kernel.moves["live:a"] = {{"live:b", "9"}};
  const std::string before = visible(world, true);
  Session session(world);
  ApplyOptions options;
  int asked = 0;
  options.cancelled = [&] { return asked++ == 1; };
  std::string moved;
  for (FakeProvider* const fake : session.fakes)
    fake->on_write = [&](std::span<const Write> unit) { moved += unit[0].address.text + " "; };
  const Report report =
      session.apply(just({setting("live:a", "100"), setting("live:b", "50")}), options);
  EXPECT_EQ(report.outcome, Outcome::rolled_back) << error_text(report);
  EXPECT_EQ(moved, "live:a live:b live:a live:b ") << "a alone was written before the way back";
  EXPECT_EQ(visible(world, true), before);
}

TEST(CoreEngine, WitnessesOfOneUnitGoBackTogether) {
  World world = fresh_world();
  world.kernel.moves["live:a"] = {{"live:list.x", "8"}, {"live:list.y", "9"}};
  world.kernel.values["live:list.y"] = "2";
  const std::string before = visible(world, true);
  Session session(world);
  int written = 0;
  bool undoing = false;
  for (FakeProvider* const fake : session.fakes) {
    fake->before_write = [&](const Address& address) {
      if (address.text == "live:z") undoing = true;
      return std::string(address.text == "live:z" ? "Input/output error" : "");
    };
    fake->on_write = [&](std::span<const Write> unit) {
      if (undoing && unit[0].address.text.starts_with("live:list"))
        written += unit.size() == 2 ? 1 : 100;
    };
  }
  const Report report = session.apply(just({setting("live:a", "100"), setting("live:z", "1")}));
  EXPECT_EQ(report.outcome, Outcome::rolled_back) << error_text(report);
  EXPECT_EQ(visible(world, true), before);
  EXPECT_EQ(written, 1) << "one write, of both";
}

TEST(CoreEngine, EveryLyingWriteIsUndone) {
  for (const std::string name : {"live:a", "live:b", "live:list.x", "live:list.y", "live:late",
                                 "fw:f", "fw:late", "mod:m"}) {
    World world = fresh_world();
    const std::string before = visible(world, true);
    Session session(world);
    bool lied = false;
    for (FakeProvider* const fake : session.fakes)
      fake->bend = [&](const Address& address, Value value) {
        // It lies once; the way back is honest.
        if (address.text != name || lied) return value;
        lied = true;
        return name == "mod:m" ? Value() : Value(*value + "9");
      };
    const Report report = session.apply(first_profile());
    EXPECT_EQ(report.outcome, Outcome::rolled_back) << name;
    EXPECT_NE(error_text(report).find(name), std::string::npos) << error_text(report);
    EXPECT_EQ(visible(world, true), before) << name;
  }
}

TEST(CoreEngine, EveryFailingDiskOperationEndsOldOrNew) {
  std::string committed_state;
  {
    World world = fresh_world();
    Session session(world);
    ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
    committed_state = visible(world, true);
  }
  for (const int error : {ENOSPC, EIO, EACCES}) {
    for (int nth = 0;; ++nth) {
      World world = fresh_world();
      const std::string before = visible(world, true);
      Session session(world);
      int count = 0;
      std::string failed_at;
      world.disk->before_operation = [&](const std::string& site) {
        if (count++ != nth) return 0;
        failed_at = site;
        return error;
      };
      Report report = session.apply(first_profile());
      world.disk->before_operation = [](const std::string&) { return 0; };
      if (failed_at.empty()) break;
      if (report.outcome == Outcome::incomplete) report = session.engine->recover({});
      EXPECT_NE(report.outcome, Outcome::incomplete) << failed_at << ": " << error_text(report);
      const std::string now = visible(world, true);
      EXPECT_TRUE(now == before || now == committed_state) << failed_at << "\n" << now;
      const auto active = session.state.active();
      EXPECT_EQ(active && *active ? committed_state : before, now) << failed_at;
      EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::none) << failed_at;
    }
  }
}

TEST(CoreEngine, AFullDiskStopsBeforeTheFirstWriteOrNotAtAll) {
  for (std::uint64_t room = 0; room < 60'000; room += 97) {
    World world = fresh_world();
    const std::string before = visible(world, true);
    world.disk->free_bytes = room;
    Session session(world);
    const Report report = session.apply(first_profile());
    if (report.outcome == Outcome::committed) {
      EXPECT_GT(room, 10'000U);
      continue;
    }
    ASSERT_TRUE(report.outcome == Outcome::failed || report.outcome == Outcome::rolled_back)
        << room << ": " << error_text(report);
    EXPECT_EQ(visible(world, true), before) << room;
    EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::none) << room;
    if (report.outcome == Outcome::failed) {
      EXPECT_EQ(writes(session), 0);
    }
  }
}

TEST(CoreEngine, WhatSomebodyElseChangedIsLeftAndListed) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  world.kernel.values["live:b"] = "77";
  World forced = world.clone();
  const auto target = session.engine->target(0);
  const auto active = session.state.active();
  const auto plan = make_plan({*target, (*active)->owned, {}, {}, false, false}, session.providers);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->count(Verdict::left), 2U);  // live:b, and the module that is never unloaded
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "77");
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  Session with_force(forced);
  ASSERT_EQ(with_force.rollback(0, {.force = true}).outcome, Outcome::committed);
  EXPECT_EQ(forced.kernel.values["live:b"], "2");
}

TEST(CoreEngine, SwitchingGivesBackWhatTheNewProfileDoesNotMention) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  ASSERT_EQ(session.apply(second_profile()).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "1");
  EXPECT_EQ(world.kernel.values["live:b"], "60");
  EXPECT_EQ(world.kernel.values["fw:f"], "30");
  EXPECT_EQ(world.disk->tree("/etc/d"), "");
  ASSERT_EQ(session.rollback(1).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a"], "100");
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreEngine, AnOptionalSettingThatFailsIsLeftOutAndTheRestStands) {
  World world = fresh_world();
  Session session(world);
  Desired desired = just({setting("live:a", "5"), setting("live:b", "6")});
  desired.settings[1].optional = true;
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [](const Address& address) {
      return std::string(address.text == "live:b" ? "no" : "");
    };
  const Report report = session.apply(desired);
  EXPECT_EQ(report.outcome, Outcome::committed) << error_text(report);
  EXPECT_EQ(world.kernel.values["live:a"], "5");
  EXPECT_EQ(world.kernel.values["live:b"], "2");
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("live:b"), std::string::npos);
  EXPECT_FALSE((*session.state.active())->owned.contains(Address{"live:b"}));
}

TEST(CoreEngine, WhatTheKernelRefusedIsNotTriedAgain) {
  World world = fresh_world();
  Session session(world);
  Desired desired = just({setting("live:a", "5"), setting("live:b", "6")});
  desired.settings[1].optional = true;
  world.kernel.refusing.insert("live:b");
  int tries = 0;
  for (FakeProvider* const fake : session.fakes)
    fake->on_write = [&tries](std::span<const Write> unit) {
      for (const Write& write : unit) tries += write.address.text == "live:b" ? 1 : 0;
    };
  const auto refused = [&] { return (*session.state.active())->refused; };
  const Address b{"live:b"};

  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  EXPECT_EQ(tries, 1);
  ASSERT_TRUE(refused().contains(b));
  EXPECT_EQ(refused().at(b).want, "6");
  EXPECT_NE(refused().at(b).why.find("the driver refuses"), std::string::npos);
  EXPECT_EQ(session.apply(desired).outcome, Outcome::unchanged);
  EXPECT_EQ(session.rollback(1).outcome, Outcome::unchanged);
  EXPECT_EQ(tries, 1);
  world.kernel.values["live:a"] = "1";
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed) << "another drift";
  EXPECT_EQ(tries, 1);
  EXPECT_TRUE(refused().contains(b)) << "later generations keep it";
  desired.settings[1].want = "7";
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed) << "another value";
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(refused().at(b).want, "7");
  ASSERT_EQ(session.apply(desired, {}, {.force = true}).outcome, Outcome::committed);
  EXPECT_EQ(tries, 3);
  ApplyOptions window;
  window.confirm_deadline_s = world.boottime_s + 60;
  world.kernel.values["live:a"] = "1";
  ASSERT_EQ(session.apply(desired, window).outcome, Outcome::waiting);
  ASSERT_EQ(session.engine->confirm().outcome, Outcome::committed);
  EXPECT_TRUE(refused().contains(b)) << "also one that was confirmed";

  world.kernel.listed.insert("live:b=7");
  EXPECT_EQ(session.apply(desired).outcome, Outcome::committed) << "the kernel lists it now";
  EXPECT_EQ(tries, 4);
  EXPECT_EQ(session.apply(desired).outcome, Outcome::unchanged) << "and refuses it all the same";
  EXPECT_EQ(tries, 4);

  ++world.boot;
  Session later(world);
  world.kernel.refusing.clear();
  EXPECT_EQ(later.apply(desired).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "7");
  EXPECT_TRUE((*later.state.active())->refused.empty());
}

TEST(CoreEngine, WhatMayPassIsNoRefusal) {
  EXPECT_TRUE(is_refusal(Error{Errc::io, "", EINVAL, {}, 0}));
  EXPECT_TRUE(is_refusal(Error{Errc::not_found, "", ENOENT, {}, 0}));
  EXPECT_TRUE(is_refusal(Error{Errc::unsupported, "", EOPNOTSUPP, {}, 0}));
  EXPECT_TRUE(is_refusal(Error{Errc::io, "wrote 1, but the kernel reports 2", 0, {}, 0}));
  for (const int error : {EBUSY, EAGAIN, ENOMEM, ENODEV, EINTR, EIO})
    EXPECT_FALSE(is_refusal(Error{Errc::io, "", error, {}, 0})) << error;
  EXPECT_FALSE(is_refusal(Error{Errc::busy, "", 0, {}, 0}));
}

TEST(CoreEngine, ARenamedDeviceIsNeitherWrittenNorTakenForAnother) {
  World world = fresh_world();
  Session session(world);
  Desired desired = just({setting("live:a", "5"), setting("live:b", "6")});
  for (Setting& one : desired.settings) one.device = "name x";
  ApplyOptions options;
  // After the first write, what was a is c.
  options.locate = [&](const Address& address, const std::string&) {
    const bool moved = address.text == "live:a" && world.kernel.values.contains("live:c");
    return std::optional(moved ? Address{"live:c"} : address);
  };
  for (FakeProvider* const fake : session.fakes)
    fake->on_write = [&](std::span<const Write> unit) {
      if (unit.front().address.text != "live:b") return;
      world.kernel.values["live:c"] = world.kernel.values["live:a"];
      world.kernel.values["live:a"] = "99";
      world.kernel.refusing.insert("live:b");
    };
  const Report report = session.apply(desired, options);
  EXPECT_EQ(report.outcome, Outcome::rolled_back);
  EXPECT_EQ(world.kernel.values["live:c"], "1") << "ours, under its new name";
  EXPECT_EQ(world.kernel.values["live:a"], "99") << "another device";

  World other = fresh_world();
  Session early(other);
  int writes = 0;
  options.locate = [](const Address& address, const std::string&) {
    return std::optional(Address{address.text + ".moved"});
  };
  for (FakeProvider* const fake : early.fakes)
    fake->on_write = [&writes](std::span<const Write>) { ++writes; };
  const Report nothing = early.apply(desired, options);
  EXPECT_EQ(nothing.outcome, Outcome::rolled_back);
  EXPECT_NE(error_text(nothing).find("was renamed between plan and write"), std::string::npos);
  EXPECT_EQ(writes, 0);
}

TEST(CoreEngine, NearestAcceptsWhatTheKernelMadeOfItAndIsQuietAfterwards) {
  World world = fresh_world();
  Session session(world);
  Desired desired = just({setting("live:b", "1000")});
  desired.settings[0].nearest = true;
  for (FakeProvider* const fake : session.fakes)
    fake->bend = [](const Address&, Value value) {
      return value == "1000" ? Value("1024") : value;
    };
  EXPECT_EQ(session.apply(desired).outcome, Outcome::committed);
  EXPECT_EQ(session.apply(desired).outcome, Outcome::unchanged);
  EXPECT_EQ(world.kernel.values["live:b"], "1024");
  EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "2");
}

TEST(CoreEngine, AValueThatMovesBetweenPlanAndWriteStopsTheApply) {
  World world = fresh_world();
  Session session(world);
  const Desired desired = just({setting("live:a", "5"), setting("live:b", "6")});
  const std::map<Address, Owned> nothing;
  const auto plan = make_plan({desired, nothing, {}, {}, false, false}, session.providers);
  ASSERT_TRUE(plan);
  world.kernel.values["live:b"] = "44";
  const Report report = session.engine->apply(*plan, desired, {});
  EXPECT_EQ(report.outcome, Outcome::rolled_back);
  EXPECT_NE(error_text(report).find("44"), std::string::npos) << error_text(report);
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  EXPECT_EQ(world.kernel.values["live:b"], "44");
}

/// A read that fails from the first write of `live:b` on.
void fail_reads_of(World& world, Session& session, const std::string& address) {
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [&world, address](const Address& written) -> std::string {
      if (written.text == "live:b") world.kernel.unreadable[address] = "Input/output error";
      return "";
    };
}

TEST(CoreEngine, AFailedReadIsNotSomebodyElse) {
  // Of what is written later, of what was right, and of what is read back.
  for (const char* const address : {"live:c", "live:a", "live:b"}) {
    World world = fresh_world();
    world.kernel.values["live:c"] = "3";
    Session session(world);
    fail_reads_of(world, session, address);
    const Report report = session.apply(
        just({setting("live:a", "1"), setting("live:b", "5"), setting("live:c", "4")}));
    const std::string text = error_text(report);
    EXPECT_NE(text.find("Input/output error"), std::string::npos) << text;
    EXPECT_EQ(text.find("somebody"), std::string::npos) << text;
    EXPECT_EQ(text.find("changed"), std::string::npos) << text;
    EXPECT_EQ(report.error->code, Errc::io) << text;
  }
}

TEST(CoreEngine, ASideEffectThatCannotBeReadIsNotTakenForAnEmptyValue) {
  World world = fresh_world();
  world.kernel.values["live:side"] = "1";
  world.kernel.moves["live:b"] = {{"live:side", "9"}};
  Session session(world);
  fail_reads_of(world, session, "live:side");
  const Report report = session.apply(just({setting("live:b", "5")}));
  ASSERT_EQ(report.outcome, Outcome::committed) << error_text(report);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("Input/output error"), std::string::npos) << report.notes[0];
  world.kernel.unreadable.clear();
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [](const Address&) { return std::string(); };
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:side"], "1");
}

TEST(CoreEngine, ASettingThatAnotherWriteMovesIsWrittenAfterIt) {
  World world = fresh_world();
  Session session(world);
  // a.shadow is right before, would be moved by a, and must still be right in the end.
  const Desired desired = just({setting("live:a", "5"), setting("live:a.shadow", "1")});
  EXPECT_EQ(session.apply(desired).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a"], "5");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "1");
  EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "1");
}

TEST(CoreEngine, WhatTheWayBackMovesAlongIsPutBackToo) {
  // a.shadow stands at "moved" before nettune comes: applying a leaves it so, giving a back moves
  // it.
  World world = fresh_world();
  world.kernel.values["live:a.shadow"] = "moved";
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a", "5")})).outcome, Outcome::committed);
  world.kernel.moves["live:a"] = {{"live:a.shadow", "1"}};
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "moved");
}

TEST(CoreEngine, WhatTheWayBackMovesIsPutBackThoughAProfileFoundItRight) {
  World world = fresh_world();
  world.kernel.values["live:a.shadow"] = "moved";
  Session session(world);
  const Desired desired = just({setting("live:a", "5"), setting("live:a.shadow", "moved")});
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  EXPECT_EQ(session.apply(desired).outcome, Outcome::unchanged);
  world.kernel.moves["live:a"] = {{"live:a.shadow", "1"}};
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "moved");
}

/// Fails at live:b, behind live:a; from then on writing live:a moves its shadow to `to`.
void fail_behind_a(World& world, Session& session, const std::string& to) {
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [&world, to](const Address& address) {
      if (address.text != "live:b") return std::string();
      world.kernel.moves["live:a"] = {{"live:a.shadow", to}};
      return std::string("no");
    };
}

TEST(CoreEngine, AnUndoPutsBackWhatIsOursAlreadyAndMovesAlong) {
  World world = fresh_world();
  world.kernel.moves["live:a"] = {{"live:a.shadow", "x"}};
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a.shadow", "x")})).outcome, Outcome::committed);
  fail_behind_a(world, session, "1");
  const Report report = session.apply(
      just({setting("live:a", "5"), setting("live:a.shadow", "x"), setting("live:b", "6")}));
  EXPECT_EQ(report.outcome, Outcome::rolled_back) << error_text(report);
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "x");
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreEngine, AnUndoPutsBackWhatWasLeftToSomebodyElse) {
  World world = fresh_world();
  world.kernel.moves["live:a"] = {{"live:a.shadow", "x"}};
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a", "5")})).outcome, Outcome::committed);
  world.kernel.values["live:a.shadow"] = "theirs";
  fail_behind_a(world, session, "x");
  const Report report = session.apply(just({setting("live:b", "6")}));
  EXPECT_EQ(report.outcome, Outcome::rolled_back) << error_text(report);
  EXPECT_EQ(world.kernel.values["live:a"], "5");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "theirs");
}

TEST(CoreEngine, WhatCouldHaveMovedAndDidNotStaysTheirs) {
  World world = fresh_world();
  world.kernel.moves["live:a"] = {{"live:a.shadow", "x"}};
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a", "5")})).outcome, Outcome::committed);
  world.kernel.values["live:a.shadow"] = "theirs";
  world.kernel.moves["live:a"] = {{"live:a.shadow", "theirs"}};
  ASSERT_EQ(session.apply(just({setting("live:a", "7")})).outcome, Outcome::committed);
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a"], "1");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "theirs");
}

TEST(CoreEngine, WhatAProfileFoundRightIsGivenBackThoughSomethingElseStillMovesIt) {
  World world = fresh_world();
  world.kernel.moves["live:a"] = {{"live:a.shadow", "1"}};
  Session session(world);
  const Setting a = setting("live:a", "5");
  ASSERT_EQ(session.apply(just({a, setting("live:a.shadow", "1")})).outcome, Outcome::committed);
  ASSERT_EQ(session.apply(just({a, setting("live:a.shadow", "9")})).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "9");
  ASSERT_EQ(session.apply(just({a})).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "1");
}

TEST(CoreEngine, WhatIsGivenBackWaitsForWhatShowsIt) {
  World world = fresh_world();
  world.kernel.values["live:group"] = "there";
  world.kernel.values["live:group/value"] = "0";
  world.kernel.shown_by["live:group/value"] = "live:group";
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:group/value", "7")})).outcome, Outcome::committed);
  world.kernel.values.erase("live:group");  // somebody takes it away
  const Report report = session.apply(just({setting("live:group", "there")}));
  ASSERT_EQ(report.outcome, Outcome::committed) << error_text(report);
  EXPECT_EQ(world.kernel.values["live:group/value"], "0");
}

TEST(CoreEngine, WhatIsGivenBackStaysWithWhatMovesItNow) {
  // The MTU of IPv6 was set for itself; now that of the interface is, which takes it along.
  World world = fresh_world();
  world.kernel.moves["live:a"] = {{"live:a.shadow", "moved"}};
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a.shadow", "7")})).outcome, Outcome::committed);
  const Desired next = just({setting("live:a", "5")});
  const Report report = session.apply(next);
  ASSERT_EQ(report.outcome, Outcome::committed) << error_text(report);
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "moved");
  EXPECT_EQ(session.apply(next).outcome, Outcome::unchanged);
  world.kernel.moves.clear();
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreEngine, OneOfTwoThatMoveEachOtherStaysWithTheOtherOne) {
  World world = fresh_world();
  world.kernel.values["live:a.shadow"] = "1";
  world.kernel.moves["live:a"] = {{"live:a.shadow", "5"}};
  world.kernel.moves["live:a.shadow"] = {{"live:a", "5"}};
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a", "5"), setting("live:a.shadow", "5")})).outcome,
            Outcome::committed);
  world.kernel.moves["live:a.shadow"] = {{"live:a", "1"}};
  const Desired one = just({setting("live:a", "5")});
  const Report report = session.apply(one);
  ASSERT_EQ(report.outcome, Outcome::committed) << error_text(report);
  EXPECT_EQ(world.kernel.values["live:a"], "5");
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "5");
  EXPECT_EQ(session.apply(one).outcome, Outcome::unchanged);
  world.kernel.moves["live:a"] = {{"live:a.shadow", "1"}};
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreEngine, ADebtThatMovesAlongStaysWithWhatMovedIt) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a.shadow", "7")})).outcome, Outcome::committed);
  world.kernel.values["live:a.shadow"] = "theirs";
  world.kernel.moves["live:a"] = {{"live:a.shadow", "moved"}};
  const Desired next = just({setting("live:a", "5")});
  ASSERT_EQ(session.apply(next).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "moved");
  EXPECT_EQ(session.apply(next).outcome, Outcome::unchanged);
  EXPECT_EQ(world.kernel.values["live:a.shadow"], "moved");
}

TEST(CoreEngine, AnUndoWritesWhatIsOneWithAWitnessInOneStep) {
  for (const bool witness_is_writable : {true, false}) {
    World world = fresh_world();
    world.kernel.moves["live:a"] = {{"live:a.shadow", "0"}};
    Session session(world);
    std::string steps;
    for (FakeProvider* const fake : session.fakes) {
      fake->units = {{"live:a", "both"}, {"live:a.shadow", "both"}};
      fake->before_write = [=](const Address& address) {
        if (address.text == "live:b") return std::string("no");
        const bool refused = address.text == "live:a.shadow" && !witness_is_writable;
        return std::string(refused ? "it is read-only" : "");
      };
      fake->on_write = [&](std::span<const Write> unit) {
        for (const Write& write : unit) steps += write.address.text + " ";
        steps += "; ";
      };
    }
    const Report report = session.apply(just({setting("live:a", "5"), setting("live:b", "6")}));
    EXPECT_EQ(report.outcome, Outcome::rolled_back) << error_text(report);
    EXPECT_EQ(world.kernel.values["live:a"], "1");
    EXPECT_TRUE(steps.starts_with("live:a ; live:b ; live:a live:a.shadow ; ")) << steps;
    EXPECT_EQ(world.kernel.values["live:a.shadow"], witness_is_writable ? "1" : "0");
  }
}

TEST(CoreEngine, AWitnessThatALaterPassBringsBackIsNotSaidToStay) {
  World world = fresh_world();
  world.kernel.values["live:a.s1"] = "1";
  world.kernel.values["live:a.s2"] = "1";
  const std::string before = visible(world, true);
  world.kernel.moves["live:a"] = {{"live:a.s1", "m"}, {"live:a.s2", "m"}};
  world.kernel.moves["live:a.s1"] = {{"live:a.s2", "1"}};
  Session session(world);
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [](const Address& address) {
      return std::string(address.text == "live:b" || address.text == "live:a.s2" ? "no" : "");
    };
  const Report report = session.apply(just({setting("live:a", "5"), setting("live:b", "6")}));
  EXPECT_EQ(report.outcome, Outcome::rolled_back) << error_text(report);
  EXPECT_EQ(visible(world, true), before);
  for (const std::string& note : report.notes) EXPECT_EQ(note.find("stays"), note.npos) << note;
}

TEST(CoreEngine, WhatCanBeReadOnlyInAnotherThingGoesBackBeforeThatGoes) {
  World world = fresh_world();
  world.kernel.values["live:group/value"] = "0";
  world.kernel.shown_by["live:group/value"] = "live:group";
  const std::string before = visible(world, true);
  Session session(world);
  const Desired desired =
      just({setting("live:group", "there"), setting("live:group/value", "106")});
  const Report applied = session.apply(desired);
  ASSERT_EQ(applied.outcome, Outcome::committed) << error_text(applied);
  EXPECT_EQ(world.kernel.values["live:group/value"], "106");
  EXPECT_EQ(session.apply(desired).outcome, Outcome::unchanged);
  const Report back = session.rollback(0);
  ASSERT_EQ(back.outcome, Outcome::committed) << error_text(back);
  EXPECT_EQ(visible(world, true), before);
}

TEST(CoreEngine, AGroupThatSomebodyElseTookAwayHidesAFailure) {
  World world = fresh_world();
  world.kernel.values["live:group/value"] = "0";
  world.kernel.shown_by["live:group/value"] = "live:group";
  Session session(world);
  // Behind the last write, and before everything is looked at once more.
  for (FakeProvider* const fake : session.fakes)
    fake->bend = [&world](const Address& address, Value value) {
      if (address.text == "live:z") world.kernel.values.erase("live:group");
      return value;
    };
  const Report report =
      session.apply(just({setting("live:group", "there"), setting("live:group/value", "106"),
                          setting("live:z", "1")}));
  EXPECT_EQ(report.outcome, Outcome::rolled_back) << "nobody can say what the value is";
}

TEST(CoreEngine, WhatWasLeftCanStillBeForcedLater) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:a", "5"), setting("live:b", "6")})).outcome,
            Outcome::committed);
  world.kernel.values["live:b"] = "77";
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(session.rollback(0).outcome, Outcome::unchanged);
  EXPECT_EQ(world.kernel.values["live:b"], "77");
  ASSERT_EQ(session.rollback(0, {.force = true}).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "2");
}

TEST(CoreEngine, AValueOfAnotherBootIsNoBaseline) {
  World world = fresh_world();
  {
    Session session(world);
    ASSERT_EQ(session.apply(just({setting("live:b", "6")})).outcome, Outcome::committed);
  }
  std::mt19937 random(1);
  reboot(world, ModelDisk::Survive::all, random);
  world.kernel.values["live:b"] = "44";
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:b", "6")})).outcome, Outcome::committed);
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "44");
}

TEST(CoreEngine, WhatARebootEndedHasNotExpired) {
  World world = fresh_world();
  ApplyOptions options;
  options.confirm_deadline_s = world.boottime_s + 60;
  options.temporary = true;
  {
    Session session(world);
    ASSERT_EQ(session.apply(just({setting("live:b", "6")}), options).outcome, Outcome::waiting);
  }
  std::mt19937 random(1);
  reboot(world, ModelDisk::Survive::all, random);
  Session session(world);
  const Report report = session.engine->recover({});
  EXPECT_EQ(report.outcome, Outcome::rolled_back);
  EXPECT_EQ(report.reason, kEndedByReboot);
}

TEST(CoreEngine, TheBaselineOfWhatWasFoundRightIsWhatWasFound) {
  World world = fresh_world();
  world.kernel.values["live:b"] = "60";
  Session session(world);
  const Desired desired =
      just({setting("live:a", "100"), setting("live:b", "50", Relation::at_least)});
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  EXPECT_FALSE((*session.state.active())->owned.contains(Address{"live:b"}));
  // Another one in between changes nothing of it.
  world.kernel.values["live:a"] = "3";
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  world.kernel.values["live:b"] = "7";
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "50");
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "60");
  EXPECT_EQ(world.kernel.values["live:a"], "1");
}

TEST(CoreEngine, WhatWasFoundRightIsForgottenWithTheWish) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(just({setting("live:b", "2")})).outcome, Outcome::committed);
  ASSERT_EQ(session.apply(just({setting("live:a", "5")})).outcome, Outcome::committed);
  EXPECT_TRUE((*session.state.active())->found.empty());
  world.kernel.values["live:b"] = "7";
  ASSERT_EQ(session.apply(just({setting("live:b", "2")})).outcome, Outcome::committed);
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "7") << "theirs, from when nothing was wanted of it";
}

TEST(CoreEngine, WhatWasFoundRightInAnotherBootIsNoBaseline) {
  World world = fresh_world();
  const Desired desired = just({setting("live:b", "2"), setting("fw:f", "10")});
  {
    Session session(world);
    ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  }
  std::mt19937 random(1);
  reboot(world, ModelDisk::Survive::all, random);
  world.kernel.values["live:b"] = "44";
  world.kernel.values["fw:f"] = "44";
  Session session(world);
  ASSERT_EQ(session.apply(desired).outcome, Outcome::committed);
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values["live:b"], "44");
  EXPECT_EQ(world.kernel.values["fw:f"], "10") << "firmware keeps its values over a boot";
}

TEST(CoreEngine, ALostTemporaryIsMadeAgainFromTheBlobs) {
  World world = fresh_world();
  {
    Session session(world);
    world.disk->before_operation = [](const std::string& site) -> int {
      if (site == "rename") throw Crash{};
      return 0;
    };
    EXPECT_THROW(static_cast<void>(session.apply(first_profile())), Crash);
    world.disk->before_operation = [](const std::string&) { return 0; };
  }
  const auto names = world.disk->list("/etc");
  for (const std::string& name : *names) {
    if (!name.starts_with(".")) continue;
    ASSERT_TRUE(world.disk->remove("/etc/" + name));
  }
  Session session(world);
  EXPECT_EQ(session.engine->recover({}).outcome, Outcome::committed);
  EXPECT_EQ(**world.disk->read("/etc/old", 100), "changed content\n");
}

TEST(CoreEngine, AnInterruptUndoesWhatWasDone) {
  for (int after = 0; after < 8; ++after) {
    World world = fresh_world();
    const std::string before = visible(world, true);
    Session session(world);
    ApplyOptions options;
    int asked = 0;
    options.cancelled = [&] { return asked++ == after; };
    EXPECT_EQ(session.apply(first_profile(), options).outcome, Outcome::rolled_back);
    EXPECT_EQ(visible(world, true), before);
  }
}

TEST(CoreEngine, AGuardedDeviceIsRefusedUnlessAllowed) {
  World world = fresh_world();
  Session session(world);
  for (FakeProvider* const fake : session.fakes) fake->cuts = "eth0";
  const Desired desired = just({setting("live:a", "5")});
  const std::map<Address, Owned> nothing;
  const Guard guard{"eth0", "carries the default route"};
  auto plan = make_plan({desired, nothing, {}, {guard}, false, false}, session.providers);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->has_refusals());
  EXPECT_EQ(session.engine->apply(*plan, desired, {}).outcome, Outcome::refused);
  EXPECT_EQ(writes(session), 0);
  EXPECT_EQ(plan->items[0].lockout, plan->items[0].refused);
  plan = make_plan({desired, nothing, {}, {guard}, true, false}, session.providers);
  EXPECT_NE(plan->items[0].lockout.find("eth0 carries the default route"), std::string::npos)
      << "what is allowed is said all the same";
  EXPECT_EQ(session.engine->apply(*plan, desired, {}).outcome, Outcome::committed);
}

TEST(CoreEngine, BadInputIsAnErrorWithItsOrigin) {
  World world = fresh_world();
  Session session(world);
  const Report value = session.apply(just({setting("live:a", "no!")}));
  EXPECT_EQ(value.outcome, Outcome::failed);
  EXPECT_EQ(value.error->file, "test.toml");
  EXPECT_EQ(value.error->line, 1);
  const Report kind = session.apply(just({setting("nonsense:a", "1")}));
  EXPECT_EQ(kind.outcome, Outcome::failed);
  EXPECT_NE(error_text(kind).find("nonsense:a"), std::string::npos);
  EXPECT_EQ(writes(session), 0);
}

TEST(CoreEngine, ATornLastRecordIsDroppedAndDamageInTheMiddleIsNot) {
  // A transaction that died in the middle: INTENT and LATE records stand in the journal.
  World died = fresh_world();
  {
    Session session(died);
    for (FakeProvider* const fake : session.fakes)
      fake->before_write = [](const Address& address) -> std::string {
        if (address.text == "live:list.y") throw Crash{};
        return "";
      };
    EXPECT_THROW(static_cast<void>(session.apply(first_profile())), Crash);
  }
  const std::string path = kState + "/journal";
  const std::string journal = **died.disk->read(path, 1 << 20);
  const std::size_t last = journal.rfind("nettune-record 1 ");
  ASSERT_NE(last, 0U);

  World torn = died.clone();
  torn.disk->put(path, journal.substr(0, journal.size() - 3), 0600);
  // The record that is torn was written before its value: take that back by hand, as the crash
  // would.
  Session torn_session(torn);
  EXPECT_EQ(torn_session.state.journal()->kind, JournalStatus::Kind::open);

  World damaged = died.clone();
  std::string bad = journal;
  bad[last / 2] = static_cast<char>(bad[last / 2] ^ 1);
  damaged.disk->put(path, bad, 0600);
  Session session(damaged);
  EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::corrupt);
  const Report report = session.engine->recover({});
  EXPECT_EQ(report.outcome, Outcome::incomplete);
  EXPECT_EQ(**damaged.disk->read(path, 1 << 20), bad);
  RecoverOptions abandon;
  abandon.abandon = true;
  EXPECT_EQ(session.engine->recover(abandon).outcome, Outcome::abandoned);
  EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::none);
}

}  // namespace
}  // namespace nettune::core
