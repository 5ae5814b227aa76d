// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"

namespace nettune::kernel {

/// A driver's description of itself (ETHTOOL_GDRVINFO, as in `ethtool -i`). Unreported texts are
/// empty.
struct DriverInfo {
  std::string driver;
  std::string version;  ///< for in-tree drivers: the kernel's release
  std::string firmware;
};

/// Needs no privilege, changes nothing. Errc::unsupported if the driver does not report it.
Result<DriverInfo> driver_info(const std::string& interface);

}  // namespace nettune::kernel
