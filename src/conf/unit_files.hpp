// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::formats {

/// modules-load.d(5): one module a line.
Result<std::string> modules_load(std::span<const std::string> modules, std::string_view heading);
/// limits.d for pam_limits: hard and soft memlock of everybody and of root ('*' does not match
/// root). `memlock` is "unlimited" or kibibytes.
Result<std::string> pam_memlock(std::string_view memlock, std::string_view heading);
/// A drop-in for a systemd service; kibibytes become bytes, "unlimited" becomes infinity.
Result<std::string> service_memlock(std::string_view memlock, std::string_view heading);
/// A drop-in for the service of a firewall that loads its rules in the place of all others when it
/// starts, and also when it `reloads`: puts ours back then, and never makes it fail. A service that
/// cannot be reloaded must not be told to here: our command would be all that it does then.
std::string service_reapplies_firewall(std::string_view heading, bool reloads);

}  // namespace nettune::formats
