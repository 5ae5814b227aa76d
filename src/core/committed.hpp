// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/state.hpp"

/// What a transaction that has committed means for the managed settings and the debts.
namespace nettune::inline core {

/// The debts that `unplaced` means for a committed transaction: what each file must still become.
Debts debts_of_unplaced(const Transaction& transaction,
                        const std::map<Address, std::string>& unplaced);

/// The managed settings after `values` have been read back: the committed map of a transaction.
void commit_values(Transaction& transaction, const std::map<Address, Value>& values);

/// Corrects what COMMIT said before the files were placed: those in Transaction::unplaced still
/// have their old content.
void leave_unplaced(Transaction& transaction);

}  // namespace nettune::inline core
