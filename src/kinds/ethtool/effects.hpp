// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"
#include "kernel/ethtool_settings.hpp"
#include "kinds/ethtool/table.hpp"

namespace nettune::providers {

/// Why the card cannot take as many; empty when it can.
std::string above_maximum(const EthtoolTarget& target, const kernel::EthtoolState& state,
                          const std::string& after);

/// What a write means. `state` is that of the target's group, null where nobody could look: then
/// the interface is taken for hardware, which is disturbed most.
Effects ethtool_effects(const EthtoolTarget& target, const kernel::EthtoolState* state,
                        const std::string& after, const std::string& sys);

/// Where a value lives: of some private flags, in the firmware.
Lifetime ethtool_lifetime(const EthtoolTarget& target);

/// The keys of coalescing that a driver may set anew when this one changes; none for most.
std::vector<std::string_view> moved_by(std::string_view key);

/// The interface stands on a bus, so that there are queues and a link behind it.
bool is_hardware(const std::string& sys, const std::string& interface);

}  // namespace nettune::providers
