// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace nettune::tools::nccl::log {

/// starts_with() of a text whose length the compiler knows, and so compares without a call.
template <std::size_t N>
bool begins(std::string_view text, const char (&word)[N]) {
  return text.size() >= N - 1 && std::memcmp(text.data(), word, N - 1) == 0;
}

/// find() of such a text, by its first letter that is no blank: blanks are everywhere.
template <std::size_t N>
std::size_t find_word(std::string_view text, const char (&word)[N], std::size_t from = 0) {
  constexpr std::size_t kLength = N - 1;
  const std::size_t letter = word[0] == ' ' ? 1 : 0;
  while (from + kLength <= text.size()) {
    const void* const at =
        std::memchr(text.data() + from + letter, word[letter], text.size() - from - kLength + 1);
    if (at == nullptr) break;
    from = static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) - letter;
    if (std::memcmp(text.data() + from, word, kLength) == 0) return from;
    ++from;
  }
  return text.npos;
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from left to right. Nothing is copied, and nothing beyond the end is looked at.
/// What every line is read with is inlined by force, so that the two pointers stay in registers: in
/// memory, written one by one and copied as a pair, each copy waits for the writes.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  std::string_view rest() const { return {at_, left()}; }
  bool at_end() const { return at_ == end_; }
  bool stands_at(char c) const { return at_ != end_ && *at_ == c; }

  /// Steps over `word` where it stands here.
  template <std::size_t N>
  [[gnu::always_inline]] bool skip(const char (&word)[N]) {
    if (left() < N - 1 || std::memcmp(at_, word, N - 1) != 0) return false;
    at_ += N - 1;
    return true;
  }
  bool skip(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  /// A decimal number; false, and no step, where none stands here or it has more than nine digits.
  /// Eight bytes are read at once: how many digits a number has cannot be foreseen, and a branch
  /// for each of them is what reading a log would mostly cost.
  [[gnu::always_inline]] bool number(std::uint32_t& into) {
    std::uint64_t word = 0;
    if (left() < sizeof(word)) return step(number_by_digit(rest(), into));
    std::memcpy(&word, at_, sizeof(word));
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    word ^= 0x3030303030303030U;  // a digit is 0 to 9 now
    const std::uint64_t others = (word | (word + 0x7676767676767676U)) & 0x8080808080808080U;
    if (others == 0) return step(number_by_digit(rest(), into));
    const int bits = std::countr_zero(others) & ~7;
    if (bits == 0) return false;
    word <<= 64 - bits;               // in front of it zeros: the last byte is the last digit
    word = word * 10 + (word >> 8U);  // of two digits each
    word = ((word & 0xFF000000FFU) * 0xF424000000064U +
            ((word >> 16U) & 0xFF000000FFU) * 0x271000000001U) >>
           32U;
    into = static_cast<std::uint32_t>(word);
    return step(static_cast<std::size_t>(bits) / 8);
  }
  std::optional<std::uint32_t> number() {
    std::uint32_t value = 0;
    return number(value) ? std::optional(value) : std::nullopt;
  }

  /// Steps over "[...]"; false where it has no end.
  bool skip_brackets() {
    if (!stands_at('[')) return true;
    // Of one digit, mostly: a loop is faster than find().
    for (std::size_t end = 1; end <= 20 && end < left(); ++end) {
      if (at_[end] != ']') continue;
      at_ += end + 1;
      return true;
    }
    return false;
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  bool step(std::size_t bytes) {
    at_ += bytes;
    return bytes != 0;
  }

  /// How many digits were read. Takes no cursor, which so stays in registers.
  [[gnu::noinline]] static std::size_t number_by_digit(std::string_view text, std::uint32_t& into) {
    constexpr std::size_t kMostDigits = 9;
    std::uint32_t value = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && is_digit(text[digits]); ++digits) {
      if (digits == kMostDigits) return 0;
      value = value * 10 + static_cast<std::uint32_t>(text[digits] - '0');
    }
    if (digits != 0) into = value;
    return digits;
  }

  const char* at_;
  const char* end_;
};

}  // namespace nettune::tools::nccl::log
