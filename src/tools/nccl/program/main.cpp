// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "cli/program_main.hpp"
#include "tools/nccl/program/env_explain.hpp"
#include "tools/nccl/program/nccl_options.hpp"

/// Two commands: nettune starts this program as "nettune-nccl", and as "nettune-env" for
/// `env --explain`, which needs the readers of scripts.
int main(int argc, char** argv) {
  using namespace nettune;
  if (argc > 0 && std::string_view(argv[0]).ends_with("nettune-env")) {
    cli::ExplainOptions options;
    return cli::program_main(cli::explain_program(options), argc, argv);
  }
  cli::NcclOptions options;
  return cli::program_main(cli::nccl_program(options), argc, argv);
}
