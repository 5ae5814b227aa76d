// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "doctor/cli/diagnosis.hpp"
#include "doctor/cli/doctor_options.hpp"

namespace nettune::cli {

Result<Exit> cmd_doctor(Context& context, const DoctorOptions& options, Output& output);

/// The [doctor] section of the site file.
struct DoctorSite {
  std::vector<doctor::Ignore> ignores;
  std::vector<std::string> drain;  ///< rules whose failure drains a node
};
Result<DoctorSite> read_doctor_site(Context& context);

/// 0 if the node is ready, 3 for a fault. With a demand also 9 if something about it is unknown,
/// and 6 if it may not be read.
Exit exit_of(const doctor::Judged& judged, const std::string& demand);

/// The first fault for which the site drains a node; "" for none.
std::string drains(const doctor::Judged& judged, const std::vector<std::string>& drain);

/// Whether the node has what --for demands: an active port, a GPU.
facts::Observation demanded(const doctor::Machine& machine, const std::string& demand);

}  // namespace nettune::cli
