// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

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

/// A line that may set variables, but is not understood or refers to another file.
struct Unread {
  std::string file;
  int line = 0;
  std::string text;  ///< the line, up to 80 bytes
  std::string why;
};

inline constexpr std::uint64_t kMaxInputBytes = std::uint64_t{4} * 1024 * 1024;

/// "shell", "conf", "env", "yaml", "profile"; nothing for another word.
std::optional<Kind> parse_kind(std::string_view word);
std::string_view kind_word(Kind kind);
/// From the name of the file, otherwise from its content.
Kind guess_kind(std::string_view file, std::string_view text);

/// The assignments of a text of this kind, in order. Lines that are not understood are skipped, and
/// listed in `unread` if they may set variables. Errc::invalid only for a wrong profile, and for a
/// text above kMaxInputBytes.
Result<std::vector<Assignment>> read_assignments(Kind kind, std::string_view text,
                                                 const std::string& file,
                                                 std::vector<Unread>* unread = nullptr);

/// True for /etc/environment, which PAM reads.
bool is_pam_environment(std::string_view file);

/// One line of a text, for a person.
Unread unread_line(const std::string& file, int line, std::string_view text, std::string why);

/// Whether a shell takes it as a name before '='.
bool is_variable_name(std::string_view name);

// One reader for each kind; read_assignments() chooses.
std::vector<Assignment> read_shell(std::string_view text, const std::string& file,
                                   std::vector<Unread>* unread = nullptr);
/// Like read_shell(), but with the unset commands, in order, instead of Assignment::unset_later.
std::vector<Assignment> read_shell_steps(std::string_view text, const std::string& file,
                                         std::vector<Unread>* unread = nullptr);
/// The variables that a script prints as "export NAME=VALUE" for others (slurmstepd reads those of
/// a TaskProlog: src/slurmd/slurmstepd/task.c), without those that it sets for itself.
std::vector<Assignment> read_printed_exports(std::string_view text, const std::string& file);
std::vector<Assignment> read_conf(std::string_view text, const std::string& file,
                                  std::vector<Unread>* unread = nullptr);
std::vector<Assignment> read_env_file(std::string_view text, const std::string& file,
                                      std::vector<Unread>* unread = nullptr);
/// What systemd reads from EnvironmentFile= and environment.d(5): it removes quotes, and expands $
/// in environment.d.
std::vector<Assignment> read_systemd_env_file(std::string_view text, const std::string& file);
/// From entries "NAME=VALUE" of a process.
std::vector<Assignment> read_environment(const std::vector<std::string>& entries);
/// pam_env.conf(5): NAME DEFAULT=... OVERRIDE=...; an OVERRIDE that may come out empty is a second
/// assignment, computed.
std::vector<Assignment> read_pam_env(std::string_view text, const std::string& file);
std::vector<Assignment> read_yaml(std::string_view text, const std::string& file,
                                  std::vector<Unread>* unread = nullptr);
Result<std::vector<Assignment>> read_profile_env(std::string_view text, const std::string& file);

}  // namespace nettune::nccl
