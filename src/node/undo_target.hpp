// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/state.hpp"

namespace nettune::cli {

/// Where `rollback` without --to leads from the last committed transaction of `history`: the
/// generation before it, 0 for the baseline. Rolling back twice goes two steps back, not forth
/// again (core/undo_path.hpp). Nothing: the generation before it is not remembered any more.
std::optional<std::uint64_t> previous_generation(const std::vector<Transaction>& history);

}  // namespace nettune::cli
