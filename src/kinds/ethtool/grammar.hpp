// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace nettune::formats {

/// What a setting of `ethtool:IF:KEY` holds.
enum class EthtoolValue { on_off, number };

/// Features have the kernel's names behind this ("feature-rx-gro-hw"), private flags the driver's
/// behind the other ("flag-fw-lldp-agent").
inline constexpr std::string_view kFeaturePrefix = "feature-";
inline constexpr std::string_view kFlagPrefix = "flag-";

/// The value of a key: "ring-rx", "pause-tx", "feature-NAME", "flag-NAME". Errc::invalid, with the
/// nearest key, for one that there is not; whether a name is known is for the kernel to say.
Result<EthtoolValue> ethtool_value(std::string_view key);

}  // namespace nettune::formats
