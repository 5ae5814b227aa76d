// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/live_ruleset.hpp"
#include "firewall/rules/encode.hpp"
#include "firewall/rules/opening.hpp"

namespace nettune::firewall {

/// The place of a managed rule: the part of its address after "firewall:".
struct Spot {
  rules::Place place;
  std::string name;        ///< "fabric-tcp4"
  bool restricts = false;  ///< in table inet nettune
};
/// Parses "nft/inet/filter/input#fabric-tcp4", "restrict#fabric-tcp4". Only the rule set shows
/// whether the table is one of iptables-nft: find_place().
Result<Spot> parse_spot(std::string_view rest);
/// The chain in the rule set, with place.iptables set accordingly; null if there is none.
const kernel::NfChain* find_place(const kernel::NfRuleset& ruleset, Spot& spot);

/// The address of a rule with nettune's tag: "firewall:restrict#fabric-tcp4"; nothing for others.
std::optional<std::string> address_of_tagged(const kernel::NfRule& rule);

/// The rules with the tag of a spot, in running order.
std::vector<const kernel::NfRule*> tagged_rules(const kernel::NfRuleset& ruleset, const Spot& spot);

/// Whether a rule before the first of `own` in their chain drops some of what they accept. Rules
/// that the evaluator does not model are not counted.
bool is_behind_a_drop(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain,
                      const kernel::NfRule& first, const rules::Opening& opening);
/// Whether nettune's rules in table inet nettune, of which these are the first, see every incoming
/// packet: the table is awake, the chain is as add_opening() makes it, and earlier rules only drop.
bool is_in_force(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain,
                 const kernel::NfRule& first);

enum class Where {
  head,           ///< at the head of the chain, in the order of the names there
  behind_a_drop,  ///< directly after the first rule that drops some of it
};
/// Adds to `change` what puts a rule at a spot. nettune's own chain is made if it is missing,
/// woken, and made again if it differs. `last_set` counts the anonymous sets of the change. Rules
/// that go have been removed before, and of several new ones the last in order is added first.
void add_opening(const kernel::NfRuleset& ruleset, const Spot& spot, const rules::Opening& opening,
                 Where where, std::uint32_t& last_set, Change& change);
/// Adds the removal of the managed rules at a spot.
void remove_own(const kernel::NfRuleset& ruleset, const Spot& spot, Change& change);
/// nettune's chain is removed with its last rule, and table inet nettune with it unless it has
/// other content.
void close_table(const kernel::NfRuleset& ruleset, Change& change);

}  // namespace nettune::firewall
