// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"

namespace nettune::kernel {

/// What a driver says of itself (ETHTOOL_GDRVINFO, as `ethtool -i`). Texts are empty where it does
/// not say.
struct DriverInfo {
  std::string driver;
  std::string version;  ///< of a driver in the kernel's tree: the kernel's release
  std::string firmware;
};

/// Needs no privilege, changes nothing. Errc::unsupported where the driver does not say.
Result<DriverInfo> driver_info(const std::string& interface);

}  // namespace nettune::kernel
