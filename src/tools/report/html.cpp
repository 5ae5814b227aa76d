// SPDX-License-Identifier: Apache-2.0
#include "tools/report/html.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.hpp"

namespace nettune::tools::report {

std::string with_commas(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::size_t number, std::string_view one, std::string_view many) {
  return cat(with_commas(number), " ", number == 1 ? one : many);
}

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto nibble = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::string out;
  // Six hexadecimal digits are 24 bits, which are four digits of base64.
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    unsigned bits = 0;
    for (std::size_t k = i; k < i + 6; ++k)
      bits = bits << 4 | (k < hex.size() ? nibble(hex[k]) : 0);
    const std::size_t bytes = (std::min<std::size_t>(hex.size() - i, 6)) / 2;
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= bytes ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

long long seconds_of(std::string_view utc) {
  if (utc.size() < 20 || utc[10] != 'T' || utc.back() != 'Z') return 0;
  constexpr std::array<std::array<std::size_t, 2>, 6> kParts = {
      {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  std::array<int, 6> value{};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const auto number = parse_int(utc.substr(kParts[i][0], kParts[i][1]));
    if (!number || *number < 0) return 0;
    value[i] = static_cast<int>(*number);
  }
  const std::chrono::year_month_day day{std::chrono::year(value[0]),
                                        std::chrono::month(static_cast<unsigned>(value[1])),
                                        std::chrono::day(static_cast<unsigned>(value[2]))};
  if (!day.ok()) return 0;
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return ((days * 24LL + value[3]) * 60 + value[4]) * 60 + value[5];
}

}  // namespace nettune::tools::report
