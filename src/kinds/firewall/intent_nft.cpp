// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "firewall/firewall_address.hpp"
#include "kinds/firewall/openers.hpp"

namespace nettune::kinds::firewall {
namespace {

/// Every table of iptables-nft belongs to whoever typed its rules, as do tables of nft.
bool is_nobodys(const facts::FirewallChain& chain) {
  return chain.owner.empty() || chain.owner == "iptables";
}

bool carries(const facts::FirewallChain& chain, bool ipv6) {
  return chain.family == "inet" || chain.family == (ipv6 ? "ip6" : "ip");
}

/// Whether packets go through the chain and the chain does not accept them anyway.
bool needs(const facts::FirewallChain& chain, const nettune::firewall::rules::Opening& opening) {
  return chain.can_drop && chain.hook == (opening.outgoing ? "output" : "input") &&
         carries(chain, opening.ipv6) && (!opening.answers || chain.drops_answers);
}

}  // namespace

Opener open_in_nftables(std::span<const NamedOpening> openings, const facts::Firewall& firewall) {
  Opener opener;
  for (const facts::FirewallChain& chain : firewall.chains) {
    if (!is_nobodys(chain)) continue;
    const nettune::firewall::ChainName name{chain.family, chain.table, chain.name};
    for (const NamedOpening& each : openings)
      if (needs(chain, each.opening))
        opener.rules.push_back(
            {{cat("firewall:", nettune::firewall::text_of(name), '#', each.name)},
             nettune::firewall::rules::text_of(each.opening)});
  }
  return opener;
}

}  // namespace nettune::kinds::firewall
