// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kinds::common {

/// The parts of a link's state that come back only some time after a short loss of the link.
struct LinkState {
  bool carrier = false;
  std::int64_t downs = 0;   ///< how often it lost its carrier (carrier_down_count)
  std::string bond_status;  ///< "up" in a bond that uses it; "" outside of a bond
  /// The GIDs in use on the interface's RDMA ports: the file that names their interface, below
  /// /sys.
  std::vector<std::string> gids;
};

/// Records the current state of `interface` from the sysfs tree at `sys`. What cannot be read
/// counts as absent and is not waited for.
LinkState link_state(const std::string& sys, const std::string& interface);

/// The time limits for a link to go down and to come back.
struct SettleLimits {
  std::chrono::milliseconds back{30000};
  /// A driver answers before its carrier is gone: this long an expected loss is awaited.
  std::chrono::milliseconds gone{1000};
};

/// Waits after a write until `interface` has everything that `before` had. With `bounces`, the
/// write takes the link down, and the loss of the carrier is awaited first. If it does not come
/// back in time: Errc::io, with what is missing. Changes nothing.
Result<> settle(const std::string& sys, const std::string& interface, const LinkState& before,
                bool bounces, const SettleLimits& limits = {});

}  // namespace nettune::kinds::common
