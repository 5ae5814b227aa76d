// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::job {

/// Takes a number of ranks that a program says, "world_size 24", "World Size: 8", "WORLD_SIZE=16",
/// "'world_size': 2", into Log::world_sizes. It may be that of a part of the job.
void take_world_size(Log& log, std::string_view line);

}  // namespace nettune::tools::nccl::log::job
