// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "firewall/required_traffic.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "node/planning.hpp"
#include "node/request.hpp"
#include "node/write_access.hpp"

namespace nettune::node {

/// How far a change got, and its result. Parts that did not happen are empty.
struct Changed {
  enum class End {
    nothing,   ///< nothing to do; `done` says why
    refused,   ///< not begun; `refused` says why
    declined,  ///< a person was asked and declined
    shown,     ///< only the plan was requested
    carried_out,
  };

  Exit exit = Exit::done;
  End end = End::carried_out;
  std::string done;  ///< for people: "applied tcp-fallback"
  std::string refused;
  StateView state;
  std::optional<Report> recovered;  ///< of an interrupted earlier run
  std::optional<Planned> planned;
  std::optional<Report> report;
  std::vector<std::string> notes;
  std::vector<firewall::RequiredTraffic> passages;  ///< after the change
  std::string undo_by;  ///< what reverts the change when the confirm window expires
};

/// Callbacks for the progress of a change.
struct ChangeListener {
  std::function<void(const Changed&)> begun;        ///< an unfinished transaction was ended
  std::function<Result<>(const Changed&)> planned;  ///< nothing is written yet
  std::function<void(const Changed&)> probing;      ///< applied; probes decide
  /// Asks a person whether to carry out the plan. Empty: nobody is asked.
  std::function<bool(const Changed&)> agrees = {};
};

/// A change of the node from plan to report: the common part of apply, reapply and rollback.
struct ChangeSpec {
  std::string command;  ///< "apply"
  /// Makes the plan, after the state was repaired. Sets `action` and `done`. Nothing: nothing to
  /// do, and `done` says why.
  std::function<Result<std::optional<Planned>>(const StateView&, ChangeSpec&)> make;
  /// A last reason not to begin, or "".
  std::function<std::string(const Planned&)> objection = [](const Planned&) {
    return std::string();
  };
  std::string action;  ///< for the record: "apply", "rollback to 2"
  std::string done;    ///< for people: "applied tcp-fallback"
  /// Revert an open confirm window first, instead of refusing because of it.
  bool ends_window = false;
};

/// Locks, recovers, plans, refuses if necessary, and applies. Without root it still plans, and then
/// says that root is needed.
Result<Changed> carry_out(Context& context, const ChangeRequest& request, ChangeSpec spec,
                          const ChangeListener& listener);

}  // namespace nettune::node
