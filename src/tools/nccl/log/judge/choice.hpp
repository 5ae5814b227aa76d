// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Gives each event its fate, and takes the first cause: among what was not set aside and follows
/// from nothing, the lowest tier, and of that the earliest. Where two of different causes cannot be
/// ordered, the other ones are rivals.
void choose(const Log& log, const std::vector<Cause>& causes, Verdict& verdict);

}  // namespace nettune::tools::nccl::log::judge
