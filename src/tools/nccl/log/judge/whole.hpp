// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::judge {

/// Of each process whether all its connections are in the log, as far as that can be seen: it told
/// of one at least, no line was damaged, every communicator that it began stands, its rings are
/// connected where those of others are, and each connection over the network was told by both ends.
/// A line about P2P or SHM that is missing cannot be seen: one end alone prints it.
std::vector<bool> shown_whole(const Log& log);

}  // namespace nettune::tools::nccl::log::judge
