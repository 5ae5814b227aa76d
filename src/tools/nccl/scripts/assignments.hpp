// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "nccl/assignment.hpp"

namespace nettune::tools::nccl::scripts {

// What all readers yield.
using nettune::nccl::Assignment;
using nettune::nccl::is_variable_name;
using nettune::nccl::Kind;

/// A line that may set variables, but is not understood or refers to another file.
struct UnreadLine {
  std::string file;
  int line = 0;
  std::string text;  ///< the line, up to 80 bytes
  std::string why;
};

inline constexpr std::uint64_t kMaxInputBytes = std::uint64_t{4} * 1024 * 1024;

/// From the name of the file, otherwise from its content.
Kind guess_kind(std::string_view file, std::string_view text);

/// The assignments of a text of this kind, in order. Lines that are not understood are skipped, and
/// listed in `unread` if they may set variables. Errc::invalid only for a wrong profile, and for a
/// text above kMaxInputBytes.
Result<std::vector<Assignment>> read_assignments(Kind kind, std::string_view text,
                                                 const std::string& file,
                                                 std::vector<UnreadLine>* unread = nullptr);

/// True for /etc/environment, which PAM reads.
bool is_pam_environment(std::string_view file);

/// One line of a text, for a person.
UnreadLine unread_line(const std::string& file, int line, std::string_view text, std::string why);

// One reader for each kind; read_assignments() chooses.
std::vector<Assignment> read_shell(std::string_view text, const std::string& file,
                                   std::vector<UnreadLine>* unread = nullptr);
/// Like read_shell(), but with the unset commands, in order, instead of Assignment::unset_later.
std::vector<Assignment> read_shell_steps(std::string_view text, const std::string& file,
                                         std::vector<UnreadLine>* unread = nullptr);
/// The variables that a script prints as "export NAME=VALUE" for others (slurmstepd reads those of
/// a TaskProlog: src/slurmd/slurmstepd/task.c), without those that it sets for itself.
std::vector<Assignment> read_printed_exports(std::string_view text, const std::string& file);
std::vector<Assignment> read_conf(std::string_view text, const std::string& file,
                                  std::vector<UnreadLine>* unread = nullptr);
std::vector<Assignment> read_env_file(std::string_view text, const std::string& file,
                                      std::vector<UnreadLine>* unread = nullptr);
/// What systemd reads from EnvironmentFile= and environment.d(5): it removes quotes, and expands $
/// in environment.d.
std::vector<Assignment> read_systemd_env_file(std::string_view text, const std::string& file);
/// From entries "NAME=VALUE" of a process.
std::vector<Assignment> read_environment(const std::vector<std::string>& entries);
/// pam_env.conf(5): NAME DEFAULT=... OVERRIDE=...; an OVERRIDE that may come out empty is a second
/// assignment, computed.
std::vector<Assignment> read_pam_env(std::string_view text, const std::string& file);
std::vector<Assignment> read_yaml(std::string_view text, const std::string& file,
                                  std::vector<UnreadLine>* unread = nullptr);
Result<std::vector<Assignment>> read_profile_env(std::string_view text, const std::string& file);

}  // namespace nettune::tools::nccl::scripts
