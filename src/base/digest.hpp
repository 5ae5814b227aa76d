// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nettune {

/// SHA-256 as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4), as the journal's records carry it.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace nettune
