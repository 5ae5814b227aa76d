// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::nccl {

/// What a text is, and so how its lines are read.
enum class Kind {
  shell,        ///< a script, Slurm's batch files among them, or a Dockerfile
  conf,         ///< nccl.conf, as NCCL reads it
  env_file,     ///< docker's and podman's --env-file, systemd's EnvironmentFile, /etc/environment
  yaml,         ///< Kubernetes (JSON, too), compose
  profile,      ///< a profile of nettune: its [env]
  environment,  ///< of this process
};

/// A variable that a text sets.
struct Assignment {
  std::string name;
  std::string value;  ///< as it comes to NCCL, quotes of the shell or of YAML taken off
  std::string file;
  int line = 0;
  Kind kind = Kind::shell;
  bool computed = false;   ///< what the value is shows only when it runs: $X, `...`, ${...}
  bool exported = true;    ///< false: a variable of the shell
  bool handed_on = false;  ///< not exported, and its value goes somewhere: $NAME
  bool unset_later = false;
  // Of the shell:
  bool cut = false;          ///< a list of which a blank cut off the rest: A=x, y
  bool conditional = false;  ///< whether the line runs depends on more than the next one says
  bool if_unset = false;     ///< it runs only where the variable is unset
  bool removes = false;      ///< unset NAME; only of read_shell_steps()
  bool for_one_command =
      false;        ///< NAME=VALUE command, env, mpirun -x, bash -c: of no use to others
  int command = 0;  ///< the first line of that command; 0 for none
};

/// A line that may set variables, and that is not understood or leads elsewhere.
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
/// By the name of the file, else by what is in it.
Kind guess_kind(std::string_view file, std::string_view text);

/// What a text of this kind sets, in order. What is not understood is ignored, and named in
/// `unread` where it may set variables; only a profile can be wrong (Errc::invalid), and a text
/// above kMaxInputBytes.
Result<std::vector<Assignment>> read_assignments(Kind kind, std::string_view text,
                                                 const std::string& file,
                                                 std::vector<Unread>* unread = nullptr);

/// True for /etc/environment, which PAM reads.
bool is_pam_environment(std::string_view file);

/// One line of a text, for a person.
Unread unread_line(const std::string& file, int line, std::string_view text, std::string why);

/// True for what may stand in front of '=' in a shell.
bool is_variable_name(std::string_view name);

// One reader for each kind; read_assignments() chooses.
std::vector<Assignment> read_shell(std::string_view text, const std::string& file,
                                   std::vector<Unread>* unread = nullptr);
/// With what it unsets, in order, in the place of Assignment::unset_later.
std::vector<Assignment> read_shell_steps(std::string_view text, const std::string& file,
                                         std::vector<Unread>* unread = nullptr);
/// A script of which others take what it prints as "export NAME=VALUE" (slurmstepd, of a
/// TaskProlog: src/slurmd/slurmstepd/task.c). What it sets for itself is not among it.
std::vector<Assignment> read_printed_exports(std::string_view text, const std::string& file);
std::vector<Assignment> read_conf(std::string_view text, const std::string& file,
                                  std::vector<Unread>* unread = nullptr);
std::vector<Assignment> read_env_file(std::string_view text, const std::string& file,
                                      std::vector<Unread>* unread = nullptr);
/// What systemd reads from EnvironmentFile= and environment.d(5): quotes come off, and in
/// environment.d a $ is replaced.
std::vector<Assignment> read_systemd_env_file(std::string_view text, const std::string& file);
/// "NAME=VALUE", as a process has them.
std::vector<Assignment> read_environment(const std::vector<std::string>& entries);
/// pam_env.conf(5): NAME DEFAULT=... OVERRIDE=...; an OVERRIDE that may come out empty is a second
/// assignment, computed.
std::vector<Assignment> read_pam_env(std::string_view text, const std::string& file);
std::vector<Assignment> read_yaml(std::string_view text, const std::string& file,
                                  std::vector<Unread>* unread = nullptr);
Result<std::vector<Assignment>> read_profile_env(std::string_view text, const std::string& file);

}  // namespace nettune::nccl
