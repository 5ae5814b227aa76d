// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/output.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "tools/doctor/program/diagnosis.hpp"
#include "tools/doctor/program/doctor_options.hpp"

namespace nettune::tools::doctor::program {

/// --fix: a plan of what nettune can set to resolve the findings. Nothing is applied; --save-fix
/// writes it as a profile. 3 if it would change something.
Result<node::Exit> plan_fix(node::Context& context, const DoctorOptions& options,
                            const Diagnosis& diagnosis, cli::Output& output);

}  // namespace nettune::tools::doctor::program
