// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::program {

/// Prints the counters of every RDMA port as rates over so many seconds, or as JSON. 3 if an error
/// counter
/// grew, 9 if there is no counter.
Result<node::Exit> watch_counters(const std::string& root, std::int64_t seconds, bool json,
                                  cli::Output& output);

}  // namespace nettune::tools::doctor::program
