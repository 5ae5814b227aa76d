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

/// Makes of all that a profile wants what `apply --only` is for: the settings at `addresses` with
/// those that have to be written before them, and what is applied already as it is. Returns the
/// addresses that may be written. Errc::invalid for one that the profile does not set, and
/// Errc::conflict where another profile is applied: parts of two are no state that anybody named.
Result<std::vector<std::string>> keep_only(Desired& desired,
                                           const std::vector<std::string>& addresses,
                                           const std::optional<Transaction>& active,
                                           const DeviceNames& names, const Providers& providers);

}  // namespace nettune::cli
