// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace nettune::formats {

/// Sysctls of which none may stand above another: written one by one, they have to be written in an
/// order that depends on where they go.

/// The key that stands for all of those that are bound to this one, itself among them; "" for a key
/// without bounds.
std::string_view bound_group(std::string_view key);

/// Whether `lower` may not stand above `upper`; of several numbers the first one counts.
bool is_bound(std::string_view lower, std::string_view upper);

/// The keys that bound this one from either side.
std::vector<std::string_view> bounds_of(std::string_view key);

}  // namespace nettune::formats
