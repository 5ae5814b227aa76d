// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"
#include "tools/compare/program/compare_command.hpp"

int main(int argc, char** argv) {
  nettune::tools::compare::program::CompareOptions options;
  return nettune::cli::program_main(nettune::tools::compare::program::compare_program(options),
                                    argc, argv);
}
