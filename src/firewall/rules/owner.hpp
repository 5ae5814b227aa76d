// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernel/nf_tables.hpp"

namespace nettune::firewall::rules {

/// The manager of a table, by the names that programs give to tables and chains: "docker",
/// "kubernetes", "libvirt", "firewalld", "ufw", "iptables", "nettune", ...; "" if unknown. Several
/// programs share a table of iptables-nft; `chain` says whose part it is.
std::string owner_of(const kernel::NfRuleset& ruleset, std::uint8_t family,
                     const std::string& table, const std::string& chain = {});

/// Whether it is a table of iptables-nft: one of its five names, IPv4 or IPv6, with chains named as
/// iptables-nft does.
bool is_iptables_table(const kernel::NfRuleset& ruleset, std::uint8_t family,
                       const std::string& table);

/// Whether a base chain, or a chain that it jumps to, can drop anything: by its policy, a verdict,
/// or something that takes packets away; with a map that was not read, it may. With `or_change`
/// also whether it can mark packets or exempt them from connection tracking, which later rules may
/// match.
bool can_drop(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain,
              bool or_change = false);

}  // namespace nettune::firewall::rules
