// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/global_options.hpp"
#include "core/engine.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/evidence.hpp"
#include "tools/measure/program/watcher.hpp"

namespace nettune::tools::measure::program {

/// The result of a switch. `exit` is Exit::done, or that of nettune, with the reason in `why`.
struct Switched {
  node::Exit exit = node::Exit::done;
  std::string why;
};

/// Ends the open confirm window if it is ours, as its timer does at the deadline; nothing if it is
/// not. Errc::busy if another nettune keeps the lock.
Result<std::optional<Report>> end_window(node::Context& context,
                                         const std::function<bool(const JournalStatus&)>& is_ours);

/// Switches the node to an arm for a while, and back. `nettune apply PROFILE --for T` makes the
/// change: even if this process dies, the node reverts after T.
class ArmSwitch {
 public:
  ArmSwitch(node::Context& context, const cli::GlobalOptions& options, Watched& watched)
      : context_(context), options_(options), watched_(watched) {}
  ~ArmSwitch();
  ArmSwitch(const ArmSwitch&) = delete;
  ArmSwitch& operator=(const ArmSwitch&) = delete;

  /// Resolves the arm on this node: its digest, and the variables that jobs get with it, with
  /// conf::kArmMark.
  Result<> prepare(Arm& arm, std::map<std::string, std::string>& variables);
  /// True if switching to it would write nothing now; false if that is unknown.
  bool holds(const Arm& arm);
  /// Switches for at most `longest_s`. Writes nothing for an arm without a profile, or whose
  /// settings already hold.
  Result<Switched> to(const Arm& arm, std::int64_t longest_s);
  /// Ends only the confirm window that to() opened. Exit::rolled_back if it had expired before:
  /// what was measured in it does not count. Exit::unfinished if the node could not be reverted
  /// now; its own timer tries again.
  Result<Switched> back();
  /// True if to() wrote something and back() has not been called since.
  bool is_switched() const { return !window_.empty(); }

 private:
  node::Context& context_;
  const cli::GlobalOptions& options_;
  Watched& watched_;
  std::string window_;  ///< the transaction that waits
};

}  // namespace nettune::tools::measure::program
