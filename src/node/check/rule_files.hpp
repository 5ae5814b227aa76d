// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "checks/advice.hpp"

namespace nettune::cli {

/// The rules of /etc/nettune/checks and, where no file there has the same name, of the package.
/// Errc::not_found where there are none.
Result<std::vector<checks::Rule>> read_rules(Disk& disk);

/// Those of one directory, whoever it belongs to: naming it is the decision.
Result<std::vector<checks::Rule>> read_rules_of(Disk& disk, const std::string& directory);

}  // namespace nettune::cli
