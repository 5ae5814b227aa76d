// SPDX-License-Identifier: Apache-2.0
// Bytes of the state directory that are not what was written: cut at every length, changed at every
// offset. What nettune says then must be true.
#include <gtest/gtest.h>

#include "unit/support/crash_world.hpp"

namespace nettune::core {
namespace {

using namespace test;

const std::string kJournal = kState + "/journal";

/// A file, two live values and one that a module brings: a journal of all kinds of records.
Desired small_profile() {
  Desired desired;
  desired.profile = "small";
  desired.settings = {setting("live:a", "100"), setting("live:b", "50"), setting("mod:m", "loaded"),
                      setting("live:late", "6")};
  add_file(desired, "/etc/old", "changed content\n");
  sort_settings(desired);
  return desired;
}

std::string text_of(const Report& report) {
  std::string text = report.error ? report.error->text : "";
  for (const std::string& note : report.notes) text += "\n" + note;
  return text;
}

/// A world in which an apply died before the operation that `dies` is true for.
World died(const std::function<bool(const std::string&)>& dies, std::int64_t window_s = 0) {
  World world = fresh_world();
  Session session(world);
  world.disk->before_operation = [&](const std::string& operation) {
    if (dies(operation)) throw Crash{};
    return 0;
  };
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [&](const Address& address) -> std::string {
      if (dies(address.text)) throw Crash{};
      return "";
    };
  ApplyOptions options;
  if (window_s > 0) options.confirm_deadline_s = world.boottime_s + window_s;
  try {
    static_cast<void>(session.apply(small_profile(), options));
  } catch (const Crash&) {
  }
  world.disk->before_operation = [](const std::string&) { return 0; };
  return world;
}

/// Recovers with `bytes` as the journal, and holds what is said against what is.
void expect_truth(const World& world, const std::string& bytes, const std::string& what) {
  SCOPED_TRACE(what);
  static const std::string old_state = visible(fresh_world(), true);
  World damaged = world.clone();
  damaged.disk->put(kJournal, bytes, 0600);
  const std::string before = visible(damaged, true);
  Session session(damaged);
  const Report report = session.engine->recover({});
  const std::string text = text_of(report);
  const std::string now = visible(damaged, true);
  EXPECT_EQ(text.find("nothing had been changed"), std::string::npos) << text;
  if (report.outcome == Outcome::incomplete) {
    EXPECT_EQ(now, before) << "nothing was undone, it says";
    EXPECT_EQ(**damaged.disk->read(kJournal, 1 << 20), bytes) << "it is kept";
    EXPECT_NE(text.find("--abandon"), std::string::npos) << text;
    RecoverOptions abandon;
    abandon.abandon = true;
    const Report abandoned = session.engine->recover(abandon);
    EXPECT_EQ(abandoned.outcome, Outcome::abandoned);
    EXPECT_EQ(visible(damaged, true), before);
    const auto kept = damaged.disk->read(kState + "/journal.damaged-1700000000", 1 << 20);
    ASSERT_TRUE(kept && *kept);
    EXPECT_EQ(**kept, bytes);
    EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::none);
    return;
  }
  if (report.outcome == Outcome::waiting || report.outcome == Outcome::committed) {
    EXPECT_NE(now, old_state);
    return;
  }
  EXPECT_EQ(report.outcome, Outcome::rolled_back);
  // What was written late, and whose record is lost, is named.
  EXPECT_TRUE(now == old_state || text.find("live:late") != std::string::npos) << text << "\n"
                                                                               << now;
}

void expect_truth_for_all(const World& world) {
  const std::string bytes = **world.disk->read(kJournal, 1 << 20);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    expect_truth(world, bytes.substr(0, size), cat("cut at byte ", size));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x20, 0xff}) {
      std::string bad = bytes;
      bad[at] = static_cast<char>(bad[at] ^ change);
      expect_truth(world, bad, cat("byte ", at, " changed by ", change));
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CoreDamage, OfTheOnlyRecordIsNeverTorn) {
  const World world = died([](const std::string& operation) { return operation == "append LATE"; });
  ASSERT_NE(visible(world, true), visible(fresh_world(), true));
  const std::string bytes = **world.disk->read(kJournal, 1 << 20);
  for (const std::string& bad : {bytes.substr(0, bytes.size() - 1), bytes.substr(0, 40),
                                 std::string(), std::string(bytes.size(), '\0')}) {
    World damaged = world.clone();
    damaged.disk->put(kJournal, bad, 0600);
    Session session(damaged);
    EXPECT_EQ(session.engine->recover({}).outcome, Outcome::incomplete) << bad.size();
  }
  expect_truth_for_all(world);
}

TEST(CoreDamage, OfALateRecordIsSaid) {
  const World world =
      died([](const std::string& operation) { return operation == "append COMMIT"; });
  ASSERT_EQ(world.kernel.values.at("live:late"), "6");
  expect_truth_for_all(world);
}

TEST(CoreDamage, OfACommitTakesBackWhatIsInPlace) {
  const World world =
      died([](const std::string& operation) { return operation == "syncdir staged after COMMIT"; });
  ASSERT_EQ(**world.disk->read("/etc/old", 100), "changed content\n");
  expect_truth_for_all(world);
}

TEST(CoreDamage, OfAnOpenWindowEndsIt) {
  expect_truth_for_all(died([](const std::string&) { return false; }, 60));
}

TEST(CoreDamage, SaysWhatCanStillBeRead) {
  const World world = died([](const std::string& operation) { return operation == "append LATE"; });
  std::string bytes = **world.disk->read(kJournal, 1 << 20);
  bytes[bytes.rfind("=100")] = '?';
  World damaged = world.clone();
  damaged.disk->put(kJournal, bytes, 0600);
  Session session(damaged);
  const std::string text = text_of(session.engine->recover({}));
  for (const char* const word : {"apply of small", "generation 1", "root", "live:b from 2 to 50"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_EQ(text.find("live:a from"), std::string::npos) << text;
}

TEST(CoreDamage, AnIntentThatNeverWasDurableIsNoJournal) {
  const World world = died([](const std::string& operation) { return operation == "sync INTENT"; });
  EXPECT_EQ(visible(world, true), visible(fresh_world(), true));
  World again = world.clone();
  Session session(again);
  EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::none);
  EXPECT_EQ(session.apply(small_profile()).outcome, Outcome::committed);
  EXPECT_FALSE(*again.disk->info(kState + "/intent.new"));
}

/// The one blob that holds `content`, changed.
void spoil_blob(World& world, const std::string& content) {
  const std::string path = kState + "/blobs/" + sha256_hex(content);
  ASSERT_TRUE(*world.disk->info(path));
  ASSERT_TRUE(world.disk->remove(path));
  world.disk->put(path, "edited", 0600);
}

TEST(CoreDamage, OfABlobChangesNothingAndNamesTheWayOut) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(small_profile()).outcome, Outcome::committed);
  spoil_blob(world, "old content\n");
  const std::string before = visible(world, true);
  const Report report = session.rollback(0);
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(visible(world, true), before);
  for (const char* const word : {"file:/etc/old", "blobs/", "by hand", "remove"})
    EXPECT_NE(text_of(report).find(word), std::string::npos) << text_of(report);
  // Without the file nobody asks for its content.
  ASSERT_TRUE(world.disk->remove("/etc/old"));
  ASSERT_EQ(session.rollback(0).outcome, Outcome::committed);
  EXPECT_EQ(world.kernel.values.at("live:a"), "1");
}

TEST(CoreDamage, OfABlobIsMendedByTheNextThatStoresIt) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(small_profile()).outcome, Outcome::committed);
  spoil_blob(world, "changed content\n");
  world.kernel.values["live:b"] = "3";
  ASSERT_EQ(session.apply(small_profile()).outcome, Outcome::committed);
  EXPECT_TRUE(session.state.blob(sha256_hex("changed content\n")));
}

TEST(CoreDamage, OfAnOldGenerationLeavesTheOthers) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(small_profile()).outcome, Outcome::committed);
  ASSERT_EQ(session.apply(second_profile()).outcome, Outcome::committed);
  const std::string path = kState + "/generations/1";
  std::string bytes = **world.disk->read(path, 1 << 20);
  bytes[100] = '~';
  world.disk->put(path, bytes, 0600);
  const auto history = session.state.history();
  ASSERT_TRUE(history) << history.error().text;
  ASSERT_EQ(history->size(), 2U);
  EXPECT_TRUE((*history)[0].damaged);
  EXPECT_EQ((*history)[0].number, 1U);
  EXPECT_NE((*history)[0].reason.find("generations/1"), std::string::npos);
  EXPECT_TRUE((*history)[1].committed);
  EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
}

std::string path_of_generation(std::uint64_t number) {
  return cat(kState, "/generations/", number);
}

/// Two generations, of which the second is active.
World world_with_two() {
  World world = fresh_world();
  Session session(world);
  EXPECT_EQ(session.apply(small_profile()).outcome, Outcome::committed);
  EXPECT_EQ(session.apply(second_profile()).outcome, Outcome::committed);
  return world;
}

/// Calls `check` with every kind of bad bytes that may stand in the place of `bytes`.
void for_all_damage(
    const std::string& bytes,
    const std::function<void(const std::string& bad, const std::string& what)>& check) {
  for (std::size_t size = 0; size < bytes.size(); ++size)
    check(bytes.substr(0, size), cat("cut at byte ", size));
  for (std::size_t at = 0; at < bytes.size() && !testing::Test::HasFailure(); ++at) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ (at % 2 == 0 ? 0x01 : 0xff));
    check(bad, cat("byte ", at, " changed"));
  }
}

TEST(CoreDamage, OfTheActiveGenerationIsNeverTakenForAnotherState) {
  World world = world_with_two();
  const std::string path = path_of_generation(2);
  for_all_damage(**world.disk->read(path, 1 << 20), [&](const auto& bad, const auto& what) {
    SCOPED_TRACE(what);
    world.disk->put(path, bad, 0600);
    Session session(world);
    const auto active = session.state.active();
    ASSERT_FALSE(active);
    EXPECT_EQ(active.error().code, Errc::corrupt);
    EXPECT_NE(active.error().text.find(path), std::string::npos) << active.error().text;
    const auto applied = session.state.applied();
    ASSERT_TRUE(applied && applied->newest);
    EXPECT_EQ(applied->newest->number, 1U);
    ASSERT_EQ(applied->unreadable.size(), 1U);
    EXPECT_EQ(applied->unreadable[0].number, 2U);
    EXPECT_FALSE(session.state.debts("boot-1")->unreadable.empty());
    EXPECT_TRUE((*session.state.history())[1].damaged);
  });
}

TEST(CoreDamage, OfTheActiveGenerationIsGivenUpOnlyWhenAskedAndKept) {
  World world = world_with_two();
  const std::string path = path_of_generation(2);
  std::string bytes = **world.disk->read(path, 1 << 20);
  bytes[bytes.rfind("=60")] = '?';
  world.disk->put(path, bytes, 0600);
  const std::string before = visible(world, true);
  Session session(world);
  const Report told = session.engine->recover_active(false);
  EXPECT_EQ(told.outcome, Outcome::incomplete);
  for (const char* const word : {"generations/2", "--abandon", "small", "generation 1",
                                 "apply of second", "fw:f from 10 to 30", "/etc/old from"})
    EXPECT_NE(text_of(told).find(word), std::string::npos) << text_of(told);
  EXPECT_EQ(**world.disk->read(path, 1 << 20), bytes);
  const Report given_up = session.engine->recover_active(true);
  EXPECT_EQ(given_up.outcome, Outcome::abandoned);
  EXPECT_EQ(visible(world, true), before);
  EXPECT_EQ(**world.disk->read(path + ".damaged", 1 << 20), bytes);
  EXPECT_EQ((*session.state.active())->number, 1U);
  EXPECT_TRUE(session.state.debts("boot-1")->unreadable.empty());
  EXPECT_EQ(session.engine->recover_active(true).outcome, Outcome::unchanged);
  // Its number is not given away again, and the history still knows of it.
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  EXPECT_EQ((*session.state.active())->number, 3U);
  const auto history = session.state.history();
  ASSERT_EQ(history->size(), 3U);
  EXPECT_TRUE((*history)[1].damaged);
  EXPECT_NE((*history)[1].reason.find("given up"), std::string::npos);
}

TEST(CoreDamage, OfEveryGenerationLeavesNothingApplied) {
  World world = world_with_two();
  world.disk->put(path_of_generation(1), "", 0600);
  world.disk->put_directory(path_of_generation(2));
  Session session(world);
  EXPECT_EQ(session.engine->recover_active(false).outcome, Outcome::incomplete);
  EXPECT_EQ(session.state.history()->size(), 2U);
  const Report given_up = session.engine->recover_active(true);
  EXPECT_EQ(given_up.outcome, Outcome::abandoned);
  EXPECT_NE(text_of(given_up).find("nothing counts as applied"), std::string::npos);
  EXPECT_FALSE(*session.state.active());
}

TEST(CoreDamage, OfTheActiveGenerationLeavesTheWindow) {
  World world = world_with_two();
  world.keep = 1;
  {
    Session session(world);
    ApplyOptions options;
    options.confirm_deadline_s = world.boottime_s + 60;
    ASSERT_EQ(session.apply(first_profile(), options).outcome, Outcome::waiting);
  }
  world.disk->put(path_of_generation(2), "", 0600);
  {
    World confirmed = world.clone();
    Session session(confirmed);
    EXPECT_EQ(session.engine->confirm().outcome, Outcome::committed);
    EXPECT_EQ((*session.state.active())->number, 3U);
    EXPECT_EQ(session.rollback(0).outcome, Outcome::committed);
    EXPECT_EQ(visible(confirmed, true), visible(fresh_world(), true));
  }
  Session session(world);
  RecoverOptions expired;
  expired.expire_window = true;
  EXPECT_EQ(session.recover(expired).outcome, Outcome::rolled_back);
  EXPECT_EQ(visible(world, true), visible(world_with_two(), true));
  // However few are kept, the damaged one is not taken for an old one.
  EXPECT_EQ(*session.state.history_numbers(), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(CoreDamage, OfAListOfDebtsIsNeverAnEmptyList) {
  ApplyOptions options;
  options.confirm_deadline_s = 1060;
  World world = world_with_cards();
  {
    Session session(world);
    ASSERT_EQ(session.apply(cards_profile(), options).outcome, Outcome::waiting);
    world.kernel.away = {"card1"};
    RecoverOptions expired;
    expired.expire_window = true;
    ASSERT_EQ(session.recover(expired).outcome, Outcome::rolled_back);
  }
  const std::string path = path_of_generation(1) + ".aborted";
  for_all_damage(**world.disk->read(path, 1 << 20), [&](const auto& bad, const auto& what) {
    SCOPED_TRACE(what);
    world.disk->put(path, bad, 0600);
    Session session(world);
    const auto owed = session.state.debts("boot-1");
    ASSERT_TRUE(owed);
    EXPECT_NE(owed->unreadable.find(path), std::string::npos);
    EXPECT_TRUE((*session.state.history())[0].damaged);
  });
  world.disk->put_directory(path);
  EXPECT_FALSE(Session(world).state.debts("boot-1")->unreadable.empty());
}

TEST(CoreDamage, AJournalThatIsADirectoryIsMovedAsideLikeAnother) {
  World world = world_with_two();
  world.disk->put_directory(kJournal);
  Session session(world);
  EXPECT_EQ(session.state.journal()->kind, JournalStatus::Kind::corrupt);
  const Report told = session.engine->recover({});
  EXPECT_EQ(told.outcome, Outcome::incomplete);
  EXPECT_NE(text_of(told).find("not a regular file"), std::string::npos) << text_of(told);
  RecoverOptions abandon;
  abandon.abandon = true;
  EXPECT_EQ(session.engine->recover(abandon).outcome, Outcome::abandoned);
  EXPECT_EQ(session.apply(small_profile()).outcome, Outcome::committed);
}

TEST(CoreDamage, OfAHoldDoesNotEndIt) {
  World world = world_with_two();
  Session session(world);
  for (const std::string& text :
       {std::string(), std::string("\n\n\n"), std::string("x"), std::string("17000")}) {
    world.disk->put(kState + "/hold", text, 0600);
    const auto hold = session.state.hold();
    ASSERT_TRUE(hold && *hold) << text;
    EXPECT_FALSE((*hold)->who.empty());
  }
}

TEST(CoreDamage, FilesThatAreNotOursAreLeftAlone) {
  World world = world_with_two();
  world.keep = 1;
  const std::vector<std::string> others = {
      "0", "007", "3.bak", "x", "-1", "2.damagedx", "2.aborted.old", "9223372036854775807"};
  for (const std::string& name : others)
    world.disk->put(cat(kState, "/generations/", name), "somebody's", 0600);
  world.disk->put(kState + "/blobs/notes.txt", "somebody's", 0600);
  Session session(world);
  EXPECT_EQ(session.state.history()->size(), 2U);
  EXPECT_EQ((*session.state.active())->number, 2U);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  EXPECT_EQ((*session.state.active())->number, 3U);
  for (const std::string& name : others)
    EXPECT_TRUE(*world.disk->info(cat(kState, "/generations/", name))) << name;
  EXPECT_TRUE(*world.disk->info(kState + "/blobs/notes.txt"));
}

}  // namespace
}  // namespace nettune::core
