// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Wanted sysctls that a daemon writes when it starts: kubelet, kube-proxy, K3s, RKE2, dockerd,
/// libvirt. A daemon counts if systemd starts it, or if its pod left a log on this node.
std::vector<Claim> daemon_sysctl_claims(const conf::Files& files, const Desired& desired);

}  // namespace nettune::owners
