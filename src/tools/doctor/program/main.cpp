// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "cli/program_main.hpp"
#include "tools/doctor/program/doctor_options.hpp"
#include "tools/doctor/program/support_command.hpp"

/// Two commands: nettune starts this program as "nettune-doctor" or "nettune-support".
int main(int argc, char** argv) {
  if (argc > 0 && std::string_view(argv[0]).ends_with("nettune-support")) {
    nettune::tools::doctor::program::SupportOptions support;
    return nettune::cli::program_main(nettune::tools::doctor::program::support_program(support),
                                      argc, argv);
  }
  nettune::tools::doctor::program::DoctorOptions options;
  const int exit = nettune::cli::program_main(
      nettune::tools::doctor::program::doctor_program(options), argc, argv);
  // The exit status of a prolog drains a node. A full disk under its log, or a mistake in its
  // command line, must not.
  const bool is_prolog = std::find(argv, argv + argc, std::string_view("--prolog")) != argv + argc;
  return is_prolog && !options.drains ? 0 : exit;
}
