// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "core/state.hpp"
#include "node/devices.hpp"

namespace nettune::node {

/// A value that a line of nettune's sysctl.d file set at boot on another device than it was for:
/// the device has another name since, and its old name is that of this one.
struct StaleLine {
  Owned value;  ///< address and device as they are now; `baseline` is what to restore, if `source`
  std::string
      source;  ///< who says so: "/etc/sysctl.d/50-site.conf:3", "nettune, before"; "" for nobody
  std::string text;  ///< a sentence that names it
};

/// Those that still have nettune's value. systemd-sysctl has set them where the node has booted
/// since `active` was recorded. A value that nettune wants on that device itself is none. `found`
/// has the values that were right when first wanted, under present names.
std::vector<StaleLine> stale_lines(Disk& disk, const Transaction& active,
                                   const std::string& boot_id, const Located& located,
                                   const std::vector<Owned>& found, const DeviceNames& names,
                                   const Providers& providers);

}  // namespace nettune::node
