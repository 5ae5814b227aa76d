// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "firewall/encode.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/live_ruleset.hpp"
#include "firewall/opening.hpp"

namespace nettune::firewall {

/// Where a rule of ours stands, or is to stand: behind "firewall:" in its address.
struct Spot {
  Place place;
  std::string name;        ///< "fabric-tcp4"
  bool restricts = false;  ///< in table inet nettune
};
/// "nft/inet/filter/input#fabric-tcp4", "restrict#fabric-tcp4". Whether the table is one of
/// iptables-nft shows only in a rule set: find_place().
Result<Spot> parse_spot(std::string_view rest);
/// The chain in the rule set, with place.iptables set as it is; null where there is none.
const kernel::NfChain* find_place(const kernel::NfRuleset& ruleset, Spot& spot);

/// Rules that bear the tag of a spot, in the order they run.
std::vector<const kernel::NfRule*> tagged_rules(const kernel::NfRuleset& ruleset, const Spot& spot);

/// Whether a rule before the first of `own` in their chain drops some of what they let in. What the
/// evaluator does not model is not counted.
bool is_behind_a_drop(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain,
                      const kernel::NfRule& first, const formats::Opening& opening);
/// Whether our rules in table inet nettune, the first of which that is, see every packet that comes
/// in: the table is awake, the chain is as it is made by add_opening(), and no rule before the
/// first does anything with a packet but drop it.
bool is_in_force(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain,
                 const kernel::NfRule& first);

enum class Where {
  head,           ///< of the chain
  behind_a_drop,  ///< right behind the first rule that drops some of it: where it drops least
};
/// Adds to `change` what puts an opening at a spot. Our own chain is made where it is not there
/// yet, woken, and made anew where it is not as it was. `last_set` counts the anonymous sets of the
/// change.
void add_opening(const kernel::NfRuleset& ruleset, const Spot& spot,
                 const formats::Opening& opening, Where where, std::uint32_t& last_set,
                 Change& change);
/// Adds that the rules of ours at a spot go.
void remove_own(const kernel::NfRuleset& ruleset, const Spot& spot, Change& change);
/// Our chain goes with its last rule, and table inet nettune with it where nobody else keeps
/// anything in it.
void close_table(const kernel::NfRuleset& ruleset, Change& change);

}  // namespace nettune::firewall
