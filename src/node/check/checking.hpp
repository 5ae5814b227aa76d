// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/word_table.hpp"
#include "checks/advice.hpp"
#include "checks/lossless.hpp"
#include "checks/switch_half.hpp"
#include "facts/facts.hpp"
#include "firewall/required_traffic.hpp"
#include "node/awaited.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"
#include "node/state_view.hpp"

namespace nettune::node::check {

/// What a check says of the node, in one word.
enum class Standing {
  in_sync,
  drift,        ///< something differs, is blocked, or is owed
  unknown,      ///< nothing differs, as far as could be read
  unmanaged,    ///< nothing is applied
  state_lost,   ///< nothing is recorded, although this node should be managed
  not_checked,  ///< on hold, during a change, or unreadable
};

/// In JSON, and in the summary.
inline constexpr auto kStandings = word_table<Standing>({
    {Standing::in_sync, "in_sync"},
    {Standing::drift, "drift"},
    {Standing::unknown, "unknown"},
    {Standing::unmanaged, "unmanaged"},
    {Standing::state_lost, "state_lost"},
    {Standing::not_checked, "not_checked"},
});

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
  std::vector<Awaited> awaited = {};  ///< what is written, and not (known to be) in effect
  bool unmanaged = false;             ///< nothing was read because nothing is applied
  std::string stamp = {};             ///< State::stamp() of what was read

  Standing standing() const;
};

/// Compares the node with the active generation. Writes nothing. Errc::denied if the state may not
/// be read.
Result<Checked> check_node(Context& context, const CheckRequest& request);

}  // namespace nettune::node::check
