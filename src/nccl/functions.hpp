// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "nccl/catalog.hpp"
#include "nccl/finding.hpp"

namespace nettune::nccl {

/// parseList() knows functions and refuses what it does not know (src/graph/tuning.cc).
inline constexpr Version kFunctions{2, 24, 3};

/// Judges lists by function: "allreduce:tree,ring;broadcast:ring".
Judgement judge_functions(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
