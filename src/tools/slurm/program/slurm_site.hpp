// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "node/context.hpp"
#include "tools/slurm/decide.hpp"

namespace nettune::tools::slurm::program {

/// The [slurm] section of the site file.
struct HealthSite {
  SlurmSite rules;
  std::string metrics;  ///< a file; "" for none
  std::string scontrol = "/usr/bin/scontrol";
};

/// Fails on a value that makes no sense, with its file and line.
Result<HealthSite> read_health_site(node::Context& context);

}  // namespace nettune::tools::slurm::program
