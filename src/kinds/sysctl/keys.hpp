// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/setting.hpp"
#include "kernel/sysctl_key.hpp"

namespace nettune::kinds::sysctl {

/// A list is written whole or not at all: the kernel accepts a page less one byte at a time, and
/// between two writes, or after a crash, half of it would be in force (proc_do_large_bitmap()).
inline constexpr std::size_t kLongestWrite = 4000;

inline std::string key_of(const Address& address) { return std::string(address.body()); }

inline Address address_of(std::string_view key) { return Address{cat("sysctl:", key)}; }

/// A key is a file name with '.' and '/' swapped; the swap is its own inverse.
inline std::string name_in_key(std::string_view file_name) {
  return kernel::sysctl_path(file_name);
}

}  // namespace nettune::kinds::sysctl
