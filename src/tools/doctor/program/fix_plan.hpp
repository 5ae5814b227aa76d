// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/output.hpp"
#include "tools/doctor/program/diagnosis.hpp"
#include "tools/doctor/program/doctor_options.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"

namespace nettune::cli {

/// --fix: a plan of what nettune can set to resolve the findings. Nothing is applied; --save-fix
/// writes it as a profile. 3 if it would change something.
Result<Exit> plan_fix(Context& context, const DoctorOptions& options, const Diagnosis& diagnosis,
                      Output& output);

}  // namespace nettune::cli
