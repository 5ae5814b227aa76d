// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/scripts/effective_value.hpp"

namespace nettune::tools::nccl::scripts {

/// Why the decision may be wrong: what could not be read, and lines that name the variable without
/// a certain meaning.
std::vector<std::string> doubts_of(const NodePlaces& places, const EffectiveValue& outcome,
                                   std::string_view name);

}  // namespace nettune::tools::nccl::scripts
