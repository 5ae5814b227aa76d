// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/disk.hpp"
#include "core/state.hpp"

namespace nettune::node {

/// machine-id(5); empty if there is none yet. A read error is an error: the state of this machine
/// must not be taken for another's.
Result<std::string> machine_id(Disk& disk);

/// CLOCK_BOOTTIME in whole seconds: the unit of deadlines.
std::int64_t boottime_s();
std::int64_t boottime_ms();

/// The id of this boot; "" if /proc does not have it.
Result<std::string> boot_id(Disk& disk);

/// Machine, boot, kernel, time and person, for records: "root", or "root (login alice)" from the
/// audit login uid of the process. Unlike SUDO_USER, nobody can set that to another name. A service
/// is named, too, and what NETTUNE_STARTED_BY says. An image is not a machine and has no boot.
Result<Identity> personal_identity(Disk& disk, bool image = false);

}  // namespace nettune::node
