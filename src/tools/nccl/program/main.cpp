// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "cli/program_main.hpp"
#include "tools/nccl/program/env_explain.hpp"
#include "tools/nccl/program/nccl_options.hpp"

/// Two commands: nettune starts this program as "nettune-nccl", and as "nettune-env" for
/// `env --explain`, which needs the readers of scripts.
int main(int argc, char** argv) {
  if (argc > 0 && std::string_view(argv[0]).ends_with("nettune-env")) {
    nettune::tools::nccl::program::ExplainOptions options;
    return nettune::cli::program_main(nettune::tools::nccl::program::explain_program(options), argc,
                                      argv);
  }
  nettune::tools::nccl::program::NcclOptions options;
  return nettune::cli::program_main(nettune::tools::nccl::program::nccl_program(options), argc,
                                    argv);
}
