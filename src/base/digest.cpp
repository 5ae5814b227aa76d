// SPDX-License-Identifier: Apache-2.0
#include "base/digest.hpp"

#include <array>
#include <cstring>
#include <sha2.h>
#include <sys/types.h>

namespace nettune {

std::string sha256_hex(std::string_view bytes) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256Final(digest.data(), &context);
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

namespace {

/// Eight tables: the n-th is for a byte that n more bytes follow, so that eight bytes take eight
/// look-ups that do not wait for each other ("slicing by eight").
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? kReversedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t n = 1; n < tables.size(); ++n)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[n - 1][byte];
      tables[n][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

/// Four bytes as a little-endian number, whatever this machine's order is.
std::uint32_t four(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

std::uint32_t by_tables(std::string_view bytes, std::uint32_t crc) {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint32_t low = crc ^ four(bytes.data());
    const std::uint32_t high = four(bytes.data() + 4);
    crc = kTables[7][low & 0xFF] ^ kTables[6][(low >> 8) & 0xFF] ^ kTables[5][(low >> 16) & 0xFF] ^
          kTables[4][low >> 24] ^ kTables[3][high & 0xFF] ^ kTables[2][(high >> 8) & 0xFF] ^
          kTables[1][(high >> 16) & 0xFF] ^ kTables[0][high >> 24];
  }
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
/// The processor's own instruction for this polynomial; a fifth of the time.
__attribute__((target("sse4.2"))) std::uint32_t by_sse42(std::string_view bytes,
                                                         std::uint32_t crc) {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), sizeof eight);
    crc = static_cast<std::uint32_t>(__builtin_ia32_crc32di(crc, eight));
  }
  return by_tables(bytes, crc);
}
#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~by_sse42(bytes, ~before);
#endif
  return ~by_tables(bytes, ~before);
}

namespace detail {
std::uint32_t crc32c_by_tables(std::string_view bytes) { return ~by_tables(bytes, ~0U); }
}  // namespace detail

}  // namespace nettune
