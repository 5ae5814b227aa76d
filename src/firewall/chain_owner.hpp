// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// Whose a base chain is: "docker", "firewalld", "ufw", ...; "iptables" for one that iptables-nft
/// keeps and people fill; "" for nobody in particular.
std::string owner_of_chain(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain);

}  // namespace nettune::firewall
