// SPDX-License-Identifier: Apache-2.0
#include "toml/guard.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "toml/value.hpp"

namespace nettune::toml {
namespace {

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '+' || c == '-' || c == '.' || c == ':';
}

/// True for what TOML reads as an integer and int64 cannot hold.
bool overflows(std::string_view token) {
  std::string digits(token);
  std::erase(digits, '_');
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    base = digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : digits[1] == 'b' ? 2 : 10;
    if (base != 10) digits.erase(0, 2);
  }
  if (digits.starts_with('+')) digits.erase(0, 1);
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, base);
  return parsed.ptr == end && parsed.ec == std::errc::result_out_of_range;
}

/// Scans TOML like a lexer, so that brackets and digits in strings and comments do not count.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), at_{file, 1} {}

  Result<> run() {
    TRY(characters());
    at_.line = 1;
    while (pos_ < text_.size()) TRY(step());
    return {};
  }

 private:
  struct Level {
    int depth;
    int key_dots;
  };

  Result<> characters() {
    for (std::size_t i = 0; i < text_.size();) {
      const char c = text_[i];
      const bool line_end =
          c == '\n' || (c == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n');
      if (!line_end && c != '\t' && is_control_character(c)) {
        return fail_at(at_, cat("the file contains the control character ", printable({&c, 1}),
                                "; remove it"));
      }
      const std::size_t length = decode_utf8(text_, i).length;
      if (length == 0) return fail_at(at_, "the file is not valid UTF-8 here");
      if (c == '\n') ++at_.line;
      i += length;
    }
    return {};
  }

  Result<> step() {
    const char c = text_[pos_];
    if (c == '"' || c == '\'') {
      skip_string(c);
      return {};
    }
    if (is_token_character(c)) return token();
    ++pos_;
    switch (c) {
      case '#':
        pos_ = std::min(text_.find('\n', pos_), text_.size());
        break;
      case '\n':
        ++at_.line;
        dots_ = key_dots_ = 0;
        break;
      case ',':
        dots_ = key_dots_ = 0;
        break;
      case '=':
        key_dots_ = dots_;
        dots_ = 0;
        break;
      case '[':
      case '{':
        levels_.push_back({depth_, key_dots_});
        depth_ += 1 + key_dots_;
        dots_ = key_dots_ = 0;
        return check_depth();
      case ']':
      case '}':
        if (!levels_.empty()) {
          depth_ = levels_.back().depth;
          key_dots_ = levels_.back().key_dots;
          levels_.pop_back();
        }
        break;
      default:
        break;
    }
    return {};
  }

  Result<> token() {
    const std::size_t begin = pos_;
    while (pos_ < text_.size() && is_token_character(text_[pos_])) ++pos_;
    const std::string_view found = text_.substr(begin, pos_ - begin);
    if (overflows(found)) {
      return fail_at(at_, cat("the integer ", found.substr(0, 60),
                              " is too large (at most 9223372036854775807)"));
    }
    dots_ += static_cast<int>(std::ranges::count(found, '.'));
    return check_depth();
  }

  Result<> check_depth() const {
    if (depth_ + key_dots_ + dots_ <= kMaxDepth) return {};
    return fail_at(at_,
                   cat("lists, tables or dotted keys nest deeper than ", kMaxDepth, " levels"));
  }

  /// An unterminated string ends with its line or the file: the parser will refuse it.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multi_line = text_.substr(pos_).starts_with(triple);
    pos_ += multi_line ? 3 : 1;
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == '\n') {
        if (!multi_line) return;
        ++at_.line;
      } else if (c == '\\' && quote == '"') {
        if (pos_ + 1 < text_.size() && text_[pos_ + 1] != '\n') ++pos_;
      } else if (c == quote && !multi_line) {
        ++pos_;
        return;
      } else if (c == quote && text_.substr(pos_).starts_with(triple)) {
        pos_ += 3;
        // One or two more quotes belong to the string (TOML 1.0).
        for (int i = 0; i < 2 && pos_ < text_.size() && text_[pos_] == quote; ++i) ++pos_;
        return;
      }
      ++pos_;
    }
  }

  std::string_view text_;
  Origin at_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  int key_dots_ = 0;
  int dots_ = 0;
  std::vector<Level> levels_;
};

}  // namespace

Result<> guard(std::string_view text, const std::string& file) {
  if (text.size() > kMaxFileBytes) {
    return fail_at({file, 0},
                   cat("the file has ", text.size(), " bytes; the limit is ", kMaxFileBytes));
  }
  return Scanner(text, file).run();
}

}  // namespace nettune::toml
