// SPDX-License-Identifier: Apache-2.0
#include "base/digest.hpp"

#include <array>
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

constexpr std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? kReversedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = make_table();
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  return crc ^ 0xFFFFFFFF;
}

}  // namespace nettune
