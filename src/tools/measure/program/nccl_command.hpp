// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "tools/measure/program/test_options.hpp"
#include "node/exit_codes.hpp"

namespace nettune::measure {

/// `nettune test --nccl`: collectives by their size, on this node; an all-reduce also with peers.
Result<cli::Exit> test_nccl(cli::Context& context, const TestOptions& options,
                            const NcclRequest& request, cli::Output& output);

}  // namespace nettune::measure
