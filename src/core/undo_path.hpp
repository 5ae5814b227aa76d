// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state.hpp"

namespace nettune {

/// What a rollback to generation `number` (0: the baseline) calls itself in the history.
std::string rollback_action(std::uint64_t number);

/// The generations that an undo walks back through. A rollback to N counts as being at N, and
/// generations that wanted the same (an apply that only repaired drift) are one step.
struct UndoPath {
  std::vector<std::uint64_t> steps;  ///< oldest first; the last one wants what the active one wants
  /// What shows that the baseline lies before the first step: the last rollback to it, or the first
  /// transaction of all. Nothing: what lay before is not remembered any more.
  std::optional<std::uint64_t> foot;
};
UndoPath undo_path(const std::vector<Transaction>& history);

}  // namespace nettune
