// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "measure/cli/measuring.hpp"
#include "measure/cli/test_options.hpp"
#include "node/exit_codes.hpp"

namespace nettune::measure {

/// Measures every path to a peer and prints each result as it comes.
Result<cli::Exit> test_peer(cli::Context& context, const TestOptions& options,
                            const MeasureRequest& request, cli::Output& output);

}  // namespace nettune::measure
