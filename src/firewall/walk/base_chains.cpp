// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/base_chains.hpp"

#include <algorithm>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter_arp.h>
#include <string>
#include <string_view>

#include "firewall/rules/owner.hpp"
#include "firewall/walk/traffic_packets.hpp"
#include "firewall/walk/translation.hpp"
#include "firewall/walk/verdict_text.hpp"

namespace nettune::firewall::walk {
namespace {

using kernel::NfChain;

bool is_of_interface(const NfChain& chain, const std::string& interface) {
  return std::any_of(
      chain.hook->devices.begin(), chain.hook->devices.end(), [&](const std::string& device) {
        return device.ends_with('*')
                   ? interface.starts_with(std::string_view(device).substr(0, device.size() - 1))
                   : device == interface;
      });
}

/// The order of base chains on the way of packets: by priority within a hook; -1 for none.
int stage_of(const NfChain& chain, const Shape& shape) {
  const std::uint8_t family = shape.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
  const std::uint32_t hook = chain.hook->number;
  if (is_ingress(chain) || is_egress(chain)) {
    const bool sees = is_egress(chain) == shape.leaves && is_of_interface(chain, shape.interface) &&
                      // nft_chain_filter.c: family inet sees IPv4 and IPv6.
                      (shape.arp == 0 || chain.family == NFPROTO_NETDEV);
    if (!sees) return -1;
    return shape.leaves ? 3 : 0;
  }
  if (shape.arp != 0) {
    const std::uint32_t wanted = shape.leaves ? NF_ARP_OUT : NF_ARP_IN;
    return chain.family == NFPROTO_ARP && hook == wanted ? 1 : -1;
  }
  if (chain.family != family && chain.family != NFPROTO_INET) return -1;
  if (shape.leaves) {
    if (hook == NF_INET_LOCAL_OUT) return 1;
    return hook == NF_INET_POST_ROUTING ? 2 : -1;
  }
  if (hook == NF_INET_PRE_ROUTING) return 1;
  return hook == NF_INET_LOCAL_IN ? 2 : -1;
}

}  // namespace

bool is_egress(const NfChain& chain) {
  return chain.family == NFPROTO_NETDEV && chain.hook->number == NF_NETDEV_EGRESS;
}

bool is_ingress(const NfChain& chain) {
  return (chain.family == NFPROTO_NETDEV && chain.hook->number == NF_NETDEV_INGRESS) ||
         (chain.family == NFPROTO_INET && chain.hook->number == NF_INET_INGRESS);
}

std::string_view hook_of(const NfChain& base) {
  if (is_ingress(base)) return "ingress";
  if (is_egress(base)) return "egress";
  if (base.family != NFPROTO_INET && base.family != NFPROTO_IPV4 && base.family != NFPROTO_IPV6)
    return "";
  switch (base.hook->number) {
    case NF_INET_PRE_ROUTING:
      return "prerouting";
    case NF_INET_LOCAL_IN:
      return "input";
    case NF_INET_LOCAL_OUT:
      return "output";
    case NF_INET_POST_ROUTING:
      return "postrouting";
    default:
      return "";
  }
}

std::optional<Verdict> verdict_of_unmodelled(const RuleIndex& index, const Traffic& traffic,
                                             const Shape& shape) {
  for (const NfChain& chain : index.ruleset().chains) {
    if (!chain.hook || index.is_dormant(chain)) continue;
    std::string_view why;
    if (chain.family == NFPROTO_BRIDGE && traffic.bridge) {
      why = "bridge rules are not modelled";
    } else if ((shape.leaves ? is_egress(chain) : is_ingress(chain)) &&
               std::any_of(
                   traffic.below.begin(), traffic.below.end(),
                   [&](const std::string& device) { return is_of_interface(chain, device); })) {
      why = "rules of the lower device are not modelled";
    }
    if (why.empty() || !rules::can_drop(index.ruleset(), chain)) continue;
    const WalkFinding finding{
        {&chain, nullptr, 0, {}}, std::string(why), packets_of(traffic, shape)};
    return verdict_at(Passage::unknown, finding, index.ruleset(), traffic, shape);
  }
  return std::nullopt;
}

std::vector<const Chain*> base_chains_of(RuleIndex& index, const Shape& shape) {
  struct Base {
    int stage = 0;
    const Chain* chain = nullptr;
  };
  std::vector<Base> found;
  for (const NfChain& chain : index.ruleset().chains) {
    if (!chain.hook || index.is_dormant(chain)) continue;
    const int stage = stage_of(chain, shape);
    const Chain* with_rules = index.find(chain.family, chain.table, chain.name);
    // Most base chains accept everything, which is known without walking them.
    if (stage >= 0 && with_rules != nullptr && index.matters(chain)) {
      found.push_back({stage, with_rules});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Base& a, const Base& b) {
    if (a.stage != b.stage) return a.stage < b.stage;
    const auto order = [](const NfChain& chain) {
      return std::pair(effective_priority(chain), chain.hook->priority);
    };
    return order(*a.chain->chain) < order(*b.chain->chain);
  });
  std::vector<const Chain*> chains;
  for (const Base& base : found) chains.push_back(base.chain);
  return chains;
}

}  // namespace nettune::firewall::walk
