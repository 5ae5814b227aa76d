// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "cli/command.hpp"
#include "cli/programs.hpp"

namespace nettune::cli::commands {

/// A command that is a separate program, with its words.
struct ProgramCall {
  const ProgramSpec* program = nullptr;
  std::vector<std::string> words;
};

/// Reads the command line, checked for form. Every mistake is Errc::invalid; its text names the
/// mistake and the help. Only the options of the called command are built. Nothing comes from the
/// environment: a tool that runs as root must not be redirected by a caller's exports.
Result<std::variant<Command, Information, ProgramCall>> read_line(int argc,
                                                                  const char* const* argv);

/// The whole program: reads the command line, runs the command, reports a failure. Returns the exit
/// code of the process (exit_codes.hpp).
int dispatch(int argc, const char* const* argv);

}  // namespace nettune::cli::commands
