// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "measure/guards.hpp"
#include "node/context.hpp"

namespace nettune::measure {

/// Links, error counters of interfaces and RDMA ports, Xid errors, throttling. What cannot be read
/// is left out.
GuardReading read_guards();
/// Jobs beside ours; needs root to see those of others.
Result<std::vector<std::string>> read_jobs(cli::Context& context);

}  // namespace nettune::measure
