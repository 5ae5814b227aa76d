// SPDX-License-Identifier: Apache-2.0
// What a device that is away, refuses or is left out is owed: who remembers it, and who pays.
#include <gtest/gtest.h>

#include "crash_world.hpp"

namespace nettune::test {
namespace {

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

TEST(Debts, ACardThatRefusesIsOwedAsAWholeAndHoldsUpNoOther) {
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

TEST(Debts, AnApplyByHandIsAllOrNothingUnlessACardIsLeftOut) {
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

TEST(Debts, WhatTheOldProfileSetOnABrokenCardDoesNotStopTheNextOne) {
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

TEST(Debts, WhatDependsOnABrokenCardGoesWithIt) {
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

TEST(Debts, AHostWideValueThatRefusesStillFailsAsAWhole) {
  World world = applied_cards();
  const std::string before = visible(world, true);
  world.kernel.refusing = {"live:b"};
  Session session(world);
  EXPECT_EQ(session.rollback(0, {.per_device = true}).outcome, Outcome::rolled_back);
  EXPECT_EQ(visible(world, true), before);
  EXPECT_TRUE(session.debts().empty());
}

TEST(Debts, ALieThatShowsOnlyInTheEndIsTheCardsAlone) {
  World world = applied_cards();
  Session session(world);
  // Whatever is written to the last card puts the first one's MTU somewhere else.
  world.kernel.moves["live:b"] = {{"live:card1.mtu", "77"}};
  const Report report = session.rollback(0, {.per_device = true});
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_EQ(value(world, "live:card2.mtu"), "1500");
  EXPECT_EQ(value(world, "live:b"), "2");
}

TEST(Debts, WhatSomebodyChangedMeanwhileIsLeftAndNoDebt) {
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

TEST(Debts, ARebootTakesTheLiveOnesAlong) {
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

TEST(Debts, AnAbandonedOneIsForgotten) {
  World world = applied_cards();
  world.kernel.away = {"card1"};
  Session session(world);
  EXPECT_EQ(session.rollback(0, {.per_device = true}).outcome, Outcome::committed);
  EXPECT_FALSE(session.debts().empty());
  EXPECT_EQ(session.engine->forget_debts().outcome, Outcome::rolled_back);
  EXPECT_TRUE(session.debts().empty());
  EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::none);
}

}  // namespace
}  // namespace nettune::test
