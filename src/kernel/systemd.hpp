// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// True if systemd is the service manager, as in sd_booted(3), and its services see the same
/// network and files as this process. In `ip netns exec`, in a container with the host's /run and
/// in a chroot they do not. Reads /proc/1, so it needs root to be true.
bool systemd_is_ours();

/// The same but for the network and the mounts: units are those of this process's root directory,
/// also in `ip netns exec` and in the sandbox of a service.
bool systemd_has_our_root();

/// Starts `command` (an absolute path and its arguments) as a transient service of systemd, which
/// outlives this process and its session. Returns after the program has been executed. Uses the
/// system bus, or, as root without a bus, systemd's own socket. Needs root.
Result<> start_transient_service(const std::string& name, const std::string& description,
                                 const std::vector<std::string>& command);

/// The active states of units, by name: "active", "inactive", "failed", ... Needs no privilege;
/// does not wait for a systemd that does not answer.
Result<std::map<std::string, std::string>> active_states(const std::vector<std::string>& units);

/// Makes systemd reload its unit files, like `systemctl daemon-reload`. Needs root.
Result<> reload_systemd();

}  // namespace nettune::kernel
