// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "core/plan.hpp"

namespace nettune::inline core {

/// The settings of a plan that are restored only because they were side effects of others.
std::set<Address> side_effects(const Plan& plan);

}  // namespace nettune::inline core
