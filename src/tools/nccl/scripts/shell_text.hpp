// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::tools::nccl::scripts {

/// Whether the text has a $ or ` that the shell expands.
bool has_expansion(std::string_view text);

/// The name in $NAME and ${NAME}; "" for another text.
std::string_view expanded_name(std::string_view text);
/// A here document as the shell outputs it: \$, \` and \\ lose their backslash.
std::string unescaped(std::string_view text);
/// Replaces \n, as printf and echo -e do.
std::string with_newlines(std::string_view text);

}  // namespace nettune::tools::nccl::scripts
