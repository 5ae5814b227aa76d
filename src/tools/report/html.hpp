// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/markup.hpp"

namespace nettune::tools::report {

/// "12,345"
std::string with_commas(std::size_t number);
/// "1 node", "12,345 nodes"
std::string counted(std::size_t number, std::string_view one, std::string_view many);

/// Base64 of bytes that are given in hexadecimal.
std::string base64_of_hex(std::string_view hex);

/// Seconds since 1970 of "2026-08-21T06:18:00Z"; 0 for anything else.
long long seconds_of(std::string_view utc);

}  // namespace nettune::tools::report
