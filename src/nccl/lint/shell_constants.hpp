// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "nccl/lint/assignments.hpp"

namespace nettune::nccl {

/// Gives assignments the value of a constant of the script: NCCL_ALGO=${ALGO} below ALGO=Ring. A
/// constant is a shell variable with one literal assignment that always runs, and whose name stands
/// nowhere else in `text` but behind $: no loop, read, export or comment has it. No other script is
/// read in between.
void settle_constants(std::string_view text, std::vector<Assignment>& found);

}  // namespace nettune::nccl
