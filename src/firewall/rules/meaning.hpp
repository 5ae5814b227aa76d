// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firewall/rules/expressions.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::rules {

/// Whether a rule uses this load to get the IPv4 protocol: iptables-nft 1.8.11 reads it from the
/// packet's header, 1.8.9 from its metadata.
bool is_protocol(const kernel::NfRule& rule, const Payload& payload);

/// A text that is equal for two rules with the same effect: without what fingerprint() leaves out
/// and without the order of comparisons. nft and the iptables-nft versions write in orders of their
/// own, so loading a saved rule set is not an edit.
std::string meaning(const kernel::NfRuleset& ruleset, const kernel::NfRule& rule);

/// A text that is equal for two rules that are written alike: without handles, comments, counters
/// and the names of anonymous sets, but with their ranges. It is for digests.
std::string fingerprint(const kernel::NfRuleset& ruleset, const kernel::NfRule& rule);

/// The set that a lookup in a rule of this table refers to; null if there is none.
const kernel::NfSet* find_set(const kernel::NfRuleset& ruleset, std::uint8_t family,
                              const std::string& table, const std::string& name, std::uint32_t id);

}  // namespace nettune::firewall::rules
