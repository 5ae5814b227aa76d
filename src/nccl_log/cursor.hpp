// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nettune::nccl_log {

/// Reads a text from left to right. Nothing is copied, and nothing beyond the end is looked at.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }

  /// Steps over `word` where it stands here.
  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
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
    const auto end = rest_.find(']');
    if (end > 20) return false;  // npos is, too
    rest_.remove_prefix(end + 1);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace nettune::nccl_log
