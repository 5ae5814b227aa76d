// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// The connections of all ranks are in the log, as far as that can be seen.
bool has_all_connections(const Log& log, const Verdict& verdict);

/// One sentence: what the ranks are connected by, as far as the log shows: "all 16 ranks use RDMA
/// (IB; devices mlx5_0-7) with GPUDirect", "sockets, not RDMA: ...".
std::string network_used(const Log& log, const Verdict& verdict);

}  // namespace nettune::tools::nccl::log::judge
