// SPDX-License-Identifier: Apache-2.0
#include "core/undo_path.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace nettune::inline core {

namespace {

constexpr std::string_view kRollbackTo = "rollback to ";
constexpr std::string_view kBaseline = "baseline";

/// The generation that a rollback led to; nothing for other actions.
std::optional<std::uint64_t> target_of(std::string_view action) {
  if (!action.starts_with(kRollbackTo)) return {};
  action.remove_prefix(kRollbackTo.size());
  if (action == kBaseline) return 0;
  const auto number = parse_int(action);
  if (!number || *number < 0) return {};
  return static_cast<std::uint64_t>(*number);
}

bool wanted_the_same(const Transaction& left, const Transaction& right) {
  const auto same = [](const Setting& a, const Setting& b) {
    return a.address == b.address && a.relation == b.relation && a.want == b.want &&
           a.optional == b.optional && a.nearest == b.nearest && a.device == b.device;
  };
  return left.profile == right.profile && left.vars == right.vars &&
         std::equal(left.settings.begin(), left.settings.end(), right.settings.begin(),
                    right.settings.end(), same);
}

}  // namespace

std::string rollback_action(std::uint64_t number) {
  return number == 0 ? cat(kRollbackTo, kBaseline) : cat(kRollbackTo, number);
}

UndoPath undo_path(const std::vector<Transaction>& history) {
  UndoPath path;
  if (history.empty() || history.front().number == 1) path.foot = 1;
  std::vector<const Transaction*> steps;
  for (const Transaction& transaction : history) {
    if (!transaction.committed || transaction.aborted) continue;
    const auto target = target_of(transaction.action);
    if (target)
      while (!steps.empty() && steps.back()->number > *target) steps.pop_back();
    if (target == std::uint64_t{0}) {
      path.foot = transaction.number;
      continue;
    }
    // The same state again, perhaps under a device's new name.
    const bool again = transaction.action == kReapply || transaction.action == kPay;
    if (again && steps.empty() && transaction.profile.empty()) continue;  // it paid debts
    if (!steps.empty() && (again || wanted_the_same(*steps.back(), transaction))) {
      // The state of a prepared image is complete only since its first boot.
      if (steps.back()->image) steps.back() = &transaction;
      continue;
    }
    steps.push_back(&transaction);
  }
  for (const Transaction* const step : steps) path.steps.push_back(step->number);
  return path;
}

}  // namespace nettune::inline core
