// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <span>
#include <string_view>

namespace nettune::kinds::ethtool {

/// The first two numbers of a kernel's release.
struct KernelVersion {
  int major = 0;
  int minor = 0;

  auto operator<=>(const KernelVersion&) const = default;
};
/// Of "6.12.43+deb13-amd64"; {0, 0} for anything else.
KernelVersion kernel_version(std::string_view release);

/// A feature is switched off if none of `needs` holds, or if `excluded` is on.
struct FeatureRule {
  std::string_view feature;
  std::string_view needs;     ///< one of these words; "a+b" needs both; "" for nothing
  std::string_view excluded;  ///< "" for nothing
  bool certain = true;        ///< false if it depends on kernel version or driver
  KernelVersion since = {};   ///< certain from that kernel on; {0, 0}: no version makes it certain
};

/// Whether a rule surely holds in a kernel.
bool is_certain(const FeatureRule& rule, KernelVersion kernel);

/// In the order of netdev_fix_features(), net/core/dev.c: one rule can disable what the next one
/// needs.
std::span<const FeatureRule> feature_rules();

}  // namespace nettune::kinds::ethtool
