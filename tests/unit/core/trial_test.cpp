// SPDX-License-Identifier: Apache-2.0
// Trials over a kernel in memory: what is told of each setting, and that nothing stays.
#include "core/trial.hpp"

#include <gtest/gtest.h>

#include "unit/support/crash_world.hpp"

namespace nettune::core {
namespace {

using namespace test;

class CoreTrial : public testing::Test {
 protected:
  CoreTrial() {
    world_.kernel.values["live:c"] = "3";
    before_ = visible(world_, true);
  }

  Plan plan_of(const Desired& desired) {
    const std::map<Address, Owned> nothing;
    auto plan = make_plan(PlanInput{desired, nothing, {}, {}}, session_.providers);
    EXPECT_TRUE(plan) << plan.error().text;
    return std::move(*plan);
  }

  /// All trials of these settings, as the command makes them.
  std::vector<Trial> tried(std::vector<Setting> settings) {
    Desired desired;
    desired.profile = "p";
    desired.settings = std::move(settings);
    sort_settings(desired);
    std::vector<Trial> trials;
    for (const TrialUnit& unit : trial_units(plan_of(desired), session_.providers)) {
      Desired one;
      one.settings = unit.settings;
      const Plan plan = plan_of(one);
      ApplyOptions options;
      options.action = kTrial;
      options.confirm_deadline_s = 1;
      options.cancelled = [this] { return cancelled_; };
      const TrialSteps steps{[&] {
                               Report report = session_.engine->apply(plan, one, options);
                               if (report.error)
                                 report.error->code = code_.value_or(report.error->code);
                               return report;
                             },
                             [&] {
                               ++undos_;
                               return session_.engine->recover({});
                             },
                             beside_, look_again_, options.cancelled};
      trials.push_back(try_out(plan, unit.asked, session_.providers, steps));
    }
    return trials;
  }

  FakeProvider& live() { return *session_.fakes.back(); }

  void expect_as_before() {
    EXPECT_EQ(visible(world_, true), before_);
    EXPECT_EQ(session_.state.journal()->kind, JournalStatus::Kind::none);
    EXPECT_FALSE(session_.state.active()->has_value());
  }

  World world_ = fresh_world();
  Session session_{world_};
  std::string before_;
  bool cancelled_ = false;
  std::optional<Errc> code_;  ///< of what apply fails with
  std::function<std::vector<Moved>()> beside_ = [] { return std::vector<Moved>(); };
  std::function<bool()> look_again_ = [] { return false; };
  int undos_ = 0;
};

TEST_F(CoreTrial, WhatHoldsIsReadBackAndTakenBack) {
  const auto trials = tried({setting("live:a", "100"), setting("fw:f", "20")});
  ASSERT_EQ(trials.size(), 2U);
  for (const Trial& trial : trials) {
    ASSERT_EQ(trial.settings.size(), 1U);
    EXPECT_EQ(trial.settings[0].result, TrialResult::held) << trial.settings[0].why;
    EXPECT_TRUE(trial.settings[0].written);
    EXPECT_EQ(trial.settings[0].read_back, trial.settings[0].wanted);
    EXPECT_TRUE(trial.moved.empty());
    EXPECT_FALSE(trial.error);
  }
  EXPECT_EQ(undos_, 2);
  expect_as_before();
  const auto history = session_.state.history();
  ASSERT_EQ(history->size(), 2U);
  EXPECT_EQ(history->at(0).action, "qualify");
  EXPECT_EQ(history->at(0).reason, "tried and reverted");
}

TEST_F(CoreTrial, ClampedNotHeldAndRefusedAreToldApart) {
  live().bend = [](const Address& address, Value value) {
    if (address.text == "live:a" && value == "100") return Value("64");
    if (address.text == "live:b") return Value("2");
    return value;
  };
  live().before_write = [](const Address& address) {
    return std::string(address.text == "live:c" ? "Operation not supported" : "");
  };
  const auto trials =
      tried({setting("live:a", "100"), setting("live:b", "50"), setting("live:c", "7")});
  ASSERT_EQ(trials.size(), 3U);
  EXPECT_EQ(trials[0].settings[0].result, TrialResult::clamped);
  EXPECT_EQ(trials[0].settings[0].read_back, "64");
  EXPECT_EQ(trials[1].settings[0].result, TrialResult::not_held);
  EXPECT_EQ(trials[2].settings[0].result, TrialResult::refused);
  EXPECT_NE(trials[2].settings[0].why.find("Operation not supported"), std::string::npos);
  expect_as_before();
}

TEST_F(CoreTrial, WhatIsSoAlreadyOrHasNoWayBackIsNotWritten) {
  world_.kernel.one_way = {"live:b"};
  world_.kernel.barred = {"live:c"};
  const auto trials = tried({setting("live:a", "1"), setting("live:b", "50"),
                             setting("live:c", "7"), setting("fw:f", "5", Relation::at_least)});
  ASSERT_EQ(trials.size(), 4U);
  std::map<std::string, TrialResult> results;
  for (const Trial& trial : trials) {
    EXPECT_FALSE(trial.settings[0].written);
    results[trial.settings[0].address.text] = trial.settings[0].result;
  }
  EXPECT_EQ(results["live:a"], TrialResult::already);
  EXPECT_EQ(results["fw:f"], TrialResult::already);
  EXPECT_EQ(results["live:b"], TrialResult::left_out);
  EXPECT_EQ(results["live:c"], TrialResult::left_out);
  EXPECT_EQ(undos_, 0);
  EXPECT_TRUE(session_.state.history()->empty());
  expect_as_before();
}

TEST_F(CoreTrial, OneUnitIsOneTrial) {
  const auto trials = tried({setting("live:list.x", "7"), setting("live:list.y", "8")});
  ASSERT_EQ(trials.size(), 1U);
  ASSERT_EQ(trials[0].settings.size(), 2U);
  EXPECT_EQ(trials[0].settings[1].result, TrialResult::held);
  expect_as_before();
}

TEST_F(CoreTrial, WhatASettingNeedsIsWrittenWithItAndNotToldOf) {
  world_.kernel.values["live:d"] = "0";
  world_.kernel.shown_by["live:d"] = "live:gate";
  before_ = visible(world_, true);
  const auto trials = tried({setting("live:gate", "on"), setting("live:d", "9")});
  ASSERT_EQ(trials.size(), 2U);
  for (const Trial& trial : trials) {
    ASSERT_EQ(trial.settings.size(), 1U);
    EXPECT_EQ(trial.settings[0].result, TrialResult::held)
        << trial.settings[0].address.text << ": " << trial.settings[0].why;
  }
  expect_as_before();
}

TEST_F(CoreTrial, WhatDoesNotComeBackIsNamed) {
  // Once written, the kernel keeps it, whatever is written then.
  live().bend = [](const Address&, Value value) { return value == "1" ? Value("77") : value; };
  const auto trials = tried({setting("live:a", "100")});
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].settings[0].result, TrialResult::not_undone);
  ASSERT_FALSE(trials[0].moved.empty());
  EXPECT_EQ(trials[0].moved[0].address.text, "live:a");
  EXPECT_EQ(trials[0].moved[0].before, "1");
  EXPECT_EQ(trials[0].moved[0].now, "77");
  EXPECT_TRUE(trials[0].error);
  // What recover tries again.
  EXPECT_NE(session_.state.journal()->kind, JournalStatus::Kind::none);
}

TEST_F(CoreTrial, AnInterruptionEndsItAndSaysNothingOfTheHardware) {
  cancelled_ = true;
  const auto trials = tried({setting("live:a", "100")});
  ASSERT_EQ(trials.size(), 1U);
  ASSERT_TRUE(trials[0].error);
  EXPECT_EQ(trials[0].error->code, Errc::busy);
  expect_as_before();
}

TEST_F(CoreTrial, ADriverThatIsBusyRefuses) {
  // ice answers a change of its channels so while RDMA has them.
  live().before_write = [](const Address& address) {
    return std::string(address.text == "live:a" ? "Device or resource busy" : "");
  };
  code_ = Errc::busy;
  const auto trials = tried({setting("live:a", "100")});
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].settings[0].result, TrialResult::refused);
  EXPECT_FALSE(trials[0].error);
  expect_as_before();
}

TEST_F(CoreTrial, WhatComesBackLateIsBack) {
  int looks = 0;
  beside_ = [&] {
    return looks < 2 ? std::vector<Moved>{{Address{"eth0 carrier"}, "up", "down"}}
                     : std::vector<Moved>();
  };
  look_again_ = [&] { return ++looks < 5; };
  const auto trials = tried({setting("live:a", "100")});
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].settings[0].result, TrialResult::held);
  EXPECT_TRUE(trials[0].moved.empty());
  EXPECT_EQ(looks, 2);
}

TEST_F(CoreTrial, WhatStaysAwayBesideItIsNotUndone) {
  int looks = 0;
  beside_ = [] { return std::vector<Moved>{{Address{"eth0 carrier"}, "up", "down"}}; };
  look_again_ = [&] { return ++looks < 5; };
  const auto trials = tried({setting("live:a", "100")});
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].settings[0].result, TrialResult::not_undone);
  ASSERT_EQ(trials[0].moved.size(), 1U);
  EXPECT_EQ(trials[0].moved[0].address.text, "eth0 carrier");
  EXPECT_EQ(looks, 5);
}

TEST_F(CoreTrial, KilledAnywhereItIsUndoneByRecover) {
  // The window of a trial is over before it opens, so recover never waits for a confirmation.
  Desired desired;
  desired.settings = {setting("live:a", "100")};
  const Plan plan = plan_of(desired);
  ApplyOptions options;
  options.action = kTrial;
  options.confirm_deadline_s = 1;
  ASSERT_EQ(session_.engine->apply(plan, desired, options).outcome, Outcome::waiting);
  EXPECT_EQ(world_.kernel.values["live:a"], "100");
  Session next(world_);
  EXPECT_EQ(next.engine->confirm().outcome, Outcome::failed);
  EXPECT_EQ(next.engine->recover({}).outcome, Outcome::rolled_back);
  expect_as_before();
}

TEST(CoreTrialResults, AreWordsAndBack) {
  for (int i = 0; i < 8; ++i) {
    const auto result = static_cast<TrialResult>(i);
    EXPECT_EQ(parse_trial_result(trial_result_text(result)), result);
  }
  EXPECT_FALSE(parse_trial_result("splendid"));
}

}  // namespace
}  // namespace nettune::core
