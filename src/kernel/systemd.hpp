// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// True where systemd is the service manager, as sd_booted(3) finds out, and its services see what
/// this process sees: the same network and the same files. In `ip netns exec`, a container with the
/// host's /run or a chroot they would not. Reads /proc/1, so it needs root to be true.
bool systemd_is_ours();

/// Starts `command` (an absolute path and its arguments) as a transient service of systemd, which
/// outlives this process and its session. Returns once the program has been executed. Speaks to the
/// system bus, or, as root where there is none, to systemd's own socket. Needs root.
Result<> start_transient_service(const std::string& name, const std::string& description,
                                 const std::vector<std::string>& command);

/// Has systemd read its unit files anew, as `systemctl daemon-reload` does. Needs root.
Result<> reload_systemd();

}  // namespace nettune::kernel
