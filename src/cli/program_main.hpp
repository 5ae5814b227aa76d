// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/global_options.hpp"
#include "cli/output.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"

namespace nettune::cli {

/// A command that is a program of its own (programs.hpp).
struct Program {
  std::string_view name;  ///< as in the table there; its summary is taken from it
  GlobalOptions* global = nullptr;
  Options options = {};  ///< the command's own, into a struct that lives as long
  /// The work, once the line is read. Its error is reported as by every command of nettune.
  std::function<Result<Exit>(Context&, Output&)> run = {};
  /// What may be in the place of the last of `words`, which is unfinished and no option; the words
  /// are those behind the command, one at least. Nothing where the shell knows better (files).
  std::function<std::vector<std::string>(Context&, std::span<const std::string> words)> candidates =
      {};
};

/// The whole main() of such a program.
int program_main(const Program& program, int argc, const char* const* argv);

/// The line of a program is read: nothing to be printed unless --help or --version is in it.
Result<std::optional<Information>> read_program_line(const Program& program,
                                                     std::span<const char* const> words);

}  // namespace nettune::cli
