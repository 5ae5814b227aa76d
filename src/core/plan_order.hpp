// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/plan.hpp"

namespace nettune {

/// What is known of the items of a plan, by their positions before they are ordered. Both outlive
/// it.
struct PlanOrder {
  const std::map<Address, std::size_t>& index;
  /// What is written behind what, since that moves it along or lets it appear.
  const std::map<std::size_t, std::vector<std::size_t>>& after;
};

/// Puts the items into the order in which they are written: given back in reverse order first, then
/// set in order, what a setting needs before it. Then groups what is written into units.
void order_items(Plan& plan, const PlanOrder& known, const Providers& providers);

}  // namespace nettune
