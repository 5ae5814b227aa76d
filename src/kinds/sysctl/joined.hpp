// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nettune::kinds::sysctl {

/// The value of a key once a plan is written; nothing if it is unknown.
using ValueOfKey = std::function<std::optional<std::string>(std::string_view key)>;

/// Whether the value of an interface's key, or of its counterpart for all of `interfaces`, does
/// nothing because the kernel joins the two: "has no effect, since ..."; "" if it has one.
std::string no_effect_of(std::string_view key, std::string_view value, const ValueOfKey& later,
                         std::span<const std::string> interfaces);

}  // namespace nettune::kinds::sysctl
