// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/state.hpp"

namespace nettune::node {

/// The target of `rollback` without --to, from the last committed transaction of `history`: the
/// generation before it, 0 for the baseline. Two rollbacks go two steps back, not forward again
/// (core/undo_path.hpp). Nothing: the generation before it is no longer remembered.
std::optional<std::uint64_t> previous_generation(const std::vector<Transaction>& history);

}  // namespace nettune::node
