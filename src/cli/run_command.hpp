// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/global_options.hpp"
#include "cli/output.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"

/// The frame of every command, built in or a program. Each function returns the exit code of the
/// process.
namespace nettune::cli {

/// Reports a mistake on the command line, as JSON if the line asks for that.
int report_mistake(const Error& error, int argc, const char* const* argv);

/// Prints the text for --help or --version.
int print_information(const Information& information);

/// The exit code if only the output of a command failed: no failure if it changed something.
enum class Work { only_tells, changes };

/// Checks the typed paths, does `work`, and reports its error.
int run_command(node::Context& context, const GlobalOptions& options, Work kind,
                const std::function<Result<node::Exit>(Output&)>& work);

}  // namespace nettune::cli
