// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::inline base {

/// SHA-256 as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace nettune::inline base
