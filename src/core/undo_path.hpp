// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state.hpp"

namespace nettune::inline core {

/// The action of a rollback to generation `number` (0: the baseline) in the history.
std::string rollback_action(std::uint64_t number);

/// The generations that an undo walks back through. A rollback to N counts as being at N.
/// Generations that wanted the same (an apply that only repaired drift) are one step.
struct UndoPath {
  std::vector<std::uint64_t> steps;  ///< oldest first; the last one wants what the active one wants
  /// What shows that the baseline precedes the first step: the last rollback to it, or the very
  /// first transaction. Nothing: earlier states are no longer remembered.
  std::optional<std::uint64_t> foot;
};
UndoPath undo_path(const std::vector<Transaction>& history);

}  // namespace nettune::inline core
