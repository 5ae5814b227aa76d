// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/program_main.hpp"

namespace nettune::tools::doctor::program {

struct SupportOptions : cli::GlobalOptions {
  std::string output;  ///< --output: the archive
  bool anonymous = false;
};

/// One archive for a report of a fault.
cli::Command support_program(SupportOptions& into);

}  // namespace nettune::tools::doctor::program
