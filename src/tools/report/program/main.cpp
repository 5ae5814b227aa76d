// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"
#include "tools/report/program/report_command.hpp"

int main(int argc, char** argv) {
  nettune::tools::report::program::ReportOptions options;
  return nettune::cli::program_main(nettune::tools::report::program::report_program(options), argc,
                                    argv);
}
