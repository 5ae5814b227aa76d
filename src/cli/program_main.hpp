// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.hpp"

namespace nettune::cli {

/// A command that is a separate program (programs.hpp has its summary).
using Program = Command;

/// The whole main() of such a program.
int program_main(const Program& program, int argc, const char* const* argv);

}  // namespace nettune::cli
