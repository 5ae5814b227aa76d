// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace nettune::node::confirm {

/// Starts the program that reverts an unconfirmed transaction at `deadline_s` (CLOCK_BOOTTIME). It
/// outlives this process, its session and its network: a transient systemd service, or else a
/// process in its own session. Both run `nettune recover --at DEADLINE`. Returns its name, for
/// people.
Result<std::string> arm_undo(const std::string& state_directory, std::int64_t deadline_s);

/// Sleeps until `deadline_s` and returns true. Returns false as soon as the journal in the
/// directory disappears, since nothing waits any longer.
Result<bool> sleep_until(const std::string& state_directory, std::int64_t deadline_s);

}  // namespace nettune::node::confirm
