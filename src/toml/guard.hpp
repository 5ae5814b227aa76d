// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::profile {

/// A profile or site file may be this large.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1024} * 1024;
/// Brackets, braces and dotted keys may nest this deep.
inline constexpr int kMaxDepth = 64;

/// Refuses texts that a TOML parser should not see at all: too large, not UTF-8, with control
/// characters, nested too deep (toml11 3.7 recurses until its stack is gone), or with an integer
/// that is none of 64 bits (toml11 3.7 turns it into INT64_MAX). Everything else is left to the
/// parser.
Result<> guard(std::string_view text, const std::string& file);

}  // namespace nettune::profile
