// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/program/diagnosis.hpp"
#include "tools/doctor/program/doctor_options.hpp"

namespace nettune::cli {

Result<Exit> cmd_doctor(Context& context, const DoctorOptions& options, Output& output);

/// 0 if the node is ready, 3 for a fault; 9 where something that decides is not known, and 6 where
/// nothing but permission lacks.
Exit exit_of(const doctor::Decision& decision);

}  // namespace nettune::cli
