// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/output.hpp"
#include "node/carry_out.hpp"

namespace nettune::cli::commands {

/// What the commands that change the node print differently.
struct ChangeManner {
  bool asks = false;        ///< ask a person at a terminal before writing
  bool names_undo = false;  ///< say how to undo it
  bool undoes = false;      ///< the change is an undo: what stays, nothing of its own undo
};

/// Carries out the change as the command line asks, and prints its plan, progress and result.
Result<node::Exit> transact_and_print(node::Context& context, const ChangeOptions& options,
                                      Output& output, node::ChangeSpec spec,
                                      const ChangeManner& manner = {});

}  // namespace nettune::cli::commands
