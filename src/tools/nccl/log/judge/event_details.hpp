// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::judge {

/// What else the log has that belongs to an error: nodes, tasks and workers that lines of its kind
/// name, variables that its cause speaks of and that the job sets, the driver where that is it.
std::vector<std::string> event_details(const Log& log, const std::vector<Cause>& causes,
                                       const Event& event);

/// "rank 3 of its process group", "ranks 0,3 of their process groups"; "" for none.
std::string group_ranks_of(const std::set<std::uint32_t>& ranks);

}  // namespace nettune::tools::nccl::log::judge
