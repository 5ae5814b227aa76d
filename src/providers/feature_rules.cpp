// SPDX-License-Identifier: Apache-2.0
#include "providers/feature_rules.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace nettune::providers {
namespace {

using Features = std::map<std::string, bool, std::less<>>;

/// A feature goes off where none of `needs` holds, or where `excluded` is on.
struct Rule {
  std::string_view feature;
  std::string_view needs;     ///< one of these words; "a+b" holds where both are on; "" for nothing
  std::string_view excluded;  ///< "" for nothing
  bool certain = true;
};

constexpr std::string_view kChecksums = "tx-checksum-ip-generic tx-checksum-ipv4+tx-checksum-ipv6";

/// In the order of netdev_fix_features(), since one can take the ground from the next.
constexpr auto kRules = std::to_array<Rule>({
    {"tx-checksum-ipv4", "", "tx-checksum-ip-generic"},
    {"tx-checksum-ipv6", "", "tx-checksum-ip-generic"},
    {"tx-tcp-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp6-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp-ecn-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp-mangleid-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp-segmentation", "tx-checksum-ip-generic tx-checksum-ipv4", ""},
    {"tx-tcp-ecn-segmentation", "tx-checksum-ip-generic tx-checksum-ipv4", ""},
    {"tx-tcp6-segmentation", "tx-checksum-ip-generic tx-checksum-ipv6", ""},
    {"tx-tcp-mangleid-segmentation", "tx-tcp-segmentation", ""},
    {"tx-tcp-ecn-segmentation",
     "tx-tcp-segmentation tx-tcp6-segmentation tx-tcp-mangleid-segmentation", ""},
    {"tx-generic-segmentation", "tx-scatter-gather", ""},
    // Which ones are partial is the driver's affair (gso_partial_features), and not shown.
    {"tx-gre-segmentation", "tx-gso-partial", "", false},
    {"tx-gre-csum-segmentation", "tx-gso-partial", "", false},
    {"tx-ipxip4-segmentation", "tx-gso-partial", "", false},
    {"tx-ipxip6-segmentation", "tx-gso-partial", "", false},
    {"tx-udp_tnl-segmentation", "tx-gso-partial", "", false},
    {"tx-udp_tnl-csum-segmentation", "tx-gso-partial", "", false},
    {"tx-udp-segmentation", "tx-gso-partial", "", false},
    {"tx-tcp-mangleid-segmentation", "tx-gso-partial", "", false},
    {"rx-gro-hw", "rx-checksum", ""},
    {"rx-lro", "", "rx-fcs"},
    {"rx-gro-hw", "", "rx-fcs"},
    {"rx-lro", "", "rx-gro-hw"},
    {"tls-hw-tx-offload", kChecksums, ""},
    {"tls-hw-rx-offload", "rx-checksum", ""},
    {"tx-udp-segmentation", kChecksums, "", false},  // since 6.11
});

bool is_on(const Features& features, std::string_view name) {
  const auto found = features.find(name);
  return found != features.end() && found->second;
}

bool holds(const Features& features, std::string_view needs) {
  return std::ranges::any_of(words(needs), [&](std::string_view word) {
    return std::ranges::all_of(split(word, '+'),
                               [&](std::string_view name) { return is_on(features, name); });
  });
}

/// What the kernel makes of a wish, going by the rules that are sure and by those of the others
/// that `in_force` takes.
template <class InForce>
Features fixed(Features features, InForce in_force) {
  for (const Rule& rule : kRules) {
    const auto found = features.find(rule.feature);
    if (found == features.end() || !(rule.certain || in_force(rule))) continue;
    const bool lacks = !rule.needs.empty() && !holds(features, rule.needs);
    if (lacks || is_on(features, rule.excluded)) found->second = false;
  }
  return features;
}

/// netdev_get_wanted_features(), include/linux/netdevice.h: what cannot be changed stays as it is.
Features wish(const kernel::EthtoolState& state, const std::map<std::string, bool>& change,
              bool turned) {
  Features features;
  for (const auto& [name, bit] : state.bits) features[name] = bit.fixed ? bit.on : bit.wanted;
  for (const auto& [name, on] : change) features[name] = on != turned;
  return features;
}

}  // namespace

FeatureMoves feature_moves(const kernel::EthtoolState& state,
                           const std::map<std::string, bool>& change) {
  FeatureMoves moves;
  const Features then = wish(state, change, false);
  const Features before = wish(state, change, true);
  const auto compare = [&](auto in_force, bool certain) {
    const Features after = fixed(then, in_force);
    for (const auto& [name, on] : fixed(before, in_force)) {
      const bool now = after.at(name);
      if (!change.contains(name) && on != now) moves[name] = {now, certain};
    }
  };
  // Each alone as well as all: where one holds a feature off anyway, another moves nothing.
  compare([](const Rule&) { return true; }, false);
  for (const Rule& each : kRules)
    if (!each.certain) compare([&](const Rule& rule) { return &rule == &each; }, false);
  compare([](const Rule&) { return false; }, true);
  return moves;
}

}  // namespace nettune::providers
