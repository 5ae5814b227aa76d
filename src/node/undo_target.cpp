// SPDX-License-Identifier: Apache-2.0
#include "node/undo_target.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace nettune::cli {

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

std::uint64_t previous_generation(const std::vector<Transaction>& history) {
  // The generations that an undo would walk back through, oldest first.
  std::vector<const Transaction*> path;
  for (const Transaction& transaction : history) {
    if (!transaction.committed || transaction.aborted) continue;
    const auto target = target_of(transaction.action);
    if (target)
      while (!path.empty() && path.back()->number > *target) path.pop_back();
    if (target == std::uint64_t{0}) continue;
    // The same once more, be it under the new name of a device.
    const bool again = transaction.action == kReapply || transaction.action == kPay;
    if (again && path.empty() && transaction.profile.empty()) continue;  // debts were paid
    if (!path.empty() && (again || wanted_the_same(*path.back(), transaction))) {
      // What an image was prepared for is whole only since its first boot.
      if (path.back()->image) path.back() = &transaction;
      continue;
    }
    path.push_back(&transaction);
  }
  return path.size() < 2 ? 0 : path[path.size() - 2]->number;
}

}  // namespace nettune::cli
