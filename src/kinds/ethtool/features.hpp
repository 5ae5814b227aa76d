// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace nettune::formats {

/// A feature is switched off if none of `needs` holds, or if `excluded` is on.
struct FeatureRule {
  std::string_view feature;
  std::string_view needs;     ///< one of these words; "a+b" needs both; "" for nothing
  std::string_view excluded;  ///< "" for nothing
  bool certain = true;        ///< false if it depends on kernel version or driver
};

/// In the order of netdev_fix_features(), net/core/dev.c: one rule can disable what the next one
/// needs.
std::span<const FeatureRule> feature_rules();

}  // namespace nettune::formats
