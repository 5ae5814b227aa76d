// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/setting.hpp"

namespace nettune::kinds::file {

inline constexpr const char* kTransaction = "0123456789abcdef";
inline const std::string kPath = "/etc/x.conf";
inline const Address kAddress{"file:/etc/x.conf"};

}  // namespace nettune::kinds::file
