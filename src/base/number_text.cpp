// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace nettune::inline base {

namespace {

/// `format` takes a precision and a double. The result of snprintf() is the length that the text
/// needs, which may be more than there is room for.
std::string formatted(const char* format, int precision, double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  constexpr int kMostDecimals = 60;
  precision = std::clamp(precision, 0, kMostDecimals);
  std::string text(32, '\0');
  const int needs = std::snprintf(text.data(), text.size(), format, precision, value);
  if (needs < 0) return "not a number";
  const auto length = static_cast<std::size_t>(needs);
  if (length >= text.size()) {
    text.resize(length + 1);
    (void)std::snprintf(text.data(), text.size(), format, precision, value);
  }
  text.resize(length);
  // What rounds to zero is zero: "-0.00" would be read as a loss.
  const std::string_view digits(text.data(), std::min(text.find('e'), text.size()));
  if (digits.starts_with('-') && digits.find_first_not_of("-0.") == digits.npos) text.erase(0, 1);
  return text;
}

bool is_digit_or(char c, std::string_view others) {
  return (c >= '0' && c <= '9') || others.find(c) != others.npos;
}

}  // namespace

std::string decimals(double value, int places) { return formatted("%.*f", places, value); }
std::string whole(double value) { return decimals(value, 0); }
std::string significant(double value, int digits) { return formatted("%.*g", digits, value); }
std::string scientific(double value, int places) { return formatted("%.*e", places, value); }

std::optional<double> read_number(std::string_view text) {
  if (text.empty() || !is_digit_or(text.front(), "-.") || !is_digit_or(text.back(), ".")) return {};
  if (!std::ranges::all_of(text, [](char c) { return is_digit_or(c, "+-.eE"); })) return {};
  const std::string copy(text);
  char* end = nullptr;
  // strtod() and not std::from_chars(), which does not say whether a number is too large or too
  // small, and loads libm at the start of every program.
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return {};
  return value;
}

}  // namespace nettune::inline base
