// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

/// Commands that are separate programs: those that need no privilege, or need libraries that
/// nettune itself must not load. This table finds them beside nettune, never by PATH.
namespace nettune::cli {

/// Groups of `nettune --help`, in its order.
constexpr std::string_view kSettings = "Settings";
constexpr std::string_view kNode = "This node";
constexpr std::string_view kJobs = "Jobs";
constexpr std::string_view kManyNodes = "Many nodes";

struct ProgramSpec {
  std::string_view name;     ///< the command: "nccl"
  std::string_view file;     ///< its file's name: "nettune-nccl"
  std::string_view summary;  ///< at most 60 characters
  std::string_view group;
  std::string_view example = {};  ///< a whole line that works, for the end of its help
};

/// What of a built-in command is in a program: `env --explain` needs the readers of scripts.
constexpr ProgramSpec kEnvExplain = {"env", "nettune-nccl", "", ""};

std::span<const ProgramSpec> programs();
/// Returns nullptr for an unknown command.
const ProgramSpec* find_program(std::string_view name);

/// In libexec if nettune is installed (its directory is sbin, or bin with a libexec), beside
/// nettune in a build.
Result<std::string> program_path(const ProgramSpec& program);

/// The path of nettune, as seen from a program of libexec.
Result<std::string> nettune_path();

/// Executes the program with the words after the command; returns only on failure. argv[0] is
/// "nettune-COMMAND": one file may provide several commands.
Failure become_program(const ProgramSpec& program, std::span<const std::string> words);

/// The first word when a program is asked for completion candidates.
constexpr std::string_view kCompleteWord = "--complete";

}  // namespace nettune::cli
