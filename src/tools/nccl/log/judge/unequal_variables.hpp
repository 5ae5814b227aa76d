// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Variables that must be equal on all ranks of the main communicator and may not be, with who says
/// what: "NCCL_PROTO: LL on rank 1 (n1:7), not printed by rank 0 (n0:7)". The latter of a process
/// of which the log shows the start, and that it initialised a communicator.
std::vector<std::string> unequal_variables(const Log& log, const Verdict& verdict);

}  // namespace nettune::tools::nccl::log::judge
