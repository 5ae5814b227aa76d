// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// In what the processes of a job do not agree: version, network, number and kind of RDMA devices,
/// variables, GPUDirect, NVLS. Processes of which the log does not show a fact are left out of it.
std::vector<Difference> find_differences(const Log& log);

}  // namespace nettune::tools::nccl::log::judge
