// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/engine.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "node/lock.hpp"
#include "node/planning.hpp"
#include "node/state_view.hpp"

namespace nettune::node {

/// The right to change this node: the lock, and the repairs made first. The lock is absent only
/// while there is no state directory; ensure_lock() makes both.
struct WriteAccess {
  std::optional<Lock> lock;
  std::optional<Report> recovered;  ///< of an interrupted earlier run
  std::vector<std::string> notes;
  StateView state;
};

struct AccessRequest {
  bool ends_window = false;
  std::int64_t patience_s = 0;  ///< how long to wait for another nettune
};
/// Takes the lock, sets another machine's state aside, and ends an unfinished transaction.
/// Errc::denied without root; Errc::busy while another nettune runs, or while an apply is waiting
/// for confirmation, unless it is to be reverted (`ends_window`). `recovered` has the result of the
/// recovery, and `state` says whether the applied state is known. Writes nothing on a node without
/// anything to repair, and creates no state directory.
Result<WriteAccess> take_write_access(Context& context, const AccessRequest& how);

/// The same, but leaves an unfinished transaction to the caller.
Result<WriteAccess> lock_state(Context& context, std::int64_t patience_s = 0);

/// Creates the state directory (0700, durably) and takes the lock, if that was left out. Errc::busy
/// if somebody else was faster.
Result<> ensure_lock(Context& context, std::optional<Lock>& lock);

struct Recovery {
  bool abandon = false;        ///< as RecoverOptions
  bool expire_window = false;  ///< as RecoverOptions
  std::string why = {};        ///< as RecoverOptions
};
/// Finishes or reverts the open journal.
Result<Report> run_recovery(Context& context, const Recovery& how);

/// Pays the debts of devices that are present and do not refuse. Changes nothing else; a device
/// that refuses holds up no other. unchanged if nothing could be paid.
Result<Report> pay_debts(Context& context, const StateView& state);

/// Makes a change follow the devices of its plan, as token and locate of `options`.
Result<> follow_devices(Context& context, const Planned& planned, ApplyOptions& options);

/// The error of a command that needs root: "this needs root: try sudo nettune ...", as typed.
Failure needs_root(const Context& context);

/// The exit code for a report.
Exit exit_of(const Report& report);

/// Who acts and on which node, for records.
Result<Engine> make_engine(Context& context, const Providers& providers);

}  // namespace nettune::node
