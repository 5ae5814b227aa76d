// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace nettune::kinds::sysctl {

/// Sysctls that bound each other: the order of single writes depends on the target values.

/// The key that represents a group of keys that bound each other, itself among them; "" for a key
/// without bounds.
std::string_view bound_group(std::string_view key);

/// Whether `lower` may not exceed `upper`; of several numbers the first one counts.
bool is_bound(std::string_view lower, std::string_view upper);

/// The keys that bound this one from either side.
std::vector<std::string_view> bounds_of(std::string_view key);

}  // namespace nettune::kinds::sysctl
