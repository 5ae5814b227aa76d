// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checks/passage.hpp"
#include "core/plan.hpp"
#include "node/context.hpp"

namespace nettune::cli {

/// What becomes of traffic that has to get in, by the rule set as it is now.
std::vector<checks::Passage> passages_now(Context& context,
                                          const std::vector<Admission>& admissions);

/// The same once a plan is carried out: its rules put where they would stand. What a daemon makes
/// of a rule is known only when it has made it.
std::vector<checks::Passage> passages_after(Context& context,
                                            const std::vector<Admission>& admissions,
                                            const Plan& plan);

bool any_dropped(const std::vector<checks::Passage>& passages);

}  // namespace nettune::cli
