// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"

namespace nettune::cli {

/// The kernel accepts a connection, and only then sshd starts its process: a process that is
/// younger than the change by less than this may serve an older connection.
inline constexpr std::int64_t kLoginDelay_ms = 500;

/// Checks that somebody who speaks to us through process `pid` can be counted on to reach this node
/// as it is since `changed_ms` (CLOCK_BOOTTIME): over an ssh connection that is newer, or at a
/// terminal of the machine itself. Returns how they came ("sshd, pid 4711"). Errc::conflict when
/// the connection is older or may be, Errc::unsupported when it cannot be told. See
/// docs/confirm.md.
Result<std::string> check_connection(Disk& disk, std::int64_t pid, std::int64_t changed_ms);

}  // namespace nettune::cli
