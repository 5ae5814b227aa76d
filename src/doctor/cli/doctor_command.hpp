// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "doctor/cli/diagnosis.hpp"
#include "doctor/cli/doctor_options.hpp"

namespace nettune::cli {

Result<Exit> cmd_doctor(Context& context, const DoctorOptions& options, Output& output);

/// What the site file says of doctor.
struct DoctorSite {
  std::vector<doctor::Ignore> ignores;
  std::vector<std::string> drain;  ///< rules whose faults drain a node
};
Result<DoctorSite> read_doctor_site(Context& context);

/// 0 ready, 3 a fault; with a demand 9 for what is unknown about it, 6 for what is not permitted.
Exit exit_of(const doctor::Judged& judged, const std::string& demand);

/// The first fault that the site drains a node for; "" for none.
std::string drains(const doctor::Judged& judged, const std::vector<std::string>& drain);

/// Whether there is what --for demands: an active port, a GPU.
facts::Observation demanded(const doctor::Machine& machine, const std::string& demand);

}  // namespace nettune::cli
