// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace nettune::inline base {

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4), used in the journal's records. `before` is the sum
/// of the preceding bytes: crc32c(b, crc32c(a)) is the sum of both.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace nettune::inline base
