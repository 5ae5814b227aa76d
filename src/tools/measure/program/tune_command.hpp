// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/program/tune_options.hpp"

namespace nettune::tools::measure::program {

/// The search, its proof, and the profile that it writes.
Result<node::Exit> tune(node::Context& context, const TuneOptions& options, cli::Output& output);

}  // namespace nettune::tools::measure::program
