// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::providers {

/// What hangs on a link and comes back only some time after the link was down for a moment.
struct LinkState {
  bool carrier = false;
  std::int64_t downs = 0;   ///< how often it lost its carrier (carrier_down_count)
  std::string bond_status;  ///< "up" in a bond that uses it; "" for no member of a bond
  /// Of the GIDs in use on the RDMA ports that stand on it: what tells their interface, below /sys.
  std::vector<std::string> gids;
};

/// Takes down what `interface` has now, from the sysfs tree at `sys`. What cannot be read is as if
/// it was not there, and is not waited for.
LinkState link_state(const std::string& sys, const std::string& interface);

/// How long a link may take to come back, and to be seen going down.
struct SettleLimits {
  std::chrono::milliseconds back{30000};
  /// A driver answers before its carrier is gone: so long a loss is awaited, if one is expected.
  std::chrono::milliseconds gone{1000};
};

/// Waits after a write until `interface` has again what `before` had. `bounces` says that the write
/// takes the link down: then the loss of the carrier is awaited first. Errc::io, with what is still
/// missing, when it does not come back in time. Changes nothing.
Result<> settle(const std::string& sys, const std::string& interface, const LinkState& before,
                bool bounces, const SettleLimits& limits = {});

}  // namespace nettune::providers
