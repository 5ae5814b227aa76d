// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/plan.hpp"

namespace nettune::inline core {

/// Leaves out the writes that `input` does not ask for: of other devices, of other kinds, ...
/// `after` is as in PlanOrder.
void leave_out_of_scope(Plan& plan, const PlanInput& input,
                        const std::map<std::size_t, std::vector<std::size_t>>& after);

}  // namespace nettune::inline core
