// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"
#include "doctor/cli/doctor_options.hpp"

int main(int argc, char** argv) {
  nettune::cli::DoctorOptions options;
  return nettune::cli::program_main(nettune::cli::doctor_program(options), argc, argv);
}
