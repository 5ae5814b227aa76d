// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/journal.hpp"

namespace nettune::inline core {

/// Makes directories durable. A directory that is gone needs nothing.
Result<> sync_directories(Disk& disk, const std::set<std::string>& directories);

/// Creates the missing parts of the state directory, durably, and removes unfinished blobs.
Result<> prepare_state(Disk& disk, const StatePaths& paths);

/// Stores file contents in blobs/, durably. Existing blobs are only read; a modified one is
/// replaced.
Result<> store_blobs(Disk& disk, const StatePaths& paths,
                     const std::map<std::string, std::string>& contents);

/// Runs after the commit point: places the staged files, last unit first (files before the
/// directories that held them), and moves the journal to the generations. A missing temporary is
/// made again from `contents`. A file that something is in the way of (a mount point, a flag) keeps
/// its old content, and becomes a debt: UNPLACED names it. Other errors go to `report`. With
/// `abandon`, files that cannot be placed are listed as left, and the journal does not stay.
void finish_commit(Disk& disk, const Transaction& transaction, const Providers& providers,
                   const Contents& contents, Journal& journal, Report& report,
                   bool abandon = false);

/// Runs after an undo: appends ABORTED with the remaining debts (`report.debts`) and moves the
/// journal away. Errors go to `report`.
void finish_abort(const std::string& reason, Journal& journal, Report& report);

}  // namespace nettune::inline core
