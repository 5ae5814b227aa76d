// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/program/measuring.hpp"
#include "tools/measure/program/test_command_options.hpp"

namespace nettune::tools::measure::program {

/// Measures every path to a peer and prints each result as it comes.
Result<node::Exit> test_peer(node::Context& context, const TestOptions& options,
                             const MeasureRequest& request, cli::Output& output);

}  // namespace nettune::tools::measure::program
