// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "toml/value.hpp"

namespace nettune::toml {

/// The table of a TOML text. `file` goes into the origin of every value and error. Dates, times and
/// numbers that are not finite are refused: no profile needs them.
Result<Node> parse_toml(std::string_view text, const std::string& file);

}  // namespace nettune::toml
