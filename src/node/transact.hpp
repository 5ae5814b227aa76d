// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checks/passage.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "node/planning.hpp"
#include "node/request.hpp"
#include "node/writing.hpp"

namespace nettune::cli {

/// How far a change came, and what it came to. Nothing for what did not come to pass.
struct Changed {
  enum class End {
    nothing,   ///< there was nothing to do; `done` says why
    refused,   ///< it was not begun; `refused` says why
    declined,  ///< a person was asked and does not want it
    shown,     ///< the plan was all that was asked for
    carried_out,
  };

  Exit exit = Exit::done;
  End end = End::carried_out;
  std::string done;  ///< for people: "applied tcp-fallback"
  std::string refused;
  StateView state;
  std::optional<Report> recovered;  ///< of what an interrupted run had left behind
  std::optional<Planned> planned;
  std::optional<Report> report;
  std::vector<std::string> notes;
  std::vector<checks::Passage> passages;  ///< after it was done
  std::string undo_by;                    ///< what waits for the end of the confirm window
};

/// Hears of a change as it goes on.
struct ChangeListener {
  std::function<void(const Changed&)> begun;        ///< an unfinished transaction was ended
  std::function<Result<>(const Changed&)> planned;  ///< nothing is written yet
  std::function<void(const Changed&)> probing;      ///< it is applied, and probes decide
  /// Whether a person wants what is planned to be written. Not set: nobody is asked.
  std::function<bool(const Changed&)> agrees = {};
};

/// A change of the node from plan to report, as apply, reapply and rollback have in common.
struct Transact {
  std::string command;  ///< "apply"
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

/// Locks, recovers, plans, refuses where it must, and applies. Without root it still plans, and
/// then says that root is needed.
Result<Changed> transact(Context& context, const ChangeRequest& request, Transact transact,
                         const ChangeListener& listener);

}  // namespace nettune::cli
