// SPDX-License-Identifier: Apache-2.0
#include "core/state.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "unit/support/crash_world.hpp"

namespace nettune::inline core {
namespace {

using namespace test;

TEST(CoreState, RefusesWhatOthersCouldHaveWritten) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  EXPECT_TRUE(session.state.check_trust());
  const std::string path = kState + "/generations/1";
  const std::string content = **world.disk->read(path, 1 << 20);
  ASSERT_TRUE(world.disk->remove(path));
  world.disk->put(path, content, 0666);
  const auto active = session.state.active();
  ASSERT_FALSE(active);
  EXPECT_EQ(active.error().code, Errc::denied);
}

TEST(CoreState, RefusesAGenerationUnderAWrongNumber) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  world.disk->put(kState + "/generations/2", **world.disk->read(kState + "/generations/1", 1 << 20),
                  0600);
  const auto active = session.state.active();
  ASSERT_FALSE(active);
  EXPECT_EQ(active.error().code, Errc::corrupt);
  EXPECT_NE(active.error().text.find("generation 1"), std::string::npos) << active.error().text;
}

/// A nettune from before there was the kind of `first_profile()`.
bool knows_none(std::string_view /*kind*/) { return false; }

TEST(CoreState, ReadsNothingOfAKindThatAnotherVersionBrought) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  State older(*world.disk, kState, knows_none);
  const auto active = older.active();
  ASSERT_FALSE(active);
  EXPECT_NE(active.error().text.find(
                "of a kind of settings that this nettune does not know; nettune " NETTUNE_VERSION
                " wrote it"),
            std::string::npos)
      << active.error().text;
  const auto applied = older.applied();
  ASSERT_TRUE(applied);
  EXPECT_FALSE(applied->newest);
  ASSERT_EQ(applied->unreadable.size(), 1U);
  EXPECT_TRUE(applied->unreadable.front().other_version);
  EXPECT_TRUE(State(*world.disk, kState).active());
}

TEST(CoreState, KnowsAnotherMachine) {
  World world = fresh_world();
  Session session(world);
  ASSERT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  const Transaction active = **session.state.active();
  EXPECT_FALSE(from_another_machine(active, "machine"));
  EXPECT_TRUE(from_another_machine(active, "other"));
  EXPECT_FALSE(from_another_machine(active, ""));
  ASSERT_TRUE(session.state.set_aside("machine-1"));
  EXPECT_FALSE(*session.state.active());
}

}  // namespace
}  // namespace nettune::inline core
