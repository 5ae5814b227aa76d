// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "tools/measure/program/measuring.hpp"
#include "tools/measure/program/test_options.hpp"
#include "node/exit_codes.hpp"

namespace nettune::measure {

/// Measures every path to a peer and prints each result as it comes.
Result<cli::Exit> test_peer(cli::Context& context, const TestOptions& options,
                            const MeasureRequest& request, cli::Output& output);

}  // namespace nettune::measure
