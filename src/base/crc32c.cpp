// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.hpp"

#include <array>
#include <cstdint>

namespace nettune::inline base {
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

constexpr auto kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  return ~crc;
}

}  // namespace nettune::inline base
