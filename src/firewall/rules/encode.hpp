// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firewall/rules/opening.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::rules {

/// The place of nettune's rules.
struct Place {
  std::uint8_t family = 0;  ///< NFPROTO_INET, NFPROTO_IPV4 or NFPROTO_IPV6
  std::string table;
  std::string chain;
  bool iptables = false;  ///< a table of iptables-nft, which lists simple rules only
};

struct Encoded {
  std::vector<kernel::NfSet> sets;    ///< anonymous, in the same table
  std::vector<kernel::NfRule> rules;  ///< in the order they run
};

/// Encodes an allow or drop rule. The result is one rule with sets if there is more than one
/// interface, network or port; for iptables it is one rule for each combination, for allow rules
/// only. The rule's family is that of the place, or the place is inet. `last_set` is the highest
/// set id so far and is advanced.
Encoded encode(const Opening& opening, const Place& place, const std::string& comment,
               std::uint32_t& last_set);

/// The reverse: the allow or drop rule that these rules of one comment, in running order, encode,
/// as one rule or as iptables' many, in any form of the place; nothing if somebody edited them. It
/// looks up sets in `ruleset`.
std::optional<Opening> decode(const kernel::NfRuleset& ruleset, Place place,
                              std::span<const kernel::NfRule* const> rules);

}  // namespace nettune::firewall::rules
