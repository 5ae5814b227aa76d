// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// Whose table that is, by the names that programs give to tables and chains: "docker",
/// "kubernetes", "libvirt", "firewalld", "ufw", "iptables", "nettune", ...; "" for nobody in
/// particular. A table that iptables-nft keeps belongs to several; `chain` says whose part of it.
std::string owner_of(const kernel::NfRuleset& ruleset, std::uint8_t family,
                     const std::string& table, const std::string& chain = {});

/// Whether iptables-nft keeps that table: one of its five names, of IPv4 or IPv6, with chains named
/// as it names them.
bool is_iptables_table(const kernel::NfRuleset& ruleset, std::uint8_t family,
                       const std::string& table);

/// Whether a base chain, or one that it jumps to, can drop anything at all: by its policy, a
/// verdict, or something that takes packets away; by a map that was not read, it may. With
/// `or_change` also, whether it can take them out of connection tracking or mark them, of which
/// rules behind it may make their verdict.
bool can_drop(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain,
              bool or_change = false);

}  // namespace nettune::firewall
