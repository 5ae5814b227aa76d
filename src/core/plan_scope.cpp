// SPDX-License-Identifier: Apache-2.0
#include "core/plan_scope.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace nettune::inline core {

namespace {

/// Would be written, or stops the plan because it may not be.
bool is_in_question(const PlanItem& item) {
  return item.to_write() || item.verdict == Verdict::not_permitted;
}

/// Only what is asked for is written, and what such a write also changes.
void leave_others(Plan& plan, const std::map<std::size_t, std::vector<std::size_t>>& after,
                  std::string_view why, auto&& is_asked_for) {
  std::map<std::size_t, std::vector<std::size_t>> moved_by;
  for (const auto& [moved, causes] : after)
    for (const std::size_t cause : causes) moved_by[cause].push_back(moved);
  std::vector<char> kept(plan.items.size(), 0);
  std::vector<std::size_t> open;
  const auto keep = [&](std::size_t index) {
    if (kept[index] == 0) open.push_back(index);
    kept[index] = 1;
  };
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (is_asked_for(plan.items[i])) keep(i);
  while (!open.empty()) {
    const auto moved = moved_by.find(open.back());
    open.pop_back();
    if (moved != moved_by.end()) std::ranges::for_each(moved->second, keep);
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i] == 0 && is_in_question(plan.items[i])) plan.items[i].leave(std::string(why));
}

}  // namespace

void leave_out_of_scope(Plan& plan, const PlanInput& input,
                        const std::map<std::size_t, std::vector<std::size_t>>& after) {
  if (!input.only_devices.empty() || !input.only.empty())
    leave_others(plan, after, "only other settings were asked for", [&](const PlanItem& item) {
      return input.only_devices.contains(item.setting.device) ||
             input.only.contains(item.setting.address);
    });
  if (!input.only_kind.empty())
    for (PlanItem& item : plan.items)
      if (is_in_question(item) && item.setting.address.kind() != input.only_kind)
        item.leave("only one kind of settings was asked for");
  if (input.only_debts)
    leave_others(plan, after, "only what is owed was asked for", [&](const PlanItem& item) {
      return find_debt(plan.debts, item.setting.address) != nullptr;
    });
}

}  // namespace nettune::inline core
