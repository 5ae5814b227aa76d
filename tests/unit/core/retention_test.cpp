// SPDX-License-Identifier: Apache-2.0
// What is forgotten of a long history, and what never is: docs/design.md, section 7.
#include <gtest/gtest.h>

#include "unit/support/crash_world.hpp"

namespace nettune::core {
namespace {

using namespace test;

Desired one_value(const std::string& value, const std::string& file = {}) {
  Desired desired;
  desired.profile = cat("value-", value);
  desired.settings = {setting("live:b", value)};
  if (!file.empty()) add_file(desired, "/etc/old", file);
  sort_settings(desired);
  return desired;
}

World keeping(std::size_t keep) {
  World world = fresh_world();
  world.keep = keep;
  return world;
}

/// Applies a value and a file of its own for each number up to `last`.
void apply_many(World& world, int first, int last) {
  Session session(world);
  for (int i = first; i <= last; ++i)
    ASSERT_EQ(session.apply(one_value(cat(100 + i), cat("secret ", i, "\n"))).outcome,
              Outcome::committed);
}

/// Makes the same anew, as a boot does.
void reapply(World& world, int times) {
  Session session(world);
  ApplyOptions boot;
  boot.action = kReapply;
  const Transaction active = **session.state.active();
  for (int i = 0; i < times; ++i) {
    world.kernel.values["live:b"] = "3";
    ASSERT_EQ(session.apply(*session.engine->target(active.number), boot).outcome,
              Outcome::committed);
  }
}

std::vector<std::uint64_t> remembered(World& world) {
  return *Session(world).state.history_numbers();
}

std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = first; number <= last; ++number) numbers.push_back(number);
  return numbers;
}

bool has_blob(World& world, const std::string& content) {
  return world.disk->info(kState + "/blobs/" + sha256_hex(content))->has_value();
}

std::string notes_of(const Report& report) { return join(report.notes, "\n"); }

UndoPath path_of(World& world) { return undo_path(*Session(world).state.history()); }

TEST(CoreRetention, TheLatestAreKeptAndTheBaselineIsExact) {
  World world = keeping(10);
  apply_many(world, 1, 150);
  EXPECT_EQ(remembered(world), range(141, 150));
  Session session(world);
  for (std::uint64_t number = 149; number >= 141; --number)
    ASSERT_EQ(session.rollback(number).outcome, Outcome::committed) << number;
  EXPECT_EQ(world.kernel.values["live:b"], "241");
  EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreRetention, ContentsGoWithTheLastThatNamesThem) {
  World world = keeping(3);
  apply_many(world, 1, 3);
  EXPECT_TRUE(has_blob(world, "secret 1\n"));
  apply_many(world, 4, 5);
  EXPECT_EQ(remembered(world), range(3, 5));
  EXPECT_FALSE(has_blob(world, "secret 1\n"));
  // What the oldest record has to put back, and what was there before nettune.
  for (const char* const content : {"secret 2\n", "secret 3\n", "secret 5\n", "old content\n"})
    EXPECT_TRUE(has_blob(world, content)) << content;
  EXPECT_EQ(world.disk->list(kState + "/blobs")->size(), 5U);
}

TEST(CoreRetention, WhatAnUndoLeadsToOutlivesEveryRepetition) {
  World world = keeping(5);
  apply_many(world, 1, 2);
  reapply(world, 40);
  EXPECT_EQ(path_of(world).steps, (std::vector<std::uint64_t>{1, 2}));
  std::vector<std::uint64_t> kept = range(38, 42);
  kept.insert(kept.begin(), {1, 2});
  EXPECT_EQ(remembered(world), kept);
  Session session(world);
  EXPECT_EQ(session.rollback(1).outcome, Outcome::committed);
  EXPECT_EQ(**world.disk->read("/etc/old", 100), "secret 1\n");
}

TEST(CoreRetention, WhatIsActiveAndWhatIsOwedOutlivesFailures) {
  World world = keeping(3);
  apply_many(world, 1, 1);
  Session session(world);
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [](const Address& address) {
      return std::string(address.text == "live:a" ? "refused" : "");
    };
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::rolled_back);
  std::vector<std::uint64_t> kept = range(19, 21);
  kept.insert(kept.begin(), 1);
  EXPECT_EQ(remembered(world), kept);
  EXPECT_EQ((*session.state.active())->number, 1U);
}

TEST(CoreRetention, ADeviceThatRefusesAgainAndAgainFillsNothing) {
  World world = world_with_cards();
  world.keep = 4;
  {
    Session session(world);
    ASSERT_EQ(session.apply(cards_profile()).outcome, Outcome::committed);
    world.kernel.refusing = {"live:card1.pfc"};
    ASSERT_EQ(session.rollback(0, {.per_device = true}).outcome, Outcome::committed);
  }
  const Debts owed = Session(world).debts();
  ASSERT_FALSE(owed.empty());
  for (int i = 0; i < 30; ++i) Session(world).pay();
  EXPECT_LE(remembered(world).size(), 6U);
  EXPECT_EQ(Session(world).debts().size(), owed.size());
  world.kernel.refusing.clear();
  EXPECT_EQ(Session(world).pay().outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(world_with_cards(), true));
}

TEST(CoreRetention, TheEndOfTheWayBackIsKnownOrSaidToBeUnknown) {
  World named = keeping(3);
  apply_many(named, 1, 2);
  ASSERT_EQ(Session(named).rollback(0).outcome, Outcome::committed);
  apply_many(named, 3, 3);
  reapply(named, 20);
  EXPECT_EQ(path_of(named).steps, (std::vector<std::uint64_t>{4}));
  EXPECT_EQ(path_of(named).foot, 3U);
  // Four more that want something else each: the way back is cut.
  apply_many(named, 4, 7);
  EXPECT_EQ(path_of(named).steps.size(), 3U);
  EXPECT_FALSE(path_of(named).foot);
}

TEST(CoreRetention, NothingGoesWithinTheNumberAndNothingWhileNothingEnds) {
  World world = keeping(5);
  apply_many(world, 1, 5);
  EXPECT_EQ(remembered(world), range(1, 5));
  World unknown = fresh_world();
  unknown.keep = Result<std::size_t>(fail(Errc::invalid, "site.toml:3: unknown key"));
  apply_many(unknown, 1, 3);
  Session session(unknown);
  const Report report = session.apply(one_value("9"));
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_NE(notes_of(report).find("site.toml:3"), std::string::npos);
  EXPECT_EQ(remembered(unknown), range(1, 4));
}

TEST(CoreRetention, WhatCannotBeRemovedIsANoteAndTheRestGoes) {
  World world = keeping(2);
  apply_many(world, 1, 2);
  Session session(world);
  world.disk->before_operation = [](const std::string& operation) {
    return operation == "remove" ? EROFS : 0;
  };
  const Report report = session.apply(one_value("9"));
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_FALSE(report.error);
  EXPECT_NE(notes_of(report).find("could not be removed"), std::string::npos) << notes_of(report);
  EXPECT_EQ(world.kernel.values["live:b"], "9");
  EXPECT_EQ(remembered(world), range(1, 3));
  world.disk->before_operation = [](const std::string&) { return 0; };
  ASSERT_EQ(session.apply(one_value("10")).outcome, Outcome::committed);
  EXPECT_EQ(remembered(world), range(3, 4));
}

TEST(CoreRetention, ADamagedFileGoesByItsAgeAndUntilThenKeepsAllContents) {
  World world = keeping(3);
  apply_many(world, 1, 2);
  reapply(world, 4);
  world.disk->put(kState + "/generations/5", "damaged", 0600);
  world.disk->put(cat(kState, "/blobs/", sha256_hex("orphan")), "orphan", 0600);
  Session session(world);
  world.kernel.values["live:b"] = "3";
  ApplyOptions boot;
  boot.action = kReapply;
  const Report report = session.apply(*session.engine->target(6), boot);
  EXPECT_EQ(report.outcome, Outcome::committed);
  EXPECT_NE(notes_of(report).find("generations/5"), std::string::npos) << notes_of(report);
  EXPECT_EQ(remembered(world), (std::vector<std::uint64_t>{1, 2, 5, 6, 7}));
  EXPECT_TRUE(has_blob(world, "orphan"));
  reapply(world, 1);
  EXPECT_EQ(remembered(world), (std::vector<std::uint64_t>{1, 2, 6, 7, 8}));
  EXPECT_FALSE(has_blob(world, "orphan"));
  EXPECT_EQ(Session(world).rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
}

TEST(CoreRetention, WhatAnotherMachineLeftKeepsItsContents) {
  World world = keeping(1);
  apply_many(world, 1, 1);
  ASSERT_TRUE(Session(world).state.set_aside("machine-1"));
  world.disk->put("/etc/old", "old content\n", 0640);
  apply_many(world, 11, 14);
  EXPECT_TRUE(has_blob(world, "secret 1\n"));
  EXPECT_FALSE(has_blob(world, "secret 11\n"));
}

}  // namespace
}  // namespace nettune::core
