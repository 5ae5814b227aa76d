// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/program/diagnosis.hpp"
#include "tools/doctor/program/doctor_options.hpp"

namespace nettune::tools::doctor::program {

Result<node::Exit> cmd_doctor(node::Context& context, const DoctorOptions& options,
                              cli::Output& output);

/// 0 if the node is ready, 3 for a fault; 9 where something that decides is not known, and 6 where
/// nothing but permission lacks.
node::Exit exit_of(const Decision& decision);

}  // namespace nettune::tools::doctor::program
