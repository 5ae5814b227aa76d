// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"

namespace nettune::kinds::sysctl {

struct SysctlStep {
  std::string key;
  std::string value;
  bool operator==(const SysctlStep&) const = default;
};

/// The writes of a unit, in order. Keys that bound each other are written so that none exceeds
/// another (kinds/sysctl/bounds.hpp), from valid values to valid values, whichever rise and fall;
/// of two alternatives only the effective one is written; the watchdogs are written so that they
/// return. Each write has a value.
std::vector<SysctlStep> steps_of(std::span<const Write> unit);

/// The unit of keys that are written together: those that bound each other, alternatives,
/// watchdogs; "" for a key by itself.
std::string_view family_of(std::string_view key);

}  // namespace nettune::kinds::sysctl
