// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"

namespace nettune::node::confirm {

/// The kernel accepts a connection before sshd starts its process. So a process that is younger
/// than the change by less than this may serve an older connection.
inline constexpr std::int64_t kLoginDelay_ms = 500;

/// Checks that the person behind process `pid` can reach this node in its state since `changed_ms`
/// (CLOCK_BOOTTIME): over a newer ssh connection, or at a local terminal. Returns the way ("sshd,
/// pid 4711"). Errc::conflict if the connection is or may be older; Errc::unsupported if that is
/// unknown. See docs/confirm.md.
Result<std::string> check_connection(Disk& disk, std::int64_t pid, std::int64_t changed_ms);

}  // namespace nettune::node::confirm
