// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/setting.hpp"

namespace nettune::owners {

struct CommandEffect {
  Address address;
  std::string value;
};

/// The files whose lines "sysctl -p FILE", "sysctl --load=FILE" or "sysctl --system" in this line
/// of shell sets last.
std::vector<std::string> sysctl_files(std::string_view command);

/// The settings that a line of shell plainly makes: "ip link set dev eth0 mtu 9000", "ethtool -G
/// eth0 rx 4096", "sysctl -w KEY=VALUE", "echo VALUE > /proc/sys/...", joined by && || ; or not.
/// $IFACE stands for `interface`. Anything that takes a shell to understand is skipped.
std::vector<CommandEffect> command_effects(std::string_view command, const std::string& interface);

}  // namespace nettune::owners
