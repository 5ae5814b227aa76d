// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "tools/measure/program/ab_options.hpp"
#include "tools/measure/program/test_command_options.hpp"
#include "tools/measure/program/tune_options.hpp"

/// Three commands: nettune starts this program as "nettune-test", "nettune-ab" or "nettune-tune".
int main(int argc, char** argv) {
  if (argc > 0 && std::string_view(argv[0]).ends_with("nettune-ab")) {
    nettune::tools::measure::program::AbOptions options;
    return nettune::cli::program_main(nettune::tools::measure::program::ab_program(options), argc,
                                      argv);
  }
  if (argc > 0 && std::string_view(argv[0]).ends_with("nettune-tune")) {
    nettune::tools::measure::program::TuneOptions options;
    return nettune::cli::program_main(nettune::tools::measure::program::tune_program(options), argc,
                                      argv);
  }
  nettune::tools::measure::program::TestOptions options;
  return nettune::cli::program_main(nettune::tools::measure::program::test_program(options), argc,
                                    argv);
}
