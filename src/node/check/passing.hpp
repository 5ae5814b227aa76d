// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checks/passage.hpp"
#include "core/plan.hpp"
#include "node/context.hpp"

namespace nettune::node::check {

/// The fate of required traffic under the present rule set.
std::vector<checks::Passage> passages_now(Context& context,
                                          const std::vector<Admission>& admissions);

/// The same after a plan, with its rules in their places. The rules of a daemon are unknown until
/// it has made them.
std::vector<checks::Passage> passages_after(Context& context,
                                            const std::vector<Admission>& admissions,
                                            const Plan& plan);

bool any_dropped(const std::vector<checks::Passage>& passages);

}  // namespace nettune::node::check
