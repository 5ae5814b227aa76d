// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/disk.hpp"
#include "core/state.hpp"

namespace nettune::cli {

/// machine-id(5); empty where there is none yet. Failing to read it is an error: what this machine
/// remembers must not be taken for another's.
Result<std::string> machine_id(Disk& disk);

/// CLOCK_BOOTTIME in whole seconds: what deadlines are told in.
std::int64_t boottime_s();
std::int64_t boottime_ms();

/// Which boot this is; "" where /proc does not say.
Result<std::string> boot_id(Disk& disk);

/// Machine, boot, kernel, time and the person behind this process, for records: "root", or "root
/// (login alice)" where the audit login uid of the process says so. Unlike SUDO_USER nobody can set
/// that to another's name. An image is no machine, and has no boot.
Result<Identity> personal_identity(Disk& disk, bool image = false);

}  // namespace nettune::cli
