// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::conf {

/// A modules-load.d(5) file: one module per line.
Result<std::string> modules_load(std::span<const std::string> modules, std::string_view heading);
/// A resource limit, soft and hard.
struct Limit {
  std::string item;   ///< as in limits.conf(5): "memlock", "nofile", "stack" or "nproc"
  std::string value;  ///< "unlimited", or a number: kibibytes of memlock and stack
};

/// Checks a limit. nofile must be a number: the kernel takes no more than fs.nr_open. A limit with
/// which nobody could log in is an error.
Result<> check_limit(const Limit& limit);
/// A limits.d file for pam_limits, for everybody and for root ('*' does not match root).
Result<std::string> pam_limits(std::span<const Limit> limits, std::string_view heading);
/// A drop-in for a systemd service; kibibytes become bytes, "unlimited" becomes infinity.
Result<std::string> service_limits(std::span<const Limit> limits, std::string_view heading);
/// A drop-in for a firewall service that replaces all rules when it starts, and also when it
/// `reloads`: it restores nettune's rules and never makes the service fail. For a service without
/// reload, an ExecReload must not be added: it would be the only command.
std::string service_reapplies_firewall(std::string_view heading, bool reloads);

}  // namespace nettune::conf
