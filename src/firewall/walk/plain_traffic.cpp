// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <linux/netfilter.h>

#include "firewall/walk/evaluate.hpp"

namespace nettune::firewall::walk {
namespace {

/// All peers but this node: without loopback and groups, and without 6to4 (2002::/16), of which
/// firewalld drops what carries a private IPv4 address (RFC 3964) in the output chain of everybody.
std::vector<rules::Network> anybody(bool ipv6) {
  std::vector<rules::Network> networks;
  const auto add = [&](const char* text) {
    if (const auto network = rules::parse_network(text)) networks.push_back(*network);
  };
  if (ipv6) {
    for (const char* const text : {"2000::/15", "2003::/16", "2004::/14", "2008::/13", "2010::/12",
                                   "2020::/11", "2040::/10", "2080::/9", "2100::/8", "2200::/7",
                                   "2400::/6", "2800::/5", "3000::/4", "fc00::/7", "fe80::/64"})
      add(text);
  } else {
    for (const char* const text :
         {"1.0.0.0/8", "2.0.0.0/7", "4.0.0.0/6", "8.0.0.0/5", "16.0.0.0/4", "32.0.0.0/3",
          "64.0.0.0/3", "96.0.0.0/4", "112.0.0.0/5", "120.0.0.0/6", "124.0.0.0/7", "126.0.0.0/8",
          "128.0.0.0/2", "192.0.0.0/3"})
      add(text);
  }
  return networks;
}

bool is_of(const kernel::NfChain& chain, bool ipv6) {
  return chain.family == NFPROTO_INET || chain.family == (ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
}

}  // namespace

bool passes_plain(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain, Leg leg) {
  kernel::NfRuleset alone = ruleset;
  for (kernel::NfChain& each : alone.chains) {
    const bool same =
        each.family == chain.family && each.table == chain.table && each.name == chain.name;
    if (!same) each.hook.reset();
  }
  Evaluator evaluator(alone);
  const bool leaves = chain.hook && chain.hook->number == NF_INET_LOCAL_OUT;
  using rules::Protocol;
  for (const bool ipv6 : {false, true}) {
    if (!is_of(chain, ipv6)) continue;
    for (const Protocol protocol :
         {Protocol::tcp, Protocol::udp, ipv6 ? Protocol::icmpv6 : Protocol::icmp}) {
      Traffic traffic{"", anybody(ipv6), protocol};
      traffic.outgoing = leaves == (leg == Leg::first);
      if (evaluator.judge_one(traffic, leg).passage != Passage::accepted) return false;
    }
  }
  return true;
}

}  // namespace nettune::firewall::walk
