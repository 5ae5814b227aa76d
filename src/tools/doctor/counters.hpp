// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace nettune::tools::doctor {

/// An error counter of an RDMA port (Linux, drivers/infiniband/core/sysfs.c; the drivers'
/// hw_counters).
struct ErrorCounter {
  std::string_view name;
  std::uint64_t ceiling;  ///< it stops there; 0: it wraps
  std::string_view meaning;
  bool needs_another = false;  ///< an error only where another counter grows too
};

/// Null for a counter that does not count errors, or is not known.
const ErrorCounter* error_counter(std::string_view name);

}  // namespace nettune::tools::doctor
