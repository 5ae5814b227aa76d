// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::cli {

/// The hunks of a unified diff with three lines of context, lines made printable; empty for equal
/// texts. A last line without newline is marked as diff(1) does. Texts that are too large and too
/// different for a minimal answer give a correct, longer one.
std::string line_diff(std::string_view before, std::string_view after);

}  // namespace nettune::cli
