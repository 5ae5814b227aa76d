// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/program/test_command_options.hpp"

namespace nettune::tools::measure::program {

/// `nettune test --nccl`: collectives by their size, on this node; an all-reduce also with peers.
Result<node::Exit> test_nccl(node::Context& context, const TestOptions& options,
                             const NcclRequest& request, cli::Output& output);

}  // namespace nettune::tools::measure::program
