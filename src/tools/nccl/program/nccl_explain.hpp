// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/nccl/program/nccl_options.hpp"

namespace nettune::tools::nccl::program {

/// Says what a job really used, out of the logs that the command line names, and compares it with
/// what was expected. Reads only; needs no privilege.
Result<node::Exit> nccl_explain(node::Context& context, const NcclOptions& options,
                                cli::Output& output);

}  // namespace nettune::tools::nccl::program
