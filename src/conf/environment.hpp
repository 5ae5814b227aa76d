// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::conf {

/// Names the variables that nettune ab or tune measures, separated by spaces. NAME@HOST counts on
/// that host alone. The scripts of nettune render let them win over a value of the node
/// (templates/parts/rule.tmpl), and print for each of them what the job got, after kArmReceipt.
constexpr std::string_view kArmMark = "NETTUNE_ARM";
constexpr std::string_view kArmReceipt = "nettune-arm: ";

struct Variable {
  std::string name;
  std::string value;
};

/// Checks a name: [A-Za-z_][A-Za-z0-9_]*, at most 255 bytes, and none that changes how a shell or
/// loader works (PATH, LD_*, IFS, BASH_ENV, ENV, ...).
Result<> check_variable_name(std::string_view name);
/// Checks a value for nccl.conf, shells and env-files: printable ASCII without quotes, '$', '`' and
/// backslash, without blanks at either end, at most 1023 bytes (NCCL's limit). Every reader takes
/// such a value literally. NCCL keeps quotes as part of the value, so they are always a mistake.
Result<> check_variable_value(std::string_view value);

/// For /etc/profile.d: POSIX shell that sets and exports each variable only if it is unset, with
/// any values, and with `heading` as comment lines on top.
Result<std::string> shell_exports(std::span<const Variable> variables, std::string_view heading);

/// For `eval` or a sourced file: POSIX shell that sets and exports each variable unconditionally.
Result<std::string> shell_assignments(std::span<const Variable> variables);

/// What docker and podman read of a line of such a file: NAME=VALUE, byte for byte behind leading
/// blanks. Nothing for a comment, and for a line without '='.
std::optional<Variable> env_file_line(std::string_view line);

/// For --env-file of docker and podman, and for NCCL's nccl.conf: NAME=VALUE without any quoting.
/// NCCL before 2.26.2 has no comments, so for it `heading` must not contain '='.
Result<std::string> env_file(std::span<const Variable> variables, std::string_view heading);

}  // namespace nettune::conf
