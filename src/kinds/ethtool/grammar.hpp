// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace nettune::kinds::ethtool {

/// The type of value of `ethtool:IF:KEY`.
enum class EthtoolValue { on_off, number };

/// Features have the kernel's names after this prefix ("feature-rx-gro-hw"), private flags the
/// driver's after the other ("flag-fw-lldp-agent").
inline constexpr std::string_view kFeaturePrefix = "feature-";
inline constexpr std::string_view kFlagPrefix = "flag-";

/// The type of a key: "ring-rx", "pause-tx", "feature-NAME", "flag-NAME". An unknown key is
/// Errc::invalid, with the closest one; feature and flag names are checked by the kernel only.
Result<EthtoolValue> ethtool_value(std::string_view key);

}  // namespace nettune::kinds::ethtool
