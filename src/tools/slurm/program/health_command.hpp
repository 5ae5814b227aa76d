// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/program_main.hpp"

namespace nettune::tools::slurm::program {

/// The command line of `nettune slurm-health`.
struct HealthOptions : cli::GlobalOptions {
  std::string node;
  bool dry_run = false;
};

/// Parses into `options`, which must outlive it.
cli::Command health_program(HealthOptions& into);

}  // namespace nettune::tools::slurm::program
