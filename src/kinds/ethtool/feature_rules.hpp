// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kernel/ethtool_settings.hpp"

namespace nettune::kinds::ethtool {

/// The side effect of one feature switch on another feature.
struct FeatureMove {
  bool on = false;
  bool certain = true;  ///< false if it depends on kernel version or driver
};
using FeatureMoves = std::map<std::string, FeatureMove, std::less<>>;

/// The features that change together with those in `change`, compared with their opposite. The
/// rules are those of netdev_fix_features(), net/core/dev.c, of 6.1 and 6.12; a driver may have
/// more (ndo_fix_features). `state` is of the group features. Pure.
FeatureMoves feature_moves(const kernel::EthtoolState& state,
                           const std::map<std::string, bool>& change);

}  // namespace nettune::kinds::ethtool
