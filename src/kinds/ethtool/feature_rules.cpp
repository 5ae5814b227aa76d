// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/feature_rules.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "kinds/ethtool/features.hpp"

namespace nettune::kinds::ethtool {
namespace {

using Features = std::map<std::string, bool, std::less<>>;

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

/// The kernel's result for requested features, by the certain rules and those others that
/// `in_force` accepts.
template <class InForce>
Features fixed(Features features, InForce in_force) {
  for (const FeatureRule& rule : ethtool::feature_rules()) {
    const auto found = features.find(rule.feature);
    if (found == features.end() || !(rule.certain || in_force(rule))) continue;
    const bool lacks = !rule.needs.empty() && !holds(features, rule.needs);
    if (lacks || is_on(features, rule.excluded)) found->second = false;
  }
  return features;
}

/// netdev_get_wanted_features(), include/linux/netdevice.h: unchangeable features stay.
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
  // Each rule alone as well as all: if one disables a feature anyway, another has no effect.
  compare([](const FeatureRule&) { return true; }, false);
  for (const FeatureRule& each : ethtool::feature_rules())
    if (!each.certain) compare([&](const FeatureRule& rule) { return &rule == &each; }, false);
  compare([](const FeatureRule&) { return false; }, true);
  return moves;
}

}  // namespace nettune::kinds::ethtool
