// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace nettune::providers {

/// Errc::invalid for a text that the kernel would not take as the name of an interface.
Result<> check_interface(std::string_view name);

}  // namespace nettune::providers
