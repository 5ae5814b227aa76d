// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "checks/advice.hpp"

namespace nettune::node::check {

/// The rules of /etc/nettune/checks, and those of the package unless a file there has the same
/// name, for a program that observes these. Errc::not_found if there are none.
Result<std::vector<checks::Rule>> read_rules(Disk& disk, const checks::Observables& observables);

/// The rules of one directory, whoever owns it: naming it expresses trust.
Result<std::vector<checks::Rule>> read_rules_of(Disk& disk, const std::string& directory,
                                                const checks::Observables& observables);

}  // namespace nettune::node::check
