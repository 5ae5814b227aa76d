// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/commands/invocation.hpp"
#include "cli/output.hpp"
#include "node/transact.hpp"

namespace nettune::cli::commands {

/// Carries out the change as the command line asks, and prints its plan, progress and result.
Result<node::Exit> change(Invocation& context, Output& output, node::Transact transact);

}  // namespace nettune::cli::commands
