// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Finds other managers of wanted sysctls, at boot or on demand: the sysctl.d directories as
/// systemd-sysctl reads them, /etc/sysctl.conf, ufw when it is enabled, and the active profile of
/// TuneD.
std::vector<Claim> sysctl_claims(const conf::Files& files, const Desired& desired);

/// The keys that these files set, each once; patterns are not among them.
std::vector<std::string> sysctl_keys_of_others(const conf::Files& files);

/// What the sysctl.d files but nettune's set for one key at boot; nothing if none of them does.
struct SysctlDLine {
  std::string value;
  std::string file;
  int line = 0;
};
std::optional<SysctlDLine> sysctl_d_line(Disk& disk, std::string_view key);

}  // namespace nettune::owners
