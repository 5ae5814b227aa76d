// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::formats {

struct Variable {
  std::string name;
  std::string value;
};

/// [A-Za-z_][A-Za-z0-9_]*, at most 255 bytes, and none that would change how a shell or loader
/// works (PATH, LD_*, IFS, BASH_ENV, ENV, ...).
Result<> check_variable_name(std::string_view name);
/// What may go to nccl.conf, a shell and an env-file alike: printable ASCII without quotes, '$',
/// '`' and backslash, without blanks at either end, at most 1023 bytes (NCCL cuts there). Every
/// reader takes such a value literally; NCCL keeps quotes as part of the value, so they are always
/// a mistake.
Result<> check_variable_value(std::string_view value);

/// /etc/profile.d: POSIX shell that sets and exports each variable only where it is unset, whatever
/// is in the values, with `heading` as comment lines on top.
Result<std::string> shell_exports(std::span<const Variable> variables, std::string_view heading);

/// For `eval` or a file to be sourced: POSIX shell that sets and exports each variable whatever was
/// set before.
Result<std::string> shell_assignments(std::span<const Variable> variables);

/// What docker and podman take with --env-file, and NCCL as its nccl.conf: NAME=VALUE, no quoting
/// of any kind. NCCL before 2.26.2 knows no comments, so for it `heading` must hold no '='.
Result<std::string> env_file(std::span<const Variable> variables, std::string_view heading);

}  // namespace nettune::formats
