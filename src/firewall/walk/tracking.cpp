// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/tracking.hpp"

#include <algorithm>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <string_view>

#include "firewall/rules/expressions.hpp"
#include "firewall/rules/xt_target.hpp"

namespace nettune::firewall::walk {
namespace {

// Expressions, matches and targets that call nf_ct_netns_get() when their rule is made, even in a
// dormant table: the kernel tracks while there is one.
constexpr std::string_view kTrackingNames[] = {
    "nat", "masq", "redir", "flow_offload", "connlimit", "synproxy", "named ct object"};
constexpr std::string_view kTrackingXt[] = {
    "conntrack", "state",    "connmark", "connlabel", "connlimit",  "connbytes",
    "helper",    "CONNMARK", "DNAT",     "SNAT",      "MASQUERADE", "REDIRECT",
    "NETMAP",    "SYNPROXY", "cluster",  "ipvs",      "CLUSTERIP",  "CONNSECMARK"};

template <class List>
bool has(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

struct Tracks {
  bool operator()(const rules::Ct&) const { return true; }
  bool operator()(const rules::CtSet&) const { return true; }
  bool operator()(const rules::Passive& one) const {
    return one.name == "ct set" || has(kTrackingNames, one.name);
  }
  bool operator()(const rules::Diversion& one) const { return has(kTrackingNames, one.name); }
  bool operator()(const rules::Opaque& one) const { return has(kTrackingNames, one.name); }
  bool operator()(const rules::XtMatch& one) const { return has(kTrackingXt, one.name); }
  bool operator()(const rules::XtTarget& one) const {
    // xt_CT.c: a target that exempts packets from tracking needs no tracking.
    if (one.name == "CT") return rules::effect_of(one) != rules::TargetEffect::notrack;
    return has(kTrackingXt, one.name);
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

bool tracks(const kernel::NfRule& rule) {
  const auto expressions = rules::decode_expressions(rule.expressions);
  return std::any_of(expressions.begin(), expressions.end(),
                     [](const rules::Expression& one) { return std::visit(Tracks{}, one); });
}

}  // namespace

TrackedFamilies tracked_families(const kernel::NfRuleset& ruleset) {
  TrackedFamilies tracked;
  for (const kernel::NfRule& rule : ruleset.rules) {
    const bool both = rule.family == NFPROTO_INET;
    const bool adds_ipv4 = !tracked.ipv4 && (both || rule.family == NFPROTO_IPV4);
    const bool adds_ipv6 = !tracked.ipv6 && (both || rule.family == NFPROTO_IPV6);
    if ((!adds_ipv4 && !adds_ipv6) || !tracks(rule)) continue;
    tracked.ipv4 = tracked.ipv4 || adds_ipv4;
    tracked.ipv6 = tracked.ipv6 || adds_ipv6;
    if (tracked.ipv4 && tracked.ipv6) break;
  }
  return tracked;
}

}  // namespace nettune::firewall::walk
