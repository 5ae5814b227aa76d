// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "node/context.hpp"
#include "tools/doctor/findings.hpp"

namespace nettune::tools::doctor::program {

/// The [doctor] section of the site file.
struct DoctorSite {
  std::vector<Ignore> ignores;
  std::vector<std::string> drain;  ///< rules whose faults drain a node
  Owed owed;
  /// Three starts of a service, one after the other: the driver's, the fabric manager's, the subnet
  /// manager's. systemd gives each 90 s (systemd-system.conf(5), DefaultTimeoutStartSec).
  int settle_s = 300;
  int look_again_s = 5;
};

/// Fails on a value that makes no sense, with its file and line.
Result<DoctorSite> read_doctor_site(node::Context& context);

}  // namespace nettune::tools::doctor::program
