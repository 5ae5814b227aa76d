// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// A unit, as systemd has it now.
struct UnitState {
  std::string load = {};      ///< "loaded", "masked", "not-found", "bad-setting", ...
  std::string file = {};      ///< its own file, as systemd spells the path; "" for none
  std::string active = {};    ///< "active", "inactive", "failed", "activating", ...
  std::int64_t main_pid = 0;  ///< 0: none, or not a service
  std::string cgroup = {};    ///< "/system.slice/containerd.service"; "" for none
  bool needs_reload = false;  ///< its files changed since systemd read them
  std::string job = {};       ///< what is queued for it: "start", "stop", ...; "" for nothing
};

/// Asks systemd; needs no privilege, and does not wait for a systemd that does not answer.
Result<UnitState> unit_state(const std::string& unit);

/// The units in these properties of the unit, such as "Requires", sorted.
Result<std::vector<std::string>> related_units(const std::string& unit,
                                               const std::vector<const char*>& properties);

/// Starts or stops a unit, and waits until it is done. While the machine boots, it only queues
/// that: the unit may wait for what waits for this process. Needs root.
Result<> start_unit(const std::string& unit);
Result<> stop_unit(const std::string& unit);

/// What `systemctl VERB UNIT` changes in /etc/systemd/system, and nothing else: no reload. Needs
/// root.
enum class UnitFilesVerb { enable, disable, mask, unmask };
Result<> change_unit_files(UnitFilesVerb verb, const std::string& unit);

}  // namespace nettune::kernel
