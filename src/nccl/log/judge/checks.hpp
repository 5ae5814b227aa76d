// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "nccl/log/causes.hpp"
#include "nccl/log/judge/verdict.hpp"

namespace nettune::nccl_log {

/// All versions are RCCL's, and there is one.
bool is_of_amd(const Verdict& verdict);

/// nccl-tests ran, and no line shows another program than that, mpirun and NCCL.
bool is_of_tests_alone(const Log& log, const std::vector<Cause>& causes);

/// What to look at for a cause, without what this log rules out: NVIDIA's tools where all versions
/// are RCCL's, and PyTorch where nothing but nccl-tests is in the log. All of it where nothing
/// would be left.
std::vector<std::string> checks_of(const Verdict& verdict, const Cause& cause);

}  // namespace nettune::nccl_log
