// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "tools/nccl/program/nccl_options.hpp"
#include "node/exit_codes.hpp"

namespace nettune::cli {

/// Says what a job really used, out of the logs that the command line names, and compares it with
/// what was expected. Reads only; needs no privilege.
Result<Exit> nccl_explain(Context& context, const NcclOptions& options, Output& output);

}  // namespace nettune::cli
