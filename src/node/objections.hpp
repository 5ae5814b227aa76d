// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"
#include "node/exit_codes.hpp"
#include "node/planning.hpp"
#include "node/request.hpp"
#include "node/state_view.hpp"

namespace nettune::node {

/// Why a change does not begin, and its exit code; Exit::done if nothing objects. plan only reports
/// it; commands that change something stop.
struct Objection {
  Exit exit = Exit::done;
  std::string why;
};

/// Objections of the plan itself: the profile does not match or advises against itself, a guard
/// refuses, a change cannot be undone. `command` is "apply", "reapply" or "rollback".
Objection objection_to_plan(const std::string& command, const Planned& planned,
                            const ChangeRequest& change);

/// Settings that this machine does not allow anybody to write, in a container or under lockdown.
Objection objection_to_denied(const Plan& plan, const facts::Node& node);

/// The stored content of a file that the plan restores cannot be read.
Objection objection_to_lost(const Planned& planned, State& state);

/// Objections of the node: it is on hold, it is busy and would be disturbed, or nobody would notice
/// a wrong MTU.
Objection objection_of_node(const std::string& command, const Planned& planned,
                            const StateView& state, const facts::Facts& facts,
                            const ChangeRequest& change);

/// Who uses what, as half a sentence: "mlx5_0 is in use (RDMA user, pid 203: ...)".
std::string use_text(const facts::Work& work);

/// Only the hold: it is checked before any planning.
Objection objection_of_hold(const StateView& state, const ChangeRequest& change);

}  // namespace nettune::node
