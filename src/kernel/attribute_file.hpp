// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::kernel {

/// Writes one line into an attribute file of sysfs, configfs or debugfs, in one write(). The error
/// carries errno and says why, not where. Files of the kernel only: nothing is made or cut off.
Result<> write_attribute(const std::string& path, std::string_view line);

/// Why this process may not write what stands at the path (a file, or a directory in which it would
/// make one); "" when it may.
std::string write_barrier(const std::string& path);

}  // namespace nettune::kernel
