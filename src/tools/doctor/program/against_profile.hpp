// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/observe.hpp"
#include "node/context.hpp"

namespace nettune::tools::doctor::program {

/// Compares the node with a profile, whether it is applied or not: one observation a setting.
Result<std::vector<facts::Observation>> against_profile(node::Context& context,
                                                        const std::string& name);

}  // namespace nettune::tools::doctor::program
