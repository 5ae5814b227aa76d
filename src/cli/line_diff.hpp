// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::cli {

/// The hunks of a unified diff with three lines of context and printable lines; empty for equal
/// texts. A last line without newline is marked as in diff(1). For large and very different texts
/// the result is correct but not minimal.
std::string line_diff(std::string_view before, std::string_view after);

}  // namespace nettune::cli
