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

/// A command that is a separate program (programs.hpp).
struct Program {
  std::string_view name;  ///< as in that table, which has the summary
  GlobalOptions* global = nullptr;
  Options options = {};  ///< the command's own options, into a struct that lives as long
  /// The work, after parsing. Its error is reported as for every command of nettune.
  std::function<Result<node::Exit>(node::Context&, Output&)> run = {};
  /// Candidates for the last of `words`, which is unfinished and not an option. There is at least
  /// one word; the command is not among them. Empty if the shell knows better (files).
  std::function<std::vector<std::string>(node::Context&, std::span<const std::string> words)>
      candidates = {};
};

/// The whole main() of such a program.
int program_main(const Program& program, int argc, const char* const* argv);

/// Parses the line of a program. Returns a text only for --help or --version.
Result<std::optional<Information>> read_program_line(const Program& program,
                                                     std::span<const char* const> words);

}  // namespace nettune::cli
