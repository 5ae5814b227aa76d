// SPDX-License-Identifier: Apache-2.0
#include "core/plan_scope.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace nettune {

namespace {

/// Only what is asked for is written, and what such a write also changes.
void leave_others(Plan& plan, const std::map<std::size_t, std::vector<std::size_t>>& after,
                  std::string_view why, auto&& is_asked_for) {
  std::vector<char> kept(plan.items.size(), 0);
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = is_asked_for(plan.items[i]) ? 1 : 0;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [moved, causes] : after) {
      const bool by_kept = std::any_of(causes.begin(), causes.end(),
                                       [&](std::size_t cause) { return kept[cause] != 0; });
      if (kept[moved] != 0 || !by_kept) continue;
      kept[moved] = 1;
      more = true;
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i] == 0 && plan.items[i].to_write()) plan.items[i].leave(std::string(why));
}

}  // namespace

void leave_out_of_scope(Plan& plan, const PlanInput& input,
                        const std::map<std::size_t, std::vector<std::size_t>>& after) {
  if (!input.only_device.empty())
    leave_others(plan, after, "only one device was asked for",
                 [&](const PlanItem& item) { return item.setting.device == input.only_device; });
  if (!input.only_kind.empty())
    for (PlanItem& item : plan.items)
      if (item.to_write() && item.setting.address.kind() != input.only_kind)
        item.leave("only one kind of settings was asked for");
  if (!input.only.empty())
    leave_others(plan, after, "only other settings were asked for",
                 [&](const PlanItem& item) { return input.only.contains(item.setting.address); });
  if (input.only_debts)
    leave_others(plan, after, "only what is owed was asked for", [&](const PlanItem& item) {
      return find_debt(plan.debts, item.setting.address) != nullptr;
    });
}

}  // namespace nettune
