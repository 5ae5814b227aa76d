// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "tools/measure/program/ab_options.hpp"
#include "tools/measure/program/test_options.hpp"
#include "tools/measure/program/tune_options.hpp"

/// Three commands: nettune starts this program as "nettune-test", "nettune-ab" or "nettune-tune".
int main(int argc, char** argv) {
  using namespace nettune;
  if (argc > 0 && std::string_view(argv[0]).ends_with("nettune-ab")) {
    measure::AbOptions options;
    return cli::program_main(measure::ab_program(options), argc, argv);
  }
  if (argc > 0 && std::string_view(argv[0]).ends_with("nettune-tune")) {
    measure::TuneOptions options;
    return cli::program_main(measure::tune_program(options), argc, argv);
  }
  measure::TestOptions options;
  return cli::program_main(measure::test_program(options), argc, argv);
}
