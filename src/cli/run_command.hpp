// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/global_options.hpp"
#include "cli/output.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"

/// What is around the work of every command, built in or a program: each returns what the process
/// exits with.
namespace nettune::cli {

/// Reports a mistake on the command line, as JSON too where the line asks for that.
int report_mistake(const Error& error, int argc, const char* const* argv);

/// Prints what --help or --version asked for.
int print_information(const Information& information);

/// What a command does when it has failed only its output: nothing where it had changed something.
enum class Work { only_tells, changes };

/// Checks the paths that were typed, does `work`, and reports its error.
int run_command(Context& context, const GlobalOptions& options, Work kind,
                const std::function<Result<Exit>(Output&)>& work);

}  // namespace nettune::cli
