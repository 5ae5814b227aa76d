// SPDX-License-Identifier: Apache-2.0
#include "core/debt.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"

namespace nettune::inline core {

namespace {

std::pair<Address, std::string> key_of(const Debt& debt) {
  return {debt.owed.address, debt.owed.device};
}

}  // namespace

/// Debts are in the order of their addresses: add_debts() makes it, and a plan has it.
const Debt* find_debt(const Debts& debts, const Address& address) {
  const auto found = std::ranges::lower_bound(
      debts, address, {}, [](const Debt& debt) -> const Address& { return debt.owed.address; });
  return found == debts.end() || found->owed.address != address ? nullptr : &*found;
}

Debts without_side_effects(const Debts& debts) {
  std::set<Address> addresses;
  for (const Debt& debt : debts) addresses.insert(debt.owed.address);
  Debts causes;
  std::ranges::copy_if(debts, std::back_inserter(causes),
                       [&](const Debt& debt) { return !addresses.contains(debt.owed.cause); });
  return causes;
}

Debts still_owed(Debts debts, bool same_boot) {
  if (same_boot) return debts;
  for (Debt& debt : debts)
    if (debt.owed.lifetime == Lifetime::runtime) debt.owed.committed = debt.owed.baseline;
  std::erase_if(debts, [](const Debt& debt) {
    return !debt.to_set && debt.owed.lifetime == Lifetime::runtime;
  });
  return debts;
}

Debts add_debts(Debts before, const Debts& fresh) {
  std::map<std::pair<Address, std::string>, std::size_t> known;
  for (std::size_t i = 0; i < before.size(); ++i) known.emplace(key_of(before[i]), i);
  for (const Debt& debt : fresh) {
    const auto [at, is_new] = known.emplace(key_of(debt), before.size());
    if (is_new) {
      before.push_back(debt);
      continue;
    }
    Debt& old = before[at->second];
    const Value baseline = old.owed.baseline;
    old = debt;
    old.owed.baseline = baseline;
  }
  std::ranges::sort(before, [](const Debt& left, const Debt& right) {
    return std::tie(left.owed.address, left.owed.device) <
           std::tie(right.owed.address, right.owed.device);
  });
  return before;
}

std::map<Address, Owned> with_debts(std::map<Address, Owned> owned, const Debts& debts) {
  for (const Debt& debt : debts)
    if (!debt.to_set || debt.left_a_value()) owned.emplace(debt.owed.address, debt.owed);
  return owned;
}

Debts debts_of_gone(const std::vector<Owned>& gone, const std::vector<Setting>& waiting,
                    bool same_boot) {
  std::set<std::pair<Address, std::string>> wanted;
  for (const Setting& setting : waiting) wanted.emplace(setting.address, setting.device);
  Debts debts;
  for (const Owned& owned : gone)
    if (!wanted.contains({owned.address, owned.device}) &&
        !wanted.contains({owned.cause, owned.device}))
      debts.push_back({owned, away_text(owned.device), false});
  return still_owed(std::move(debts), same_boot);
}

std::string away_text(const std::string& device) {
  return cat("its device (", device, ") is not present");
}

}  // namespace nettune::inline core
