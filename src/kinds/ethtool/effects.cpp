// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/effects.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/common/privilege.hpp"
#include "kinds/ethtool/feature_rules.hpp"

namespace nettune::kinds::ethtool {
namespace {

using kernel::EthtoolGroup;
using kernel::EthtoolState;

/// The private flags with known effects.
struct KnownFlag {
  std::string_view name;
  Lifetime lifetime;
  std::string_view residue;
  std::string_view moves;  ///< keys of dcb:IF that it changes as side effects
  std::string_view why;
};

constexpr auto kKnownFlags = std::to_array<KnownFlag>({
    // ice_aq_stop_lldp() with `persist`, and ice_dcb_sw_dflt_cfg() for all of DCB.
    {"fw-lldp-agent", Lifetime::firmware, "the firmware negotiates with the switch again",
     "dcbx pfc ets-prio-tc ets-tsa ets-bw",
     "ice_set_priv_flags, drivers/net/ethernet/intel/ice/ice_ethtool.c"},
});

const KnownFlag* known_flag(const EthtoolTarget& target) {
  if (target.group != EthtoolGroup::flags) return nullptr;
  const auto* const found = std::ranges::find(kKnownFlags, target.name, &KnownFlag::name);
  return found == kKnownFlags.end() ? nullptr : found;
}

/// Features that the stack implements in software: the driver does not rebuild its queues.
constexpr auto kSoftFeatures = std::to_array<std::string_view>(
    {"rx-gro", "rx-gro-list", "rx-udp-gro-forwarding", "tx-generic-segmentation", "tx-gso-list",
     "tx-gso-partial", "tx-nocache-copy"});

/// The interfaces above `interface` ("upper_") or below it ("lower_"), recursively.
std::set<std::string> stack_of(const std::string& sys, const std::string& interface,
                               std::string_view direction) {
  std::set<std::string> found;
  const auto root = kernel::Directory::open(cat(sys, "/class/net"));
  if (!root) return found;
  std::vector<std::string> left = {interface};
  while (!left.empty()) {
    const std::string at = std::move(left.back());
    left.pop_back();
    for (const std::string& name : root->list(at)) {
      if (!name.starts_with(direction)) continue;
      const std::string other = name.substr(direction.size());
      if (other != interface && found.insert(other).second) left.push_back(other);
    }
  }
  return found;
}

void touch(Effects& effects, std::string_view interface, std::string_view key,
           std::optional<std::string> predicted, std::string_view why) {
  effects.touches.push_back(
      {ethtool_address(interface, key), "", std::move(predicted), std::string(why)});
}

constexpr std::string_view kFix = "netdev_fix_features, net/core/dev.c";
constexpr std::string_view kStack = "upper devices inherit its features (NETDEV_FEAT_CHANGE)";

std::string feature_key(std::string_view name) { return cat(kFeaturePrefix, name); }

std::optional<std::string> predicted_by(const FeatureMove& move) {
  if (!move.certain) return std::nullopt;
  return move.on ? "on" : "off";
}

void feature_touches(const EthtoolTarget& target, const EthtoolState& state, bool on,
                     const std::string& sys, Effects& effects) {
  const FeatureMoves moves = feature_moves(state, {{std::string(target.name), on}});
  for (const auto& [name, move] : moves)
    touch(effects, target.interface, feature_key(name), predicted_by(move), kFix);
  for (const std::string& upper : stack_of(sys, target.interface, "upper_")) {
    touch(effects, upper, target.key, std::nullopt, kStack);
    for (const auto& [name, move] : moves)
      touch(effects, upper, feature_key(name), std::nullopt, kStack);
  }
  // NETIF_F_UPPER_DISABLES, include/linux/netdev_features.h: this one is passed down the stack.
  if (target.name == "rx-lro" && !on) {
    for (const std::string& lower : stack_of(sys, target.interface, "lower_"))
      touch(effects, lower, target.key, "off", "netdev_sync_lower_features, net/core/dev.c");
  }
}

void coalesce_touches(const EthtoolTarget& target, const EthtoolState& state, Effects& effects) {
  const auto moved = moved_by(target.key);
  for (const EthtoolParameter& parameter : ethtool_parameters())
    if (std::ranges::find(moved, parameter.key) != moved.end() &&
        state.numbers.contains(parameter.attribute))
      touch(effects, target.interface, parameter.key, std::nullopt,
            "drivers may reset the times to their own values (mlx5e_ethtool_set_coalesce)");
}

/// The impact of a write on hardware traffic.
void disturb(const EthtoolTarget& target, Effects& effects) {
  switch (target.group) {
    case EthtoolGroup::pause:
      // If the other end is asked, the link restarts: ice_set_pauseparam(), and
      // bnxt_set_pauseparam() with autoneg. mlx5 does not, but it cannot be recognized here.
      effects.impact = Impact::link_bounce;
      break;
    case EthtoolGroup::channels:
      effects.undo = Undo::residue;
      effects.residue = cat("the driver resets the RSS table of ", target.interface,
                            " (ethtool -x); a table that was set by hand may be lost");
      effects.impact = Impact::queue_reopen;
      break;
    case EthtoolGroup::rings:
      effects.impact = Impact::queue_reopen;
      break;
    case EthtoolGroup::coalesce:
      // mlx5e_ethtool_set_coalesce() of 6.1 rebuilds the channels for another mode.
      if (!moved_by(target.key).empty()) effects.impact = Impact::queue_reopen;
      break;
    case EthtoolGroup::features:
      if (std::ranges::find(kSoftFeatures, target.name) == kSoftFeatures.end())
        effects.impact = Impact::queue_reopen;
      break;
    case EthtoolGroup::flags:
      effects.impact = Impact::may_cut;  // the effect of a private flag is not known
      break;
  }
  if (effects.impact != Impact::none) effects.cuts = target.interface;
}

}  // namespace

std::vector<std::string_view> moved_by(std::string_view key) {
  // mlx5e_reset_rx_moderation() and the like; also for cqe-mode.
  if (key == "coalesce-adaptive-rx" || key == "coalesce-cqe-mode-rx")
    return {"coalesce-rx-usecs", "coalesce-rx-frames"};
  if (key == "coalesce-adaptive-tx" || key == "coalesce-cqe-mode-tx")
    return {"coalesce-tx-usecs", "coalesce-tx-frames"};
  return {};
}

std::string above_maximum(const EthtoolTarget& target, const EthtoolState& state,
                          const std::string& after) {
  if (target.parameter == nullptr || target.parameter->maximum == 0) return {};
  const auto most = state.numbers.find(target.parameter->maximum);
  if (most == state.numbers.end() || ethtool_number(after) <= most->second) return {};
  return cat("the maximum of ", target.key, " on ", target.interface, " is ", most->second);
}

bool is_hardware(const std::string& sys, const std::string& interface) {
  const auto root = kernel::Directory::open(sys);
  return root && root->exists(cat("class/net/", interface, "/device"));
}

Lifetime ethtool_lifetime(const EthtoolTarget& target) {
  const KnownFlag* const flag = known_flag(target);
  return flag != nullptr ? flag->lifetime : Lifetime::runtime;
}

void combine_feature_effects(std::span<const Write> unit, const EthtoolState& state,
                             const std::string& sys, std::span<Effects* const> effects) {
  std::map<std::string, bool> change;
  for (const Write& write : unit)
    if (const auto target = ethtool_target(write.address))
      change.emplace(target->name, write.after == "on");
  const std::string interface(unit.front().address.object());
  FeatureMoves moves = feature_moves(state, change);
  for (Effects* const each : effects) {
    for (Witness& touched : each->touches) {
      if (touched.address.object() != interface) continue;
      const auto target = ethtool_target(touched.address);
      if (!target || change.contains(std::string(target->name))) continue;
      const auto move = moves.find(target->name);
      touched.predicted = move == moves.end() ? std::nullopt : predicted_by(move->second);
      if (move != moves.end()) moves.erase(move);
    }
  }
  for (const auto& [name, move] : moves) {
    touch(*effects.back(), interface, feature_key(name), predicted_by(move), kFix);
    for (const std::string& upper : stack_of(sys, interface, "upper_"))
      touch(*effects.back(), upper, feature_key(name), std::nullopt, kStack);
  }
}

Effects ethtool_effects(const EthtoolTarget& target, const EthtoolState* state,
                        const std::string& after, const std::string& sys) {
  Effects effects;
  if (state == nullptr || is_hardware(sys, target.interface)) disturb(target, effects);
  if (state != nullptr) {
    if (target.group == EthtoolGroup::features)
      feature_touches(target, *state, after == "on", sys, effects);
    if (target.group == EthtoolGroup::coalesce) coalesce_touches(target, *state, effects);
    effects.not_permitted = effects.impossible = above_maximum(target, *state, after);
  }
  if (const KnownFlag* const flag = known_flag(target)) {
    effects.undo = Undo::residue;
    effects.residue = flag->residue;
    for (const std::string_view key : words(flag->moves))
      effects.touches.push_back({Address{cat("dcb:", target.interface, ':', key)}, "", std::nullopt,
                                 std::string(flag->why)});
  }
  if (effects.not_permitted.empty() && !common::may_administer_network())
    effects.not_permitted = cat("changing ", target.interface, " needs root (CAP_NET_ADMIN)");
  return effects;
}

}  // namespace nettune::kinds::ethtool
