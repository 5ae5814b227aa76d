// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::nccl {

/// True where a $ or ` stands that the shell replaces.
bool has_expansion(std::string_view text);
/// A here document as the shell writes it: \$, \` and \\ lose their backslash.
std::string unescaped(std::string_view text);
/// What printf and echo -e make of \n.
std::string with_newlines(std::string_view text);

}  // namespace nettune::nccl
