// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nettune::cli::commands {

/// The whole program: parses the command line, runs the command, reports a failure. Returns the
/// exit code of the process (exit_codes.hpp).
int run(int argc, const char* const* argv);

}  // namespace nettune::cli::commands
