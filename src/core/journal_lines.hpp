// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "core/setting.hpp"

namespace nettune::inline core {

/// The lines of journal records: fields separated by tabs; tab, newline and backslash are escaped.
void escape_field(std::string& out, std::string_view text);
std::string unescape_field(std::string_view text);
std::string value_field(const Value& value);  ///< "=TEXT", or "-" for none

/// Writes lines of tab-separated fields.
class LineWriter {
 public:
  template <class... Fields>
  void line(const Fields&... fields) {
    bool first = true;
    (field(cat(fields), first), ...);
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  void field(const std::string& text, bool& first) {
    if (!first) text_ += '\t';
    first = false;
    escape_field(text_, text);
  }
  std::string text_;
};

/// Reads the fields of one line in order. `ok()` is false after a field that does not parse.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  /// The raw field, with escapes; words and numbers have none.
  std::string_view word() {
    if (exhausted_) {
      ok_ = false;
      return {};
    }
    std::size_t end = 0;  // a loop: most fields are a few bytes
    while (end < rest_.size() && rest_[end] != '\t') ++end;
    const std::string_view field = rest_.substr(0, end);
    exhausted_ = end == rest_.size();
    if (!exhausted_) rest_.remove_prefix(end + 1);
    return field;
  }
  std::string text() { return unescape_field(word()); }
  Value value() {
    const auto raw = raw_value();
    return raw ? Value(unescape_field(*raw)) : Value();
  }
  std::optional<std::string_view> raw_value() {
    const std::string_view field = word();
    if (field == "-") return {};
    if (!field.starts_with('=')) ok_ = false;
    return field.substr(std::min<std::size_t>(field.size(), 1));
  }
  std::int64_t number() {
    const auto parsed = parse_int(word());
    if (!parsed) ok_ = false;
    return parsed.value_or(0);
  }
  /// A single digit.
  template <class Enum>
  Enum choice(Enum last) {
    const std::string_view field = word();
    if (field.size() != 1 || field[0] < '0' || field[0] - '0' > static_cast<int>(last)) {
      ok_ = false;
      return Enum{};
    }
    return static_cast<Enum>(field[0] - '0');
  }
  bool flag() { return number() != 0; }
  bool ok() const { return ok_; }
  bool complete() const { return ok_ && exhausted_; }

 private:
  std::string_view rest_;
  bool exhausted_ = false;
  bool ok_ = true;
};

}  // namespace nettune::inline core
