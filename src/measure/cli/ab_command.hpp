// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "measure/cli/ab_options.hpp"
#include "node/exit_codes.hpp"

namespace nettune::measure {

Result<cli::Exit> compare(cli::Context& context, const AbOptions& options, const Arms& arms,
                          const AbRequest& request, cli::Output& output);
/// --judge: the verdict from the blocks of a file.
Result<cli::Exit> judge_file(cli::Context& context, const AbOptions& options, cli::Output& output);

}  // namespace nettune::measure
