// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/global_options.hpp"
#include "measure/evidence.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"

namespace nettune::measure {

/// How a switch went. `exit` is Exit::done, or what nettune said with `why`.
struct Switched {
  cli::Exit exit = cli::Exit::done;
  std::string why;
};

/// Puts the node into the state of an arm for a while, and back. The change is made by
/// `nettune apply PROFILE --for T`: whatever becomes of this process, the node reverts after T.
class Switch {
 public:
  Switch(cli::Context& context, const cli::GlobalOptions& options)
      : context_(context), options_(options) {}
  ~Switch();
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;

  /// What the arm resolves to on this node: its digest, and the variables that jobs get with it.
  Result<> prepare(Arm& arm, std::map<std::string, std::string>& variables);
  /// For at most `longest_s`. Nothing is written for an arm without a profile, or whose settings
  /// hold already.
  Result<Switched> to(const Arm& arm, std::int64_t longest_s);
  /// Ends the confirm window that to() opened, and no other. Exit::rolled_back where it had ended
  /// before: what was measured in it does not count. Exit::unfinished where the node could not be
  /// reverted now; its own timer tries then.
  Result<Switched> back();
  /// to() wrote something, and back() has not been called since.
  bool is_switched() const { return !window_.empty(); }

 private:
  cli::Context& context_;
  const cli::GlobalOptions& options_;
  std::string window_;  ///< the transaction that waits
};

}  // namespace nettune::measure
