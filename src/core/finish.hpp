// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/journal.hpp"

namespace nettune {

/// Makes directories durable; one that is gone by now needs nothing.
Result<> sync_directories(Disk& disk, const std::set<std::string>& directories);

/// Creates what is missing of the state directory, durably, and sweeps unfinished blobs.
Result<> prepare_state(Disk& disk, const StatePaths& paths);

/// Puts file contents into blobs/, durably. Those that are there already are only read; one that
/// somebody changed is replaced.
Result<> store_blobs(Disk& disk, const StatePaths& paths,
                     const std::map<std::string, std::string>& contents);

/// Behind the commit point: places what was staged, last unit first (files before the directories
/// that held them), and moves the journal among the generations. A temporary that somebody swept
/// away is made again from `contents`. Errors go to `report`; with `abandon` what cannot be placed
/// is listed as left, and the journal does not stay.
void finish_commit(Disk& disk, const Transaction& transaction, const Providers& providers,
                   const Contents& contents, Journal& journal, Report& report,
                   bool abandon = false);

/// Behind an undo: ABORTED, with what is still owed (`report.debts`), and the journal out of the
/// way. Errors go to `report`.
void finish_abort(const std::string& reason, Journal& journal, Report& report);

}  // namespace nettune
