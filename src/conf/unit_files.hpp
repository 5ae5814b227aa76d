// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::formats {

/// A modules-load.d(5) file: one module per line.
Result<std::string> modules_load(std::span<const std::string> modules, std::string_view heading);
/// A limits.d file for pam_limits: hard and soft memlock for everybody and for root ('*' does not
/// match root). `memlock` is "unlimited" or kibibytes.
Result<std::string> pam_memlock(std::string_view memlock, std::string_view heading);
/// A drop-in for a systemd service; kibibytes become bytes, "unlimited" becomes infinity.
Result<std::string> service_memlock(std::string_view memlock, std::string_view heading);
/// A drop-in for a firewall service that replaces all rules when it starts, and also when it
/// `reloads`: it restores nettune's rules and never makes the service fail. For a service without
/// reload, an ExecReload must not be added: it would be the only command.
std::string service_reapplies_firewall(std::string_view heading, bool reloads);

}  // namespace nettune::formats
