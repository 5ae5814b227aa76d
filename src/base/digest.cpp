// SPDX-License-Identifier: Apache-2.0
#include "base/digest.hpp"

#include <array>
#include <cstring>
#include <sha2.h>
#include <sys/types.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

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

std::uint32_t by_table(std::string_view bytes, std::uint32_t crc) {
  static constexpr auto kTable = make_table();
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
/// From here on the instruction saves more than to ask for it costs: a hypervisor traps cpuid.
constexpr std::size_t kLong = std::size_t{32} * 1024;

bool has_sse42() {
  static const bool has = [] {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
  }();
  return has;
}

/// The processor's own instruction for this polynomial.
__attribute__((target("sse4.2"))) std::uint32_t by_sse42(std::string_view bytes,
                                                         std::uint32_t crc) {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), sizeof eight);
    crc = static_cast<std::uint32_t>(__builtin_ia32_crc32di(crc, eight));
  }
  return by_table(bytes, crc);
}
#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  if (bytes.size() >= kLong && has_sse42()) return ~by_sse42(bytes, ~before);
#endif
  return ~by_table(bytes, ~before);
}

namespace detail {
std::uint32_t crc32c_by_table(std::string_view bytes) { return ~by_table(bytes, ~0U); }
}  // namespace detail

}  // namespace nettune
