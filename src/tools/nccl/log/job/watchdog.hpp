// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::job {

/// Reads what the watchdog of PyTorch's process groups says: which rank waits for which collective,
/// and how far its process group came. True: some rank says that it waits.
bool take_watchdog(Log& log, std::string_view line);

/// Takes away the waits of lines that say only the rank in a process group, where a line with the
/// rank of the job says the same: a process repeats it as it ends ("what(): [PG ID 4 Rank 1] ...").
void drop_repeated_waits(Log& log);

}  // namespace nettune::tools::nccl::log::job
