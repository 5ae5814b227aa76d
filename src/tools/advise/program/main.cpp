// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/program/advise_command.hpp"

int main(int argc, char** argv) {
  nettune::tools::advise::program::AdviseOptions options;
  return nettune::cli::program_main(nettune::tools::advise::program::advise_program(options), argc,
                                    argv);
}
