// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "tools/measure/program/tune_options.hpp"
#include "node/exit_codes.hpp"

namespace nettune::measure {

/// The search, its proof, and the profile that it writes.
Result<cli::Exit> tune(cli::Context& context, const TuneOptions& options, cli::Output& output);

}  // namespace nettune::measure
