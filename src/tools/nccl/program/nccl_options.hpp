// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"

namespace nettune::tools::nccl::program {

/// The line of `nettune nccl lint|explain`.
struct NcclOptions : cli::GlobalOptions {
  std::string what;                ///< "lint", "explain"
  std::vector<std::string> files;  ///< what is read; "-" for standard input
  std::string kind;                ///< lint --as: what the files are; "" to guess
  bool environment = false;        ///< lint --env
  std::string profile;             ///< lint --profile: what is judged
  std::string nccl;                ///< lint --nccl: a version, or the path of a library
  std::string catalog_file;        ///< lint --catalog; "" for the one that is installed
  bool any_node = false;           ///< lint --any-node: nothing is said of this node
  std::string rootfs;              ///< lint --root: another system, of which files are read
  std::string expect;              ///< explain: what the job should have used
  std::string format;              ///< "", "github", "sarif": annotations of files
};

/// Reads into `options`, which live as long.
cli::Command nccl_program(NcclOptions& options);

}  // namespace nettune::tools::nccl::program
