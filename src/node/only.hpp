// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/provider.hpp"
#include "core/setting.hpp"
#include "core/state.hpp"
#include "node/devices.hpp"

namespace nettune::cli {

/// Reduces a profile's settings to those of `apply --only`: the settings at `addresses` with what
/// must be written first, plus everything already applied, unchanged. Returns the addresses that
/// may be written. Errc::invalid for an address that the profile does not set; Errc::conflict if
/// another profile is applied, since a mixture of two is not a state that anybody named.
Result<std::vector<std::string>> keep_only(Desired& desired,
                                           const std::vector<std::string>& addresses,
                                           const std::optional<Transaction>& active,
                                           const DeviceNames& names, const Providers& providers);

}  // namespace nettune::cli
