// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"
#include "tools/slurm/program/health_command.hpp"

int main(int argc, char** argv) {
  nettune::tools::slurm::program::HealthOptions options;
  const int exit = nettune::cli::program_main(
      nettune::tools::slurm::program::health_program(options), argc, argv);
  // slurmd gives no words, and does not register a node until its HealthCheckProgram ends with 0.
  return argc == 1 ? 0 : exit;
}
