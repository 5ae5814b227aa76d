// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/journal.hpp"
#include "core/state.hpp"

namespace nettune::inline core {

// State::applied() and State::debts() from one listing, finished_files(): a check asks for both.

/// Lists again if another nettune removed a file meanwhile.
Result<Applied> applied_among(Disk& disk, const StatePaths& paths, std::vector<FinishedFile> files,
                              KnowsKind knows);
Result<KnownDebts> debts_among(Disk& disk, const std::vector<FinishedFile>& files,
                               const std::string& boot_id, const Transaction* active,
                               KnowsKind knows);

}  // namespace nettune::inline core
