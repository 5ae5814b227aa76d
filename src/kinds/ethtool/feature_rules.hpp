// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kernel/ethtool_settings.hpp"

namespace nettune::providers {

/// What the kernel makes of other features when one is switched.
struct FeatureMove {
  bool on = false;
  bool certain = true;  ///< false where it depends on the kernel's version or on the driver
};
using FeatureMoves = std::map<std::string, FeatureMove, std::less<>>;

/// The features that move along when the ones in `change` get what it says, compared with their
/// being the other way round. By the rules of netdev_fix_features(), net/core/dev.c, of 6.1 and
/// 6.12; a driver may have more (ndo_fix_features). `state` is of the group features. Pure.
FeatureMoves feature_moves(const kernel::EthtoolState& state,
                           const std::map<std::string, bool>& change);

}  // namespace nettune::providers
