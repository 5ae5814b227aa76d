// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "firewall/live_ruleset.hpp"

namespace nettune::providers {

/// Where providers find the system. Tests put directories of their own in place.
struct Places {
  std::string proc_sys = "/proc/sys";
  std::string sys = "/sys";
  std::string modules = "/lib/modules";  ///< above the directory of the kernel release
  std::string nccl_conf = "/etc/nccl.conf";

  /// All of them at `path`; at one that can never exist, providers see no system at all.
  static Places everything_at(const std::string& path) { return {path, path, path, path}; }
};

/// Every provider of this build, in the order of writes:
/// dir, file, nccl.conf (all staged), module, link, ethtool, dcb, rdma, qdisc, sysctl, firewall.
/// `ruleset` is shared with who else looks at it; null makes it one of its own.
Providers all(Disk& disk, const Places& places,
              std::shared_ptr<firewall::LiveRuleset> ruleset = nullptr);
/// Those of them that an image has, too: the staged ones.
Providers of_files(Disk& disk, const Places& places);

}  // namespace nettune::providers
