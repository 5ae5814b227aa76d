// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace nettune::formats {

/// A feature goes off where none of `needs` holds, or where `excluded` is on.
struct FeatureRule {
  std::string_view feature;
  std::string_view needs;     ///< one of these words; "a+b" holds where both are on; "" for nothing
  std::string_view excluded;  ///< "" for nothing
  bool certain = true;        ///< false where it depends on the kernel's version or on the driver
};

/// In the order of netdev_fix_features(), net/core/dev.c, since one can take the ground from the
/// next.
std::span<const FeatureRule> feature_rules();

}  // namespace nettune::formats
