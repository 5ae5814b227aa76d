// SPDX-License-Identifier: Apache-2.0
#include "core/trial.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/word_table.hpp"

namespace nettune::inline core {
namespace {

constexpr auto kResults = word_table<TrialResult>({
    {TrialResult::held, "held"},
    {TrialResult::clamped, "clamped"},
    {TrialResult::not_held, "not_held"},
    {TrialResult::refused, "refused"},
    {TrialResult::unsupported, "unsupported"},
    {TrialResult::already, "already"},
    {TrialResult::left_out, "left_out"},
    {TrialResult::not_undone, "not_undone"},
});

/// Why the plan alone excludes a setting from the trial; nothing if it does not.
void judge_plan(const PlanItem& item, TriedSetting& tried) {
  const auto say = [&](TrialResult result, std::string why) {
    tried.result = result;
    tried.why = std::move(why);
  };
  switch (item.verdict) {
    case Verdict::in_sync:
      return say(TrialResult::already, "has this value already");
    case Verdict::not_applicable:
      return say(TrialResult::unsupported, item.now.why);
    case Verdict::different:
    case Verdict::not_yet:
      break;
    default:
      return say(TrialResult::left_out, cat(verdict_text(item.verdict), ": ", item.now.why));
  }
  if (item.effects.undo == Undo::none)
    return say(TrialResult::left_out, cat("cannot be undone: ", item.effects.residue));
  if (!item.refused.empty()) return say(TrialResult::left_out, item.refused);
  tried.written = true;
}

TriedSetting describe(const PlanItem& item) {
  TriedSetting tried;
  tried.address = item.setting.address;
  tried.before = item.now.value();
  tried.wanted = item.to_write() ? item.after : item.setting.want;
  tried.read_back = tried.before;
  tried.impact = item.effects.impact;
  tried.residue = item.effects.undo == Undo::residue ? item.effects.residue : "";
  judge_plan(item, tried);
  return tried;
}

/// Why a trial cannot begin although the requested settings can be tried: something that they need
/// cannot. "" for no reason.
std::string in_the_way(const Plan& plan) {
  for (const PlanItem& item : plan.items) {
    TriedSetting tried = describe(item);
    if (!tried.written && tried.result == TrialResult::left_out)
      return cat("needs ", item.setting.address.text, ": ", tried.why);
  }
  return {};
}

void judge_value(const Plan& plan, const std::map<Address, Reading>& now, TriedSetting& tried) {
  const auto item = std::find_if(plan.items.begin(), plan.items.end(), [&](const PlanItem& each) {
    return each.setting.address == tried.address;
  });
  const Reading& reading = now.at(tried.address);
  tried.read_back = reading.value();
  if (!reading.has_value()) {
    tried.result = TrialResult::not_held;
    tried.why = reading.why;
  } else if (satisfies(item->setting.relation, tried.wanted, tried.read_back)) {
    tried.result = TrialResult::held;
  } else {
    tried.result = tried.read_back == tried.before ? TrialResult::not_held : TrialResult::clamped;
  }
}

void judge_all(Trial& trial, TrialResult result, const std::string& why) {
  for (TriedSetting& tried : trial.settings) {
    if (!tried.written) continue;
    tried.result = result;
    tried.why = why;
  }
}

std::string error_of(const Report& report) {
  return report.error ? report.error->text : "the engine did not say why";
}

/// The value that the kernel stored, or why it refused.
void judge_apply(const Plan& plan, const Report& applied, const Providers& providers,
                 const TrialSteps& steps, Trial& trial) {
  switch (applied.outcome) {
    case Outcome::waiting: {
      const auto now = read_everything(plan, providers);
      for (TriedSetting& tried : trial.settings)
        if (tried.written) judge_value(plan, now, tried);
      return;
    }
    case Outcome::rolled_back:
    case Outcome::incomplete:
      judge_all(trial, TrialResult::refused, error_of(applied));
      // An interrupted trial says nothing about the hardware. The error's code does not tell: a
      // signal has EBUSY, like a driver.
      if (steps.cancelled()) trial.error = Error{Errc::busy, error_of(applied), 0, {}, 0};
      return;
    default:
      judge_all(trial, TrialResult::left_out, error_of(applied));
      trial.error = applied.error.value_or(Error{Errc::conflict, error_of(applied), 0, {}, 0});
  }
}

std::string told(const Reading& reading) {
  if (reading.presence == Presence::present) return reading.text;
  return reading.why.empty() ? "absent" : reading.why;
}

/// The values that still differ after the patience of `steps`.
std::vector<Moved> moved_since(const std::map<Address, Reading>& before, const Plan& plan,
                               const Providers& providers, const TrialSteps& steps) {
  while (true) {
    std::vector<Moved> moved = compare(before, read_everything(plan, providers));
    for (Moved& one : steps.beside()) moved.push_back(std::move(one));
    if (moved.empty() || !steps.look_again()) return moved;
  }
}

}  // namespace

std::string_view trial_result_text(TrialResult result) { return kResults.word(result); }
std::optional<TrialResult> parse_trial_result(std::string_view text) {
  return kResults.value(text);
}

bool was_tried(TrialResult result) {
  return result == TrialResult::held || result == TrialResult::clamped ||
         result == TrialResult::not_held || result == TrialResult::refused ||
         result == TrialResult::not_undone;
}

std::vector<Moved> compare(const std::map<Address, Reading>& before,
                           const std::map<Address, Reading>& now) {
  std::vector<Moved> moved;
  for (const auto& [address, old] : before) {
    const auto found = now.find(address);
    const Reading reading = found == now.end() ? Reading() : found->second;
    if (reading.presence != old.presence || reading.text != old.text)
      moved.push_back({address, told(old), told(reading)});
  }
  return moved;
}

std::map<Address, Reading> read_everything(const Plan& plan, const Providers& providers) {
  std::set<Address> addresses;
  for (const PlanItem& item : plan.items) {
    addresses.insert(item.setting.address);
    for (const Witness& witness : item.effects.touches) addresses.insert(witness.address);
  }
  return read_all({addresses.begin(), addresses.end()}, providers);
}

Trial try_out(const Plan& plan, const std::set<Address>& asked, const Providers& providers,
              const TrialSteps& steps) {
  Trial trial;
  for (const PlanItem& item : plan.items)
    if (asked.contains(item.setting.address)) trial.settings.push_back(describe(item));
  const bool any = std::any_of(trial.settings.begin(), trial.settings.end(),
                               [](const TriedSetting& tried) { return tried.written; });
  if (!any) return trial;
  if (const std::string why = in_the_way(plan); !why.empty()) {
    judge_all(trial, TrialResult::left_out, why);
    for (TriedSetting& tried : trial.settings) tried.written = false;
    return trial;
  }
  const auto before = read_everything(plan, providers);
  const Report applied = steps.apply();
  judge_apply(plan, applied, providers, steps, trial);
  std::optional<Report> undone;
  if (applied.outcome == Outcome::waiting) undone = steps.undo();
  const bool unfinished =
      applied.outcome == Outcome::incomplete || (undone && undone->outcome != Outcome::rolled_back);
  // Waiting does not help what could not be undone.
  trial.moved = unfinished ? compare(before, read_everything(plan, providers))
                           : moved_since(before, plan, providers, steps);
  if (unfinished) {
    const Report& last = undone ? *undone : applied;
    trial.error = last.error.value_or(Error{Errc::io, error_of(last), 0, {}, 0});
  }
  if (unfinished || !trial.moved.empty())
    judge_all(trial, TrialResult::not_undone, unfinished ? trial.error->text : "");
  return trial;
}

std::vector<TrialUnit> trial_units(const Plan& plan, const Providers& providers) {
  std::map<Address, const Setting*> wanted;
  for (const PlanItem& item : plan.items) wanted.emplace(item.setting.address, &item.setting);
  std::vector<TrialUnit> units;
  std::map<std::string, std::size_t> unit_at;
  for (const PlanItem& item : plan.items) {
    const auto [found, is_new] = unit_at.emplace(item.unit, units.size());
    if (is_new) units.emplace_back();
    units[found->second].asked.insert(item.setting.address);
  }
  for (TrialUnit& unit : units) {
    std::set<Address> with = unit.asked;
    std::vector<Address> open(with.begin(), with.end());
    while (!open.empty()) {
      const Address address = open.back();
      open.pop_back();
      unit.settings.push_back(*wanted.at(address));
      for (const Address& needed : providers.find(address.kind())->needs(address))
        if (wanted.contains(needed) && with.insert(needed).second) open.push_back(needed);
    }
    for (Setting& setting : unit.settings) {
      setting.optional = false;
      setting.nearest = true;
    }
  }
  return units;
}

}  // namespace nettune::inline core
