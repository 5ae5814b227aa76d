// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace nettune::inline base {

/// "2026-08-21T06:18:00Z" of seconds since 1970; "" for none (0 or less).
std::string utc_text(std::int64_t seconds);

}  // namespace nettune::inline base
