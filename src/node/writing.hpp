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
#include "node/state_view.hpp"

namespace nettune::cli {

/// The right to change this node: the lock, with what had to be put in order before. The lock is
/// missing only while there is no state directory; ensure_lock() makes both.
struct Writing {
  std::optional<Lock> lock;
  std::optional<Report> recovered;  ///< what an interrupted run had left behind
  std::vector<std::string> notes;
  StateView state;
};

struct Begin {
  bool ends_window = false;
  std::int64_t patience_s = 0;  ///< how long to wait for another nettune
};
/// Takes the lock, sets the memory of another machine aside, and brings an unfinished transaction
/// to its end. Errc::denied without root, Errc::busy while another nettune is at work, or while an
/// apply waits to be confirmed, unless that is to be taken back (`ends_window`). Whether the
/// recovery succeeded is in `recovered`, and whether it is known what is applied in `state`. Writes
/// nothing on a node with nothing to put in order, and creates no state directory.
Result<Writing> begin_writing(Context& context, const Begin& how);

/// The same, but leaves an unfinished transaction to the caller.
Result<Writing> lock_state(Context& context, std::int64_t patience_s = 0);

/// Creates the state directory (0700, durably) and takes the lock, where that was left out.
/// Errc::busy when somebody else was faster.
Result<> ensure_lock(Context& context, std::optional<Lock>& lock);

struct Recovery {
  bool abandon = false;        ///< as RecoverOptions
  bool expire_window = false;  ///< as RecoverOptions
};
/// Carries on with, or takes back, what the journal holds.
Result<Report> run_recovery(Context& context, const Recovery& how);

/// Gives devices what they are owed, where they are here and do not refuse. Nothing else changes;
/// a device that still refuses holds up no other. unchanged where nothing could be paid.
Result<Report> pay_debts(Context& context, const StateView& state);

/// The error of a command that needs root: "this needs root: try sudo nettune ...", as it was
/// typed.
Failure needs_root(const Context& context);

/// What a run that ended so exits with.
Exit exit_of(const Report& report);

/// Who acts, and what this node is, for records.
Result<Engine> make_engine(Context& context, const Providers& providers);

}  // namespace nettune::cli
