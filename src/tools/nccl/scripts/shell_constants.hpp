// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::scripts {

/// How often the text has the name of a variable without $ or ${ in front; at most 2.
int bare_uses(std::string_view text, std::string_view name);

/// Finds Assignment::assumed: NCCL_ALGO=${ALGO} below ALGO=Ring, where that always runs, and the
/// name stands nowhere else in `text` but behind $. What else may set it (another script, eval, an
/// argument) is not known: it may be that value. The same for NCCL_ALGO=${ALGO:-Ring} where the
/// script does not set ALGO above.
void assume_constants(std::string_view text, std::vector<Assignment>& found);

}  // namespace nettune::tools::nccl::scripts
