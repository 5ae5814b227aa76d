// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "measure/cli/test_options.hpp"
#include "node/exit_codes.hpp"

namespace nettune::measure {

/// `nettune test --nccl`: an all-reduce by its size, on this node or with peers.
Result<cli::Exit> test_nccl(cli::Context& context, const TestOptions& options,
                            std::uint64_t seconds, cli::Output& output);

}  // namespace nettune::measure
