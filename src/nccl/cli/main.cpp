// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"
#include "nccl/cli/nccl_options.hpp"

int main(int argc, char** argv) {
  nettune::cli::NcclOptions options;
  return nettune::cli::program_main(nettune::cli::nccl_program(options), argc, argv);
}
