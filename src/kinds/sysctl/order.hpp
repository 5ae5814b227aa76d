// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"

namespace nettune::providers {

struct SysctlStep {
  std::string key;
  std::string value;
  bool operator==(const SysctlStep&) const = default;
};

/// What to write, one after another, so that all of a unit comes true: keys that bound each other
/// in an order in which none passes another (kinds/sysctl/bounds.hpp), from values that keep the
/// bounds to others that keep them, whichever of them rise and fall; of two rivals the one that
/// stays; the watchdogs so that they come back. Each write has a value behind it.
std::vector<SysctlStep> steps_of(std::span<const Write> unit);

/// The name of the unit of keys that are written together: those that bound each other, rivals,
/// watchdogs; "" for a key by itself.
std::string_view family_of(std::string_view key);

}  // namespace nettune::providers
