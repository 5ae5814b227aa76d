// SPDX-License-Identifier: Apache-2.0
#include "core/committed.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace nettune::inline core {

Debts debts_of_unplaced(const Transaction& transaction,
                        const std::map<Address, std::string>& unplaced) {
  Debts debts;
  for (const Record& record : transaction.records) {
    const auto found = unplaced.find(record.address);
    if (found == unplaced.end()) continue;
    const auto setting = std::ranges::find(transaction.settings, record.address, &Setting::address);
    Debt debt;
    debt.reason = found->second;
    debt.to_set = setting != transaction.settings.end();
    Owned& owed = debt.owed;
    owed.address = record.address;
    owed.device = record.device;
    owed.lifetime = record.lifetime;
    if (debt.to_set) {
      const auto owned = transaction.owned.find(record.address);
      const auto right = transaction.found.find(record.address);
      owed.baseline = owned != transaction.owned.end()   ? owned->second.baseline
                      : right != transaction.found.end() ? right->second.baseline
                                                         : record.before;
      owed.wanted = setting->want;
    } else {
      owed.baseline = owed.wanted = record.after;
      owed.cause = record.cause;
    }
    owed.committed = record.before;
    debts.push_back(std::move(debt));
  }
  return debts;
}

void commit_values(Transaction& transaction, const std::map<Address, Value>& values) {
  std::map<std::string_view, const Setting*> settings;
  for (const Setting& setting : transaction.settings)
    settings.emplace(setting.address.text, &setting);
  for (const Record& record : transaction.records) {
    const auto value = values.find(record.address);
    // A record without a value was left out: optional and not possible. It is not managed.
    if (value == values.end()) continue;
    const auto setting = settings.find(record.address.text);
    const bool wanted_for_itself = setting != settings.end();
    const bool moved_along = !record.cause.text.empty() && !record.settle;
    if (!wanted_for_itself && !moved_along) continue;  // restored: no longer managed
    auto [owned, is_new] = transaction.owned.try_emplace(record.address);
    if (!is_new && moved_along) {
      // A possible side effect that did not happen keeps its entry.
      if (value->second == record.before) continue;
      if (!wanted_for_itself) owned->second.cause = record.cause;
    }
    if (is_new) {
      owned->second.address = record.address;
      const auto found = transaction.found.find(record.address);
      owned->second.baseline =
          found == transaction.found.end() ? record.before : found->second.baseline;
      owned->second.lifetime = record.lifetime;
      if (!wanted_for_itself) owned->second.cause = record.cause;
    }
    owned->second.device = record.device;
    owned->second.committed = value->second;
    owned->second.wanted = wanted_for_itself ? setting->second->want : value->second;
  }
}

void leave_unplaced(Transaction& transaction) {
  if (transaction.unplaced.empty()) return;
  const Debts fresh = debts_of_unplaced(transaction, transaction.unplaced);
  std::set<std::string_view> units;
  for (const Record& record : transaction.records)
    if (transaction.unplaced.contains(record.address)) units.insert(record.unit);
  for (const Debt& debt : fresh)
    if (!debt.to_set) transaction.owned.insert_or_assign(debt.owed.address, debt.owed);
  // With their side effects: how nccl.conf ends.
  for (const Record& record : transaction.records)
    if (const auto owned = transaction.owned.find(record.address);
        owned != transaction.owned.end() && units.contains(record.unit))
      owned->second.committed = record.before;
  transaction.debts = add_debts(std::move(transaction.debts), fresh);
}

}  // namespace nettune::inline core
