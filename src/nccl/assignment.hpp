// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nettune::nccl {

/// The kind of a text, which decides how its lines are read.
enum class Kind {
  shell,        ///< a script, including Slurm's batch files, or a Dockerfile
  conf,         ///< nccl.conf, as NCCL reads it
  env_file,     ///< docker's and podman's --env-file, systemd's EnvironmentFile, /etc/environment
  yaml,         ///< Kubernetes (also JSON), compose
  profile,      ///< a profile of nettune: its [env]
  environment,  ///< of this process
};

/// A variable that a text sets.
struct Assignment {
  std::string name;
  std::string value;  ///< as NCCL gets it, without quotes of the shell or YAML
  std::string file;
  int line = 0;
  Kind kind = Kind::shell;
  bool computed = false;   ///< the value is known only at run time: $X, `...`, ${...}
  bool exported = true;    ///< false: a variable of the shell
  bool handed_on = false;  ///< not exported, but its value is used: $NAME
  bool unset_later = false;
  bool of_script = false;  ///< in a file or a text that a script makes
  // Of the shell:
  bool cut = false;              ///< a list that a space cuts off: A=x, y
  bool conditional = false;      ///< it may not run, for another reason than if_unset
  bool if_unset = false;         ///< it runs only if the variable is unset
  bool removes = false;          ///< unset NAME; only from read_shell_steps()
  bool for_one_command = false;  ///< NAME=VALUE command, env, mpirun -x, bash -c: not for others
  int command = 0;               ///< the first line of that command; 0 for none
  /// Of the innermost few `if`s around it, which one it is and which of its branches; of the
  /// script's own only. None in a loop or a function, of which one run may have several.
  std::vector<std::pair<int, int>> branches = {};
  /// Of a computed one, what it is if a variable of the script still has its only literal value, or
  /// the environment none, and where that stands: "ALGO, line 60", "the default of ALGO".
  std::string assumed = {};
  std::string assumed_of = {};
};

/// One run of a script never has both: they are in two branches of an `if`, or for two commands.
/// False where that is not certain.
bool exclude_each_other(const Assignment& one, const Assignment& other);
/// NAME=$NAME, NAME="${NAME}", NAME=${NAME:-...}: where it was set before, it keeps its value.
bool passes_on(std::string_view name, std::string_view value);

/// "shell", "conf", "env", "yaml", "profile"; "environment" for a process.
std::string_view kind_word(Kind kind);
/// The reverse; nothing for another word, and for "environment", which is no text.
std::optional<Kind> parse_kind(std::string_view word);

/// Whether a shell takes it as a name before '='.
bool is_variable_name(std::string_view name);

}  // namespace nettune::nccl
