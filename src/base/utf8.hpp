// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nettune::inline base {

/// One character: the length of its UTF-8 sequence and its code point. A length of 0 is anything
/// malformed (RFC 3629): cut off, overlong, a surrogate, above U+10FFFF.
struct Utf8 {
  std::size_t length = 0;
  std::uint32_t code = 0;
};

/// The character that begins at `at`, which is within `text`.
Utf8 decode_utf8(std::string_view text, std::size_t at);

}  // namespace nettune::inline base
