// SPDX-License-Identifier: Apache-2.0
#include "firewall/chain_owner.hpp"

#include <linux/netfilter.h>

#include "firewall/evaluate.hpp"

namespace nettune::firewall {

std::string owner_of_chain(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain) {
  const std::string owner = owner_of(ruleset, chain.family, chain.table);
  // Docker and Kubernetes keep chains of theirs beside INPUT in a table of iptables-nft; INPUT
  // itself stays with who types rules.
  const bool shared = chain.table == "filter" && chain.name == "INPUT" &&
                      (chain.family == NFPROTO_IPV4 || chain.family == NFPROTO_IPV6);
  return shared && !owner.empty() && owner != "ufw" ? "iptables" : owner;
}

}  // namespace nettune::firewall
