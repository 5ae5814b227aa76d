// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace nettune::cli {

/// Starts what takes an unconfirmed transaction back at `deadline_s` (CLOCK_BOOTTIME), and outlives
/// this process, its session and its network: a transient service of systemd, else a process of its
/// own session. Both are `nettune recover --at DEADLINE`. Returns how it is called, for people.
Result<std::string> arm_undo(const std::string& state_directory, std::int64_t deadline_s);

/// Sleeps until `deadline_s`: true. Or until the journal in the directory goes away, and with it
/// what was waited for: false.
Result<bool> sleep_until(const std::string& state_directory, std::int64_t deadline_s);

}  // namespace nettune::cli
