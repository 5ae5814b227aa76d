// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firewall/expressions.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// Whether a rule loads the protocol of IPv4 by it: iptables-nft 1.8.11 reads that from the
/// packet's header, 1.8.9 from its metadata.
bool is_protocol(const kernel::NfRule& rule, const Payload& payload);

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
