// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checks/advice.hpp"
#include "checks/lossless.hpp"
#include "checks/passage.hpp"
#include "checks/switch_half.hpp"
#include "facts/facts.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "node/planning.hpp"
#include "node/state_view.hpp"

namespace nettune::cli {

/// What a look at the node found: what check and watch tell.
struct Checked {
  StateView state;
  std::optional<Held> held;  ///< nothing where nothing is applied, or nothing was looked at
  std::vector<checks::Chain> chains;  ///< of every port that was given a lossless class
  std::vector<std::string> sources_moved;
  std::string skipped;  ///< why nothing was looked at: a hold
  Exit exit = Exit::done;
  std::vector<checks::SwitchHalf> switches = {};  ///< with --listen-lldp, of every lossless port
  std::vector<checks::Advice> advice = {};        ///< only where a person asks
  std::vector<std::string> notes = {};            ///< why there is nothing to hear, or no advice
  std::vector<checks::Passage> passages = {};     ///< of what [firewall] has to let in
  std::optional<facts::Facts> ports = {};         ///< of collect_ports(), where they were looked at
};

/// Compares the node with the active generation. Writes nothing. Errc::denied where the state may
/// not be read.
Result<Checked> check_node(Context& context, const CheckRequest& request);

}  // namespace nettune::cli
