// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::profile {

/// The comment of a TOML text that is about the value in line `line` (from 1): behind it on that
/// line, else above it or above its neighbours up to a blank line, else above its table. On one
/// line; "" for none.
std::string reason_in(std::string_view toml, int line);

}  // namespace nettune::profile
