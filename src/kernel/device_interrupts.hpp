// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/sysfs.hpp"

namespace nettune::kernel {

/// The numbers of the message-signaled interrupts of an interface's function, sorted: what
/// /proc/irq has them under. `interface` is the path of its directory, "sys/class/net/eth0".
/// Nothing if it has none.
std::optional<std::vector<int>> device_interrupts(const Directory& root,
                                                  const std::string& interface);

}  // namespace nettune::kernel
