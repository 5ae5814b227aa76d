// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"
#include "kernel/ethtool_settings.hpp"
#include "kinds/ethtool/table.hpp"

namespace nettune::kinds::ethtool {

/// Why the value is above the card's maximum; empty if it is not.
std::string above_maximum(const EthtoolTarget& target, const kernel::EthtoolState& state,
                          const std::string& after);

/// Corrects the effects of features of one interface that are written together: one feature may
/// need two of them (netdev_fix_features, net/core/dev.c).
void combine_feature_effects(std::span<const Write> unit, const kernel::EthtoolState& state,
                             const std::string& sys, std::span<Effects* const> effects);

/// The effects of a write. `state` is that of the target's group, null if it could not be read:
/// then the interface is assumed to be hardware, with the largest impact.
Effects ethtool_effects(const EthtoolTarget& target, const kernel::EthtoolState* state,
                        const std::string& after, const std::string& sys);

/// Where a value is kept: some private flags are in the firmware.
Lifetime ethtool_lifetime(const EthtoolTarget& target);

/// The coalescing keys that a driver may reset when this one changes; none for most.
std::vector<std::string_view> moved_by(std::string_view key);

/// True for a device on a bus, which has queues and a link.
bool is_hardware(const std::string& sys, const std::string& interface);

}  // namespace nettune::kinds::ethtool
