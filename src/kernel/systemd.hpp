// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// True if systemd is the service manager, as in sd_booted(3), and its services see the same
/// network and files as this process. In `ip netns exec`, in a container with the host's /run and
/// in a chroot they do not. Reads /proc/1, so it needs root to be true.
bool systemd_is_ours();

/// Starts `command` (an absolute path and its arguments) as a transient service of systemd, which
/// outlives this process and its session. Returns after the program has been executed. Uses the
/// system bus, or, as root without a bus, systemd's own socket. Needs root.
Result<> start_transient_service(const std::string& name, const std::string& description,
                                 const std::vector<std::string>& command);

/// Makes systemd reload its unit files, like `systemctl daemon-reload`. Needs root.
Result<> reload_systemd();

}  // namespace nettune::kernel
