// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/opening.hpp"
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

/// The sets that a rule looks into: those of our own rules are to be read before decode().
std::vector<const kernel::NfSet*> sets_of(const kernel::NfRuleset& ruleset,
                                          const kernel::NfRule& rule);

/// The opening that these rules of one comment, in the order they run, mean what the encoding of
/// does, as one rule or as iptables' many, whichever form the place has now; nothing when somebody
/// edited them. Of `ruleset` the sets are looked at.
std::optional<formats::Opening> decode(const kernel::NfRuleset& ruleset, Place place,
                                       std::span<const kernel::NfRule* const> rules);

/// A text that two rules share when they do the same: what fingerprint() leaves out, and the order
/// in which they compare. nft and the versions of iptables-nft write what they list in an order of
/// their own: whoever loads what was saved has edited nothing.
std::string meaning(const kernel::NfRuleset& ruleset, const kernel::NfRule& rule);

/// A text that two rules share when they are written alike: handles, comments, counters and the
/// names of anonymous sets aside, the ranges of these sets in it. For digests.
std::string fingerprint(const kernel::NfRuleset& ruleset, const kernel::NfRule& rule);

/// The set that a lookup in a rule of this table means; null when there is none.
const kernel::NfSet* find_set(const kernel::NfRuleset& ruleset, std::uint8_t family,
                              const std::string& table, const std::string& name, std::uint32_t id);

}  // namespace nettune::firewall
