// SPDX-License-Identifier: Apache-2.0
#include "node/undo_target.hpp"

#include "core/undo_path.hpp"

namespace nettune::node {

std::optional<std::uint64_t> previous_generation(const std::vector<Transaction>& history) {
  const UndoPath path = undo_path(history);
  if (path.steps.size() >= 2) return path.steps[path.steps.size() - 2];
  return path.foot ? std::optional<std::uint64_t>(0) : std::nullopt;
}

}  // namespace nettune::node
