// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

#include "core/side_effects.hpp"
#include "unit/support/fake_provider.hpp"

namespace nettune::core {
namespace {

using namespace test;

Setting wants(const std::string& address, Value value, Relation relation = Relation::exact) {
  Setting setting;
  setting.address.text = address;
  setting.want = std::move(value);
  setting.relation = relation;
  return setting;
}

/// Addresses of those `settings` that do not hold.
std::vector<std::string> apart(const std::vector<Setting>& settings, const Providers& providers) {
  std::vector<std::string> all;
  for (const std::size_t index : not_holding(settings, providers))
    all.push_back(settings[index].address.text);
  return all;
}

class CorePlan : public testing::Test {
 protected:
  CorePlan() {
    kernel.values = {{"a:exact", "1"}, {"a:larger", "70"}, {"a:other", "2"}, {"b:one", "x"}};
    kernel.gone = {{"b:gone", "its device is gone"}};
    kernel.appears_after = {{"b:later", "a:exact"}};
    for (const char* const kind : {"b", "a"}) {
      auto fake = std::make_unique<FakeProvider>(kind, kernel);
      fake->on_read = [this] { ++reads; };
      fake->units = {{"b:part", "b:whole"}, {"b:other", "b:whole"}};
      fakes.push_back(fake.get());
      providers.add(std::move(fake));
    }
  }

  FakeKernel kernel;
  Providers providers;
  std::vector<FakeProvider*> fakes;
  int reads = 0;
};

TEST_F(CorePlan, NotHoldingIsWhatIsNotPlainlySo) {
  const std::vector<Setting> settings = {wants("a:absent", std::nullopt),
                                         wants("a:exact", "1"),
                                         wants("a:larger", "64", Relation::at_least),
                                         wants("a:other", "1"),
                                         wants("b:gone", "1"),
                                         wants("b:later", "1"),
                                         wants("b:one", "x"),
                                         wants("b:two", "y"),
                                         wants("c:unknown kind", "z")};
  EXPECT_EQ(apart(settings, providers),
            (std::vector<std::string>{"a:other", "b:gone", "b:later", "b:two", "c:unknown kind"}));
  EXPECT_EQ(reads, 2) << "each kind is read once";
}

/// What plans call in sync and what a look alone finds to hold must not part, but for values that
/// another write would move along.
TEST_F(CorePlan, NotHoldingAgreesWithThePlan) {
  Desired desired;
  desired.settings = {wants("a:exact", "1"), wants("a:larger", "71", Relation::at_least),
                      wants("a:other", "2", Relation::at_most), wants("b:one", "y"),
                      wants("b:two", std::nullopt)};
  const std::map<Address, Owned> owned;
  const auto plan = make_plan(PlanInput{desired, owned, {}, {}, false, false}, providers);
  ASSERT_TRUE(plan) << plan.error().text;
  std::vector<std::string> planned;
  for (const PlanItem& item : plan->items)
    if (item.verdict != Verdict::in_sync) planned.push_back(item.setting.address.text);
  std::sort(planned.begin(), planned.end());
  EXPECT_EQ(planned, apart(desired.settings, providers));
}

/// b:hazard cuts eth0 unless a:shield is "on".
TEST_F(CorePlan, WhatProtectsIsWrittenFirstAndSparesTheDevice) {
  kernel.protects = {{"b:shield", "on"}};
  kernel.exposes = {{"a:hazard", "b:shield"}};
  Desired desired;
  const std::map<Address, Owned> owned;
  const auto plan_of = [&](const std::vector<Setting>& settings) {
    desired.settings = settings;
    PlanInput input{desired, owned, {}, {{"eth0", "carries the default route"}}, false, false};
    auto plan = make_plan(input, providers);
    EXPECT_TRUE(plan) << plan.error().text;
    return std::move(*plan);
  };
  const auto hazard_in = [](const Plan& plan) {
    return *std::ranges::find_if(
        plan.items, [](const PlanItem& item) { return item.setting.address.text == "a:hazard"; });
  };
  const Plan both = plan_of({wants("a:hazard", "1"), wants("b:shield", "on")});
  EXPECT_EQ(both.items.front().setting.address.text, "b:shield") << "before kind and name";
  EXPECT_EQ(hazard_in(both).effects.impact, Impact::none);
  EXPECT_EQ(hazard_in(both).effects.undo, Undo::exact);
  EXPECT_FALSE(both.has_refusals());

  const Plan alone = plan_of({wants("a:hazard", "1")});
  EXPECT_EQ(hazard_in(alone).effects.impact, Impact::may_cut);
  EXPECT_EQ(hazard_in(alone).effects.residue, "its routes are gone");
  EXPECT_TRUE(alone.has_refusals());

  kernel.values["b:shield"] = "on";
  EXPECT_FALSE(plan_of({wants("a:hazard", "1")}).has_refusals()) << "it is up already";
  const Plan ends = plan_of({wants("a:hazard", "1"), wants("b:shield", "off")});
  EXPECT_EQ(ends.items.back().setting.address.text, "b:shield") << "it ends last";
  EXPECT_TRUE(ends.has_refusals()) << "and what comes then is not protected";
}

TEST_F(CorePlan, WhatHasNoWayBackIsWrittenLast) {
  kernel.one_way = {"b:one"};
  Desired desired;
  desired.settings = {wants("a:exact", "2"), wants("b:one", "y"), wants("b:two", "z")};
  const std::map<Address, Owned> owned;
  const auto plan = make_plan(PlanInput{desired, owned, {}, {}, false, false}, providers);
  ASSERT_TRUE(plan) << plan.error().text;
  std::vector<std::string> order;
  for (const PlanItem& item : plan->items) order.push_back(item.setting.address.text);
  EXPECT_EQ(order, (std::vector<std::string>{"b:two", "a:exact", "b:one"}));
}

TEST_F(CorePlan, APartThatMayNotBeWrittenBarsItsWholeUnit) {
  kernel.barred = {"b:part"};
  Desired desired;
  desired.settings = {wants("a:exact", "2"), wants("b:part", "y"), wants("b:other", "z")};
  desired.settings[1].optional = true;
  const std::map<Address, Owned> owned;
  const auto plan = make_plan(PlanInput{desired, owned, {}, {}, false, false}, providers);
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_TRUE(plan->has_not_permitted());
  for (const PlanItem& item : plan->items) {
    const bool in_unit = item.unit == "b:whole";
    EXPECT_EQ(item.verdict, in_unit ? Verdict::not_permitted : Verdict::different);
    EXPECT_EQ(item.now.why, in_unit ? "it is barred" : "");
  }
}

TEST_F(CorePlan, WhatWaitsForItsDeviceStaysRemembered) {
  Desired desired;
  desired.settings = {wants("a:exact", "1")};
  desired.absent = {wants("a:gone", "7"), wants("a:exact", "9")};
  for (Setting& setting : desired.absent) setting.device = "pci 0000:01:00.0 port 0";
  const std::map<Address, Owned> owned;
  const auto plan = make_plan(PlanInput{desired, owned, {}, {}, false, false}, providers);
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_FALSE(plan->writes());
  const std::vector<Setting> wanted = plan->wanted();
  // The name of an absent device may be another's now: that one comes first.
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(wanted[0].want, Value("1"));
  EXPECT_EQ(wanted[1].want, Value("9"));
  EXPECT_EQ(wanted[1].device, desired.absent[1].device);
  EXPECT_EQ(wanted[2].address.text, "a:gone");
}

TEST_F(CorePlan, OfOneDeviceIsAlsoWhatItsWritesMove) {
  kernel.values["a:moved"] = "5";
  kernel.moves["a:exact"] = {{"a:moved", "9"}};
  Desired desired;
  desired.settings = {wants("a:exact", "2"), wants("a:moved", "5"), wants("b:one", "y")};
  desired.settings[0].device = "the card";
  const std::map<Address, Owned> owned;
  const auto plan =
      make_plan(PlanInput{desired, owned, {}, {}, false, false, {}, {"the card"}}, providers);
  ASSERT_TRUE(plan) << plan.error().text;
  std::vector<std::string> written;
  for (const PlanItem& item : plan->items)
    if (item.to_write()) written.push_back(item.setting.address.text);
  EXPECT_EQ(written, (std::vector<std::string>{"a:exact", "a:moved"}));
}

TEST_F(CorePlan, OfNamedSettingsTheyAloneAreWrittenAndWhatTheyMove) {
  kernel.values["a:moved"] = "5";
  kernel.moves["a:exact"] = {{"a:moved", "9"}};
  Desired desired;
  desired.settings = {wants("a:exact", "2"), wants("a:moved", "5"), wants("b:one", "y")};
  const std::map<Address, Owned> owned;
  PlanInput input{desired, owned, {}, {}, false, false};
  input.only = {Address{"a:exact"}};
  const auto plan = make_plan(input, providers);
  ASSERT_TRUE(plan) << plan.error().text;
  std::vector<std::string> written;
  for (const PlanItem& item : plan->items)
    if (item.to_write()) written.push_back(item.setting.address.text);
  EXPECT_EQ(written, (std::vector<std::string>{"a:exact", "a:moved"}));
  EXPECT_EQ(plan->wanted().size(), 3U) << "the others are wanted all the same";
}

/// What moved along is a change of its own where the setting that moved it is not given back.
TEST_F(CorePlan, ASideEffectWhoseCauseStaysIsAChange) {
  kernel.values["a:moved"] = "9";
  kernel.moves["a:exact"] = {{"a:moved", "5"}};
  std::map<Address, Owned> owned;
  for (const auto& [address, baseline, committed] :
       {std::tuple("a:exact", "1", "3"), std::tuple("a:moved", "5", "9")}) {
    Owned& one = owned[Address{address}];
    one.address = Address{address};
    one.baseline = baseline;
    one.committed = committed;
  }
  owned[Address{"a:moved"}].cause = Address{"a:exact"};
  const Desired nothing;
  for (const auto& [now, left, side_effects] : {std::tuple("7", 1U, 0U), std::tuple("3", 0U, 1U)}) {
    kernel.values["a:exact"] = now;
    const auto plan = make_plan(PlanInput{nothing, owned, {}, {}, false, false}, providers);
    ASSERT_TRUE(plan) << plan.error().text;
    EXPECT_EQ(plan->count(Verdict::left), left);
    EXPECT_EQ(plan->changes(), 1U);
    EXPECT_EQ(nettune::side_effects(*plan).size(), side_effects);
  }
}

TEST_F(CorePlan, EverySettingThatCannotBeIsReportedAtOnce) {
  Desired desired;
  desired.settings = {wants("nosuch:a", "1"), wants("a:exact", "2"), wants("nosuch:b", "1")};
  const std::map<Address, Owned> owned;
  const auto plan = make_plan(PlanInput{desired, owned, {}, {}, false, false}, providers);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().text.find("nosuch:a"), std::string::npos) << plan.error().text;
  EXPECT_NE(plan.error().text.find("nosuch:b"), std::string::npos) << plan.error().text;
}

TEST_F(CorePlan, WhatIsGuardedMayBeLeftOutByItself) {
  for (FakeProvider* const fake : fakes) fake->cuts = "eth0";
  Desired desired;
  desired.settings = {wants("a:exact", "2")};
  const std::map<Address, Owned> owned;
  PlanInput input{desired, owned, {}, {{"eth0", "carries the default route"}}, false, false};
  EXPECT_TRUE(make_plan(input, providers)->has_refusals());
  input.leave_refused = true;
  const auto plan = make_plan(input, providers);
  EXPECT_FALSE(plan->has_refusals());
  EXPECT_FALSE(plan->writes());
  EXPECT_EQ(plan->items.at(0).verdict, Verdict::left);
}

TEST_F(CorePlan, WhatAnotherOwnerWouldUndoIsNotWritten) {
  Desired desired;
  desired.settings = {wants("a:exact", "2"), wants("b:one", "y")};
  const std::map<Address, Owned> owned;
  Claim claim{Address{"a:exact"}, "lldpad", "/its.conf", 7, "", true, "lldpad undoes it", true};
  PlanInput input{desired, owned, {claim}, {}};
  const auto of = [](const Result<Plan>& plan, std::string_view address) {
    return *std::find_if(plan->items.begin(), plan->items.end(), [&](const PlanItem& item) {
      return item.setting.address.text == address;
    });
  };
  auto plan = make_plan(input, providers);
  EXPECT_TRUE(plan->has_refusals());
  EXPECT_EQ(of(plan, "a:exact").refused, "lldpad undoes it");
  EXPECT_TRUE(of(plan, "a:exact").refused_by_owner);
  EXPECT_EQ(of(plan, "b:one").refused, "");

  input.leave_refused = true;
  plan = make_plan(input, providers);
  EXPECT_FALSE(plan->has_refusals());
  EXPECT_EQ(of(plan, "a:exact").verdict, Verdict::left);
  EXPECT_EQ(of(plan, "b:one").verdict, Verdict::different);

  input.leave_refused = false;
  input.accept_owners = true;
  EXPECT_FALSE(make_plan(input, providers)->has_refusals());
  input.accept_owners = false;
  input.claims[0].undoes = false;
  EXPECT_FALSE(make_plan(input, providers)->has_refusals());

  // A value that holds is not written, so nobody minds.
  input.claims[0].undoes = true;
  kernel.values["a:exact"] = "2";
  EXPECT_FALSE(make_plan(input, providers)->has_refusals());
}

TEST_F(CorePlan, TheBaselineIsGivenBackWhoeverElseSetsIt) {
  Owned was;
  was.address.text = "a:exact";
  was.baseline = "0";
  was.committed = "1";
  const std::map<Address, Owned> owned = {{was.address, was}};
  const Desired desired;
  const Claim claim{was.address, "lldpad", "/its.conf", 7, "", true, "lldpad undoes it", true};
  const auto plan = make_plan(PlanInput{desired, owned, {claim}, {}}, providers);
  ASSERT_EQ(plan->items.size(), 1U);
  EXPECT_TRUE(plan->items[0].to_write());
  EXPECT_FALSE(plan->has_refusals());
}

TEST_F(CorePlan, WhatHasNoWayBackIsNotGivenBack) {
  kernel.one_way = {"a:exact"};
  Owned was;
  was.address.text = "a:exact";
  was.baseline = "0";
  was.committed = was.wanted = "1";
  const std::map<Address, Owned> owned = {{was.address, was}};
  const Desired desired;
  const auto plan = make_plan(PlanInput{desired, owned, {}, {}, false, false}, providers);
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_FALSE(plan->writes());
  EXPECT_EQ(plan->items.at(0).verdict, Verdict::left);
}

TEST_F(CorePlan, GivesBackInTheOrderThatTheProviderAsksFor) {
  std::map<Address, Owned> owned;
  for (const char* const address : {"a:exact", "a:other"}) {
    Owned one;
    one.address.text = address;
    one.baseline = "0";
    one.committed = kernel.values[address];
    owned.emplace(one.address, one);
  }
  const Desired desired;
  const auto first = [&]() -> std::string {
    const auto plan = make_plan(PlanInput{desired, owned, {}, {}, false, false}, providers);
    return plan && !plan->units.empty() ? plan->items[plan->units[0][0]].setting.address.text : "";
  };
  EXPECT_EQ(first(), "a:exact");
  fakes[1]->given_back_last = {{"a:exact", "a:other"}};
  EXPECT_EQ(first(), "a:other");
}

}  // namespace
}  // namespace nettune::core
