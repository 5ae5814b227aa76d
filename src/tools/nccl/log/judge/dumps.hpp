// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// What is known only since other ranks, or the rank itself, wrote down their state. `missing` gets
/// who had not made a call that others waited for.
void say_dumps(const Log& log, std::vector<std::string>& into, std::string& missing);

}  // namespace nettune::tools::nccl::log::judge
