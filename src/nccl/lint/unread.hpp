// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "nccl/lint/assignments.hpp"
#include "nccl/lint/shell_words.hpp"

namespace nettune::nccl {

/// Unread::why of what leads to another file.
inline constexpr std::string_view kAnotherFile = "another file, which is not read";

/// A command that may set variables which nobody sees who only reads it. `name` is its first word
/// behind "then", "sudo" and their like, and behind NAME=VALUE.
std::optional<Unread> find_unread(const std::string& file, const ShellCommand& command,
                                  const std::string& name, std::span<const ShellWord> arguments);

}  // namespace nettune::nccl
