// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checks/advice.hpp"
#include "checks/lossless.hpp"
#include "checks/switch_half.hpp"
#include "facts/facts.hpp"
#include "firewall/required_traffic.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"
#include "node/state_view.hpp"

namespace nettune::node::check {

/// The state of the node, as check and watch report it.
struct Checked {
  StateView state;
  std::optional<Held> held;           ///< nothing if nothing is applied or nothing was read
  std::vector<checks::Chain> chains;  ///< of every port with a lossless class
  std::vector<std::string> sources_moved;
  std::string skipped;  ///< why nothing was read: a hold
  Exit exit = Exit::done;
  std::vector<checks::SwitchHalf> switches = {};  ///< with --listen-lldp: of every lossless port
  std::vector<checks::Advice> advice = {};        ///< only if a person asks
  std::vector<std::string> notes = {};            ///< why there is no LLDP or no advice
  std::vector<firewall::RequiredTraffic> passages = {};  ///< of the required traffic of [firewall]
  std::optional<facts::Facts> ports = {};                ///< from collect_ports(), if it was called
};

/// Compares the node with the active generation. Writes nothing. Errc::denied if the state may not
/// be read.
Result<Checked> check_node(Context& context, const CheckRequest& request);

}  // namespace nettune::node::check
