// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan.hpp"

namespace nettune::inline core {

/// Refuses each write that would cut a guarded device, or that another manager would revert; with
/// PlanInput::leave_refused it is left out instead.
void object_to_writes(Plan& plan, const PlanInput& input);

}  // namespace nettune::inline core
