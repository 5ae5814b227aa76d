// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Finds other managers of wanted sysctls, at boot or on demand: the sysctl.d directories as
/// systemd-sysctl reads them, /etc/sysctl.conf, ufw when it is enabled, and the active profile of
/// TuneD.
std::vector<Claim> sysctl_claims(const Files& files, const Desired& desired);

}  // namespace nettune::owners
