// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firewall/opening.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// Where rules of ours stand.
struct Place {
  std::uint8_t family = 0;  ///< NFPROTO_INET, NFPROTO_IPV4 or NFPROTO_IPV6
  std::string table;
  std::string chain;
  bool iptables = false;  ///< a table that iptables-nft keeps: it can list simple rules only
};

struct Encoded {
  std::vector<kernel::NfSet> sets;    ///< anonymous; of the same table
  std::vector<kernel::NfRule> rules;  ///< in the order they run
};

/// The rules that do what an opening says. One rule with sets where there is more than one
/// interface, network or port; for iptables one rule for each combination, of an opening that
/// accepts. The opening's family is that of the place, or the place is inet. `last_set` is the
/// highest id of a set so far, and grows.
Encoded encode(const formats::Opening& opening, const Place& place, const std::string& comment,
               std::uint32_t& last_set);

/// The opening that these rules of one comment, in the order they run, mean what the encoding of
/// does, as one rule or as iptables' many, whichever form the place has now; nothing when somebody
/// edited them. Of `ruleset` the sets are looked at.
std::optional<formats::Opening> decode(const kernel::NfRuleset& ruleset, Place place,
                                       std::span<const kernel::NfRule* const> rules);

}  // namespace nettune::firewall
