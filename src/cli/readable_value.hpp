// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/setting.hpp"

namespace nettune::cli {

/// A value that counts bytes, with units where they are exact: "4 KiB 85 KiB 6 MiB"; "" for
/// a setting of which that is not known, and for a text without such a number.
std::string readable_bytes(const Address& address, std::string_view text);

}  // namespace nettune::cli
