// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "node/context.hpp"
#include "tools/measure/guards.hpp"

namespace nettune::tools::measure::program {

/// Reads links, error counters of interfaces and RDMA ports, Xid errors, throttling. What cannot be
/// read is left out.
GuardReading read_guards();
/// Other jobs on this node. Only root sees those of other users.
Result<std::vector<std::string>> read_jobs(node::Context& context);

}  // namespace nettune::tools::measure::program
