// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "nccl/log/log.hpp"

namespace nettune::nccl_log {

/// Takes a rank that nccl-tests lists, "#  Rank  3 Group  0 Pid 14159 on node2 device  3 [0x4c]
/// NVIDIA H800", and without the group before 2.13, into `log`.
void take_listed_rank(Log& log, std::string_view line);

}  // namespace nettune::nccl_log
