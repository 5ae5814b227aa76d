// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace nettune::doctor {

/// An error counter of an RDMA port (Linux, drivers/infiniband/core/sysfs.c; the drivers'
/// hw_counters). One that has a ceiling stops there.
struct ErrorCounter {
  std::string_view name;
  std::uint64_t ceiling;  ///< 0: it wraps
  std::string_view meaning;
};

/// Null for a counter that counts no errors, or one that is not known.
const ErrorCounter* error_counter(std::string_view name);

}  // namespace nettune::doctor
