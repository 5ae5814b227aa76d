// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace nettune::inline base {

/// Checks that the kernel allows an interface of this name: 1 to 15 bytes, no '/', ':' and blanks,
/// neither "." nor ".." (dev_valid_name, net/core/dev.c). Otherwise Errc::invalid.
Result<> check_interface_name(std::string_view name);

}  // namespace nettune::inline base
