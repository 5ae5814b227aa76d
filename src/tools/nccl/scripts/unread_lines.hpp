// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/nccl/scripts/assignments.hpp"
#include "tools/nccl/scripts/shell_words.hpp"

namespace nettune::tools::nccl::scripts {

/// UnreadLine::why of a reference to another file.
inline constexpr std::string_view kAnotherFile = "another file, which is not read";
/// UnreadLine::why of a line of another language.
inline constexpr std::string_view kNoShell = "this does not look like shell, and is not read";

/// Finds a command that may set variables that are not visible in its text. `name` is its first
/// word after "then", "sudo" and the like, and after NAME=VALUE.
std::optional<UnreadLine> find_unread_line(const std::string& file, const ShellCommand& command,
                                           const std::string& name,
                                           std::span<const ShellWord> arguments);

}  // namespace nettune::tools::nccl::scripts
