// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/plan.hpp"

namespace nettune::inline core {

/// What is known of a plan's items, by their positions before sorting. Both must outlive it.
struct PlanOrder {
  const std::map<Address, std::size_t>& index;
  /// For each item, the items that must be written before it: they change it or make it appear.
  const std::map<std::size_t, std::vector<std::size_t>>& after;
};

/// Sorts the items into the order of writes: by turn; first restores, in reverse order, then sets,
/// each after what it needs. Then groups the items to write into units.
void order_items(Plan& plan, const PlanOrder& known, const Providers& providers);

}  // namespace nettune::inline core
