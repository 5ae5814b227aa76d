// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/state.hpp"

namespace nettune::cli {

/// What a rollback to generation `number` (0: the baseline) calls itself in the history.
std::string rollback_action(std::uint64_t number);

/// Where `rollback` without --to leads from the last committed transaction of `history`: the
/// generation before it, 0 for the baseline. Rolling back twice goes two steps back, not forth
/// again: a rollback to N counts as being at N. Generations that wanted the same (an apply that
/// only repaired drift) count as one.
std::uint64_t previous_generation(const std::vector<Transaction>& history);

}  // namespace nettune::cli
