// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/output.hpp"
#include "tools/doctor/machine.hpp"
#include "node/context.hpp"

namespace nettune::cli {

/// `nettune facts --full`: the output of `nettune facts`, and that of doctor's probes below "full".
Result<std::string> full_facts(Context& context, const doctor::Machine& machine, bool json,
                               const Style& style);

}  // namespace nettune::cli
