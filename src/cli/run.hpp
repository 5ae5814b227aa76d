// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nettune::cli {

/// The whole program: reads the command line, runs the command, tells what failed. Returns what the
/// process exits with (exit_codes.hpp).
int run(int argc, const char* const* argv);

}  // namespace nettune::cli
