// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/commands/invocation.hpp"
#include "cli/output.hpp"
#include "node/carry_out.hpp"

namespace nettune::cli::commands {

/// Carries out the change as the command line asks, and prints its plan, progress and result.
Result<node::Exit> change(Invocation& context, Output& output, node::ChangeSpec spec);

}  // namespace nettune::cli::commands
