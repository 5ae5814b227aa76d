// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace nettune::nccl_log {

/// starts_with() of a text whose length the compiler knows, and so compares without a call.
template <std::size_t N>
bool begins(std::string_view text, const char (&word)[N]) {
  return text.size() >= N - 1 && std::memcmp(text.data(), word, N - 1) == 0;
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from left to right. Nothing is copied, and nothing beyond the end is looked at.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }

  /// Steps over `word` where it stands here.
  template <std::size_t N>
  bool skip(const char (&word)[N]) {
    if (!begins(rest_, word)) return false;
    rest_.remove_prefix(N - 1);
    return true;
  }
  bool skip(std::string_view word) {
    if (rest_.empty() || rest_.front() != word.front() || !rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  /// A decimal number; nothing where none stands here or it does not fit.
  std::optional<std::uint32_t> number() {
    std::uint64_t value = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      value = value * 10 + static_cast<std::uint64_t>(rest_[digits] - '0');
      if (++digits > 9) return {};
    }
    if (digits == 0) return {};
    rest_.remove_prefix(digits);
    return static_cast<std::uint32_t>(value);
  }

  /// Steps over "[...]"; false where it has no end.
  bool skip_brackets() {
    if (!rest_.starts_with('[')) return true;
    // Of one digit, mostly: a loop is faster than find().
    for (std::size_t end = 1; end <= 20 && end < rest_.size(); ++end) {
      if (rest_[end] != ']') continue;
      rest_.remove_prefix(end + 1);
      return true;
    }
    return false;
  }

 private:
  std::string_view rest_;
};

}  // namespace nettune::nccl_log
