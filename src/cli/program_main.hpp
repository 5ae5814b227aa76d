// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.hpp"

namespace nettune::cli {

/// The whole main() of a command that is a separate program (programs.hpp has its summary).
int program_main(const Command& command, int argc, const char* const* argv);

}  // namespace nettune::cli
