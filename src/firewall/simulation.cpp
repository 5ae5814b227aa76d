// SPDX-License-Identifier: Apache-2.0
#include "firewall/simulation.hpp"

#include "firewall/live_ruleset.hpp"
#include "firewall/own_rules.hpp"
#include "firewall/rules/opening.hpp"

namespace nettune::firewall {

void Simulation::set(const Address& address, const Value& want) {
  if (!is_firewall(address)) return;
  auto spot = parse_spot(address.rest());
  if (!spot) return;
  const bool there = spot->restricts || find_place(ruleset_, *spot) != nullptr;
  Change change;
  remove_own(ruleset_, *spot, change);
  if (want && there)
    if (const auto opening = rules::parse_opening(*want))
      add_opening(ruleset_, *spot, *opening, Where::head, last_set_, change);
  apply_change(change, ruleset_);
}

}  // namespace nettune::firewall
