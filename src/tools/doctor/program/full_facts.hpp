// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/output.hpp"
#include "node/context.hpp"
#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor::program {

/// `nettune facts --full`: the output of `nettune facts`, and that of doctor's probes below "full".
Result<std::string> full_facts(node::Context& context, const doctor::Machine& machine, bool json,
                               const cli::Style& style);

}  // namespace nettune::tools::doctor::program
