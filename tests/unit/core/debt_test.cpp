// SPDX-License-Identifier: Apache-2.0
// What a device that is away, refuses or is left out is owed: who remembers it, and who pays.
#include <gtest/gtest.h>

#include "core/frames.hpp"
#include "core/transaction_codec.hpp"
#include "unit/support/crash_world.hpp"

namespace nettune::core {
namespace {

using namespace test;

std::string addresses(const Debts& debts) {
  std::vector<std::string> texts;
  for (const Debt& debt : debts) texts.push_back(debt.owed.address.text);
  return join(texts, " ");
}

World applied_cards() {
  World world = world_with_cards();
  EXPECT_EQ(Session(world).apply(cards_profile()).outcome, Outcome::committed);
  return world;
}

std::string value(const World& world, const std::string& address) {
  const auto found = world.kernel.values.find(address);
  return found == world.kernel.values.end() ? "absent" : found->second;
}

constexpr const char* kCard1 = "fw:card1.mode live:card1.mtu live:card1.pfc live:card1.ring";

TEST(CoreDebt, ACardThatRefusesIsOwedAsAWholeAndHoldsUpNoOther) {
  World world = applied_cards();
  world.kernel.refusing = {"live:card1.pfc"};
  Session session(world);
  const Report report = session.rollback(0, {.per_device = true});
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_EQ(addresses(without_side_effects(report.debts)), kCard1);
  EXPECT_EQ(session.debts(), report.debts);
  EXPECT_NE(report.debts.front().reason.find("the driver refuses"), std::string::npos);
  EXPECT_EQ(value(world, "live:card1.mtu"), "9000");
  EXPECT_EQ(value(world, "live:card1.shadow"), "moved");
  EXPECT_EQ(value(world, "live:card2.mtu"), "1500");
  EXPECT_EQ(value(world, "live:card2.pfc"), "0");
  EXPECT_EQ(value(world, "live:b"), "2");
}

TEST(CoreDebt, AnApplyByHandIsAllOrNothingUnlessACardIsLeftOut) {
  World world = world_with_cards();
  world.kernel.refusing = {"live:card1.pfc"};
  const std::string before = visible(world, true);
  Session session(world);
  EXPECT_EQ(session.apply(cards_profile()).outcome, Outcome::rolled_back);
  EXPECT_EQ(visible(world, true), before);
  EXPECT_TRUE(session.debts().empty());
  const How without{.without = {{"card1", "left out"}}};
  EXPECT_EQ(session.apply(cards_profile(), {}, without).outcome, Outcome::committed);
  EXPECT_EQ(addresses(session.debts()), kCard1);
  EXPECT_EQ(value(world, "live:card1.mtu"), "1500");
  EXPECT_EQ(value(world, "live:card2.mtu"), "9000");
  // Nothing new: nothing is written, nothing is recorded.
  EXPECT_EQ(session.apply(cards_profile(), {}, without).outcome, Outcome::unchanged);
  world.kernel.refusing.clear();
  EXPECT_EQ(session.pay().outcome, Outcome::committed);
  EXPECT_EQ(value(world, "live:card1.mtu"), "9000");
  EXPECT_TRUE(session.debts().empty());
  EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), before);
}

TEST(CoreDebt, WhatTheOldProfileSetOnABrokenCardDoesNotStopTheNextOne) {
  World world = applied_cards();
  world.kernel.refusing = {"live:card1.pfc"};
  Session session(world);
  Desired next;
  next.profile = "next";
  next.settings = {setting("live:card2.mtu", "4000")};
  next.settings.front().device = "card2";
  EXPECT_EQ(session.apply(next).outcome, Outcome::committed);
  EXPECT_EQ(addresses(without_side_effects(session.debts())), kCard1);
  EXPECT_EQ(value(world, "live:card2.mtu"), "4000");
  EXPECT_EQ(value(world, "live:card2.pfc"), "0");
  EXPECT_EQ(value(world, "live:b"), "2");
}

TEST(CoreDebt, WhatDependsOnABrokenCardGoesWithIt) {
  World world = world_with_cards();
  world.kernel.shown_by["live:card2.mtu"] = "live:card1.pfc";  // the one needs the other
  EXPECT_EQ(Session(world).apply(cards_profile()).outcome, Outcome::committed);
  world.kernel.refusing = {"live:card1.ring"};
  Session session(world);
  EXPECT_EQ(session.rollback(0, {.per_device = true}).outcome, Outcome::committed);
  EXPECT_EQ(value(world, "live:card1.mtu"), "9000");
  EXPECT_EQ(value(world, "live:card2.ring"), "4096");
  EXPECT_EQ(value(world, "live:b"), "2");
  EXPECT_EQ(without_side_effects(session.debts()).size(), 8U);
}

TEST(CoreDebt, AHostWideValueThatRefusesStillFailsAsAWhole) {
  World world = applied_cards();
  const std::string before = visible(world, true);
  world.kernel.refusing = {"live:b"};
  Session session(world);
  EXPECT_EQ(session.rollback(0, {.per_device = true}).outcome, Outcome::rolled_back);
  EXPECT_EQ(visible(world, true), before);
  EXPECT_TRUE(session.debts().empty());
}

TEST(CoreDebt, ALieThatShowsOnlyInTheEndIsTheCardsAlone) {
  World world = applied_cards();
  Session session(world);
  // Whatever is written to the last card puts the first one's MTU somewhere else.
  world.kernel.moves["live:b"] = {{"live:card1.mtu", "77"}};
  const Report report = session.rollback(0, {.per_device = true});
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_EQ(value(world, "live:card2.mtu"), "1500");
  EXPECT_EQ(value(world, "live:b"), "2");
}

TEST(CoreDebt, WhatSomebodyChangedMeanwhileIsLeftAndNoDebt) {
  World world = world_with_cards();
  ApplyOptions options;
  options.confirm_deadline_s = 1060;
  EXPECT_EQ(Session(world).apply(cards_profile(), options).outcome, Outcome::waiting);
  world.boottime_s = 1060;
  world.kernel.away = {"card1"};
  Session session(world);
  EXPECT_EQ(session.recover().outcome, Outcome::rolled_back);
  EXPECT_EQ(addresses(without_side_effects(session.debts())), kCard1);
  EXPECT_EQ(session.pay().outcome, Outcome::unchanged);  // it is still away
  world.kernel.away.clear();
  world.kernel.values["live:card1.mtu"] = "1300";
  EXPECT_EQ(session.pay().outcome, Outcome::committed);
  EXPECT_EQ(value(world, "live:card1.mtu"), "1300");
  EXPECT_EQ(value(world, "live:card1.ring"), "512");
  EXPECT_TRUE(session.debts().empty());
}

TEST(CoreDebt, ARebootTakesTheLiveOnesAlong) {
  World world = applied_cards();
  world.kernel.away = {"card1"};
  {
    Session session(world);
    EXPECT_EQ(session.rollback(0, {.per_device = true}).outcome, Outcome::committed);
    EXPECT_EQ(addresses(without_side_effects(session.debts())), kCard1);
  }
  std::mt19937 random(1);
  reboot(world, ModelDisk::Survive::all, random);
  Session session(world);
  EXPECT_EQ(addresses(session.debts()), "fw:card1.mode");
  world.kernel.away.clear();
  EXPECT_EQ(session.pay().outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(world_with_cards(), true));
}

TEST(CoreDebt, AnAbandonedOneIsForgotten) {
  World world = applied_cards();
  world.kernel.away = {"card1"};
  Session session(world);
  EXPECT_EQ(session.rollback(0, {.per_device = true}).outcome, Outcome::committed);
  EXPECT_FALSE(session.debts().empty());
  EXPECT_EQ(session.engine->forget_debts().outcome, Outcome::rolled_back);
  EXPECT_TRUE(session.debts().empty());
  EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::none);
}

const std::string kMounted = "/etc/nccl.conf";

std::string text_of(World& world, const std::string& path) {
  return world.disk->read(path, 1000)->value_or("(none)");
}

TEST(CoreDebt, AFileThatCannotBeReplacedIsNotPermitted) {
  World world = fresh_world();
  world.disk->mounts = {kMounted};
  const std::string before = visible(world, true);
  Session session(world);
  EXPECT_EQ(session.apply(first_profile()).outcome, Outcome::refused);
  EXPECT_EQ(visible(world, true), before);
  Desired desired = first_profile();
  for (Setting& setting : desired.settings)
    if (setting.address.kind() == "nccl.conf") setting.optional = true;
  EXPECT_EQ(session.apply(desired).outcome, Outcome::committed);
  EXPECT_EQ(text_of(world, "/etc/old"), "changed content\n");
  EXPECT_TRUE(session.debts().empty());
}

TEST(CoreDebt, ARollbackPastAFileThatCannotBeReplacedOwesItAndNothingElse) {
  World world = fresh_world();
  Session session(world);
  EXPECT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  world.disk->mounts = {kMounted, "/etc/d/new"};
  const std::string applied = text_of(world, kMounted);
  EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(text_of(world, kMounted), applied);
  EXPECT_EQ(text_of(world, "/etc/old"), "old content\n");
  EXPECT_EQ(value(world, "live:b"), "2");
  const Debts owed = session.debts();
  const Debt* const directory = find_debt(owed, Address{"dir:/etc/d"});
  ASSERT_NE(directory, nullptr);
  EXPECT_EQ(directory->reason, "file:/etc/d/new is still in it");
  EXPECT_NE(owed.back().reason.find("mount point"), std::string::npos);
  // Nothing is new while it is still there.
  EXPECT_EQ(session.pay().outcome, Outcome::unchanged);
  world.disk->mounts.clear();
  EXPECT_EQ(session.pay().outcome, Outcome::committed);
  EXPECT_TRUE(session.debts().empty());
  EXPECT_EQ(session.rollback(0).outcome, Outcome::unchanged);
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreDebt, AReapplyGoesOnPastAFileThatCannotBeReplaced) {
  World world = fresh_world();
  Session session(world);
  EXPECT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  world.disk->put("/etc/old", "somebody's\n");
  world.kernel.values["live:b"] = "3";
  world.disk->mounts = {"/etc/old"};
  ApplyOptions options;
  options.action = kReapply;
  const auto again = [&] {
    return session.apply(*session.engine->target(1), options, {.per_device = true});
  };
  EXPECT_EQ(again().outcome, Outcome::committed);
  EXPECT_EQ(value(world, "live:b"), "50");
  EXPECT_EQ(addresses(session.debts()), "file:/etc/old");
  EXPECT_EQ(again().outcome, Outcome::unchanged);
  world.disk->mounts.clear();
  EXPECT_EQ(session.pay().outcome, Outcome::committed);
  EXPECT_EQ(text_of(world, "/etc/old"), "changed content\n");
  EXPECT_TRUE(session.debts().empty());
}

TEST(CoreDebt, WhatCannotBePlacedAfterTheCommitPointIsOwed) {
  World world = fresh_world();
  world.disk->mounts = {kMounted};
  world.disk->shows_mounts = false;
  const std::string before = text_of(world, kMounted);
  Session session(world);
  const Report report = session.apply(first_profile());
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_EQ(addresses(report.debts), "nccl.conf:NCCL_A nccl.conf:NCCL_DEBUG");
  EXPECT_EQ(session.debts(), report.debts);
  EXPECT_TRUE(report.debts.front().to_set);
  EXPECT_TRUE(std::ranges::none_of(
      report.written, [](const Step& step) { return step.address.kind() == "nccl.conf"; }));
  EXPECT_EQ(text_of(world, kMounted), before);
  EXPECT_EQ(world.disk->tree("/etc").find(".nettune-"), std::string::npos);
  EXPECT_EQ(text_of(world, "/etc/d/new"), "new file\n");
  // What is still there is what goes back: nothing to do for it.
  EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_TRUE(session.debts().empty());
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreDebt, TheLastRecordOfUnplacedFilesCounts) {
  Transaction transaction;
  transaction.id = "0123456789abcdef";
  transaction.number = 1;
  const auto frame = [&](std::string_view type, std::uint64_t number, const std::string& payload) {
    return encode_frame(type, number, transaction.id, payload);
  };
  Record record;
  record.address.text = record.unit = "file:/etc/x";
  record.before = "a";
  record.after = "b";
  transaction.records.push_back(record);
  transaction.settings = {setting("file:/etc/x", "b")};
  const std::string intent = frame("INTENT", 0, encode_intent(transaction));
  const std::string commit = frame("COMMIT", 1, encode_values({}, {}));
  const auto with = [&](const std::map<Address, std::string>& unplaced, std::uint64_t number) {
    return frame("UNPLACED", number, encode_unplaced(unplaced));
  };
  const std::string one = with({{Address{"file:/etc/x"}, "a mount point"}}, 2);
  const auto left = decode_transaction(intent + commit + one);
  ASSERT_TRUE(left) << left.error().text;
  ASSERT_EQ(left->debts.size(), 1U);
  EXPECT_EQ(left->debts.front().reason, "a mount point");
  EXPECT_EQ(left->debts.front().owed.committed, Value("a"));
  EXPECT_EQ(left->owned.at(Address{"file:/etc/x"}).committed, Value("a"));
  const auto placed = decode_transaction(intent + commit + one + with({}, 3));
  ASSERT_TRUE(placed);
  EXPECT_TRUE(placed->debts.empty());
  EXPECT_EQ(placed->owned.at(Address{"file:/etc/x"}).committed, Value("b"));
  // Before COMMIT it is nothing that this program writes.
  EXPECT_FALSE(decode_transaction(intent + with({}, 1)));
}

}  // namespace
}  // namespace nettune::core
