// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "conf/environment.hpp"

/// Variables in the formats of programs that start jobs. Every function refuses what
/// check_variable_name() and check_variable_value() refuse, and puts `heading` on top as comment
/// lines.
namespace nettune::conf {

/// A drop-in for a systemd service: one Environment= each, quoted, with '%' doubled, since systemd
/// expands %x after quotes and backslashes (config_parse_environ() in src/core/load-fragment.c).
Result<std::string> service_environment(std::span<const Variable> variables,
                                        std::string_view heading);

/// A script for Slurm's TaskProlog, to be executable. slurmstepd sets what it prints as "export
/// NAME=VALUE", byte for byte up to the end of the line, and reads lines of less than 4094 bytes
/// (_run_script_and_set_env() in src/slurmd/slurmstepd/task.c). It runs with the task's environment
/// and prints only unset variables: what a user chose stays.
Result<std::string> task_prolog(std::span<const Variable> variables, std::string_view heading);

/// A ConfigMap for Kubernetes with one key per variable, for envFrom. A name longer than 253 bytes
/// is also refused (IsConfigMapKey() in apimachinery/pkg/util/validation).
Result<std::string> config_map(std::span<const Variable> variables, std::string_view heading);

}  // namespace nettune::conf
