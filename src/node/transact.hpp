// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "node/planning.hpp"
#include "node/writing.hpp"

namespace nettune::cli {

/// A change of the node from plan to report, as apply, reapply and rollback have in common.
struct Transact {
  std::string command;  ///< "apply": what the JSON document calls itself
  /// Makes the plan; the state is in order by then. Sets `action` and `done`. Nothing: there is
  /// nothing to do, and `done` says why.
  std::function<Result<std::optional<Planned>>(const StateView&, Transact&)> make;
  /// A last reason not to begin, or "".
  std::function<std::string(const Planned&)> objection = [](const Planned&) {
    return std::string();
  };
  std::string action;  ///< for the record: "apply", "rollback to 2"
  std::string done;    ///< for people: "applied tcp-fallback"
  /// An open confirm window is taken back first, instead of being in the way.
  bool ends_window = false;
  std::int64_t patience_s = 0;  ///< how long to wait for another nettune
};

/// Locks, recovers, plans, shows, refuses where it must, applies, tells. Without root it still
/// shows the plan and then says that root is needed.
Result<Exit> transact(Context& context, Output& output, Transact transact);

}  // namespace nettune::cli
