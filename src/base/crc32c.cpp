// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.hpp"

#include <array>
#include <cstring>
#if defined(__x86_64__)
#if defined(__clang__)  // whose C++ does not know this word of C, which glibc 2.36 uses
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreserved-macro-identifier"
#define _Bool bool
#include <sys/platform/x86.h>
#undef _Bool
#pragma clang diagnostic pop
#else
#include <sys/platform/x86.h>
#endif
#endif

namespace nettune {
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

std::uint32_t by_table(std::string_view bytes, std::uint32_t crc) {
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
/// The instruction takes three cycles and another one may begin in each: so long texts are summed
/// in three strands at once.
constexpr std::size_t kStrandBytes = 4096;

/// What a sum becomes when kStrandBytes zeros follow, for each of its four bytes: a sum is linear,
/// so that of two texts is what the first becomes by as many zeros, xor that of the second.
using Shift = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr Shift make_shift() {
  std::array<std::uint32_t, 32> of_bit{};  // by one zero, then by 2, 4, 8 of them
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    const std::uint32_t crc = std::uint32_t{1} << bit;
    of_bit[bit] = (crc >> 8) ^ kTable[crc & 0xFF];
  }
  const auto shifted = [&of_bit](std::uint32_t crc) {
    std::uint32_t sum = 0;
    for (std::uint32_t bit = 0; bit < 32; ++bit) sum ^= ((crc >> bit) & 1) ? of_bit[bit] : 0;
    return sum;
  };
  for (std::size_t zeros = 1; zeros < kStrandBytes; zeros *= 2) {
    std::array<std::uint32_t, 32> twice{};
    for (std::size_t bit = 0; bit < 32; ++bit) twice[bit] = shifted(of_bit[bit]);
    of_bit = twice;
  }
  Shift shift{};
  for (std::uint32_t place = 0; place < 4; ++place)
    for (std::uint32_t byte = 0; byte < 256; ++byte)
      shift[place][byte] = shifted(byte << (8 * place));
  return shift;
}

std::uint32_t behind_a_strand(std::uint64_t crc) {
  static constexpr Shift kShift = make_shift();
  return kShift[0][crc & 0xFF] ^ kShift[1][(crc >> 8) & 0xFF] ^ kShift[2][(crc >> 16) & 0xFF] ^
         kShift[3][(crc >> 24) & 0xFF];
}

std::uint64_t eight_at(const char* at) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, sizeof eight);
  return eight;
}

/// By the processor's own instruction for this polynomial.
__attribute__((target("sse4.2"))) std::uint32_t by_sse42(std::string_view bytes,
                                                         std::uint32_t before) {
  std::uint64_t crc = before;
  for (; bytes.size() >= 3 * kStrandBytes; bytes.remove_prefix(3 * kStrandBytes)) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t at = 0; at < kStrandBytes; at += 8) {
      const char* const eight = bytes.data() + at;
      crc = __builtin_ia32_crc32di(crc, eight_at(eight));
      second = __builtin_ia32_crc32di(second, eight_at(eight + kStrandBytes));
      third = __builtin_ia32_crc32di(third, eight_at(eight + 2 * kStrandBytes));
    }
    crc = behind_a_strand(behind_a_strand(crc) ^ second) ^ third;
  }
  for (; bytes.size() >= 8; bytes.remove_prefix(8))
    crc = __builtin_ia32_crc32di(crc, eight_at(bytes.data()));
  return by_table(bytes, static_cast<std::uint32_t>(crc));
}
#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  // What the loader found out: a hypervisor traps a cpuid of our own.
  if (CPU_FEATURE_ACTIVE(SSE4_2)) return ~by_sse42(bytes, ~before);
#endif
  return ~by_table(bytes, ~before);
}

namespace detail {
std::uint32_t crc32c_by_table(std::string_view bytes) { return ~by_table(bytes, ~0U); }
}  // namespace detail

}  // namespace nettune
