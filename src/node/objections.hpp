// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"
#include "node/exit_codes.hpp"
#include "node/planning.hpp"
#include "node/request.hpp"
#include "node/state_view.hpp"

namespace nettune::cli {

/// Why a change is not begun, and what that exits with; Exit::done for no reason. The same for
/// plan, which only says it, and for the commands that change something.
struct Objection {
  Exit exit = Exit::done;
  std::string why;
};

/// What the plan itself says: the profile does not fit or advises against itself, a guard refuses,
/// a change has no way back. `command` is "apply", "reapply" or "rollback".
Objection objection_to_plan(const std::string& command, const Planned& planned,
                            const ChangeRequest& change);

/// What this machine does not let anybody write, a container or a lockdown.
Objection objection_to_denied(const Plan& plan);

/// What the node says: it is on hold, it is at work and would be disturbed, or nobody would see
/// that an MTU does not fit.
Objection objection_of_node(const std::string& command, const Planned& planned,
                            const StateView& state, const facts::Facts& facts,
                            const ChangeRequest& change);

/// Who uses what, as half a sentence: "mlx5_0 is in use (RDMA user, pid 203: ...)".
std::string use_text(const facts::Work& work);

/// The hold alone: it is asked about before anything is planned.
Objection objection_of_hold(const StateView& state, const ChangeRequest& change);

}  // namespace nettune::cli
