// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::toml {

/// The largest size of a profile or site file.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1024} * 1024;
/// The deepest nesting of brackets, braces and dotted keys.
inline constexpr int kMaxDepth = 64;

/// Refuses texts that are unsafe for the TOML parser: too large, not UTF-8, with control
/// characters, nested too deep (toml11 3.7 recurses until the stack overflows), or with an integer
/// above 64 bits (toml11 3.7 turns it into INT64_MAX). Everything else is left to the parser.
Result<> guard(std::string_view text, const std::string& file);

}  // namespace nettune::toml
