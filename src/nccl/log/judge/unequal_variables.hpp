// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "nccl/log/judge/verdict.hpp"

namespace nettune::nccl_log {

/// Variables that must be equal on all ranks and are not, with who says what: "NCCL_PROTO: LL on
/// rank 1 (n1:7), not set on rank 0 (n0:7)". A process is known not to set one where the
/// log shows its start, it initialised a communicator, and did not print the variable.
std::vector<std::string> unequal_variables(const Log& log, const Verdict& verdict);

}  // namespace nettune::nccl_log
