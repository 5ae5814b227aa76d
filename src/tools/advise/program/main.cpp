// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/program/advise_command.hpp"

int main(int argc, char** argv) {
  nettune::cli::AdviseOptions options;
  return nettune::cli::program_main(nettune::cli::advise_program(options), argc, argv);
}
