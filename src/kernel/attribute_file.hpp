// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::kernel {

/// Writes one line into an attribute file of sysfs, configfs or debugfs, in one write(). The error
/// has the errno and the reason, not the path. For kernel files only: nothing is created or
/// truncated.
Result<> write_attribute(const std::string& path, std::string_view line);

/// Why this process cannot write at the path (a file, or a directory in which to create one); "" if
/// it can.
std::string write_barrier(const std::string& path);

}  // namespace nettune::kernel
