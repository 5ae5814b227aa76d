// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/plausible.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/number_text.hpp"
#include "base/text.hpp"

namespace nettune::tools::advise {

namespace {

constexpr int kDigits = 6;

struct UnitOfTime {
  std::string_view name;
  double seconds;
};
/// In the order of TimeUnit.
constexpr std::array<UnitOfTime, 4> kUnits = {
    {{"seconds", 1}, {"milliseconds", 1e-3}, {"microseconds", 1e-6}, {"nanoseconds", 1e-9}}};

std::string span_text(double seconds) {
  constexpr double kDay = 86400;
  if (seconds >= kDay) return cat(significant(seconds / kDay, 3), " days");
  if (seconds >= 1) return cat(significant(seconds, 3), " s");
  return cat(significant(seconds * 1e3, 3), " ms");
}

std::string size_text(double bytes) {
  if (bytes >= kLargestBytes) return cat(significant(bytes / 1e15, 3), " PB");
  return cat(significant(bytes / 1e12, 3), " TB");
}

std::string not_a_size(std::string_view text) {
  return cat("\"", printable(text),
             "\" is not a number of bytes; write 102M, 1.4G, 97Mi or 46758048");
}

}  // namespace

Result<double> plausible_time(std::string_view what, double number, TimeUnit unit) {
  const auto at = static_cast<std::size_t>(unit);
  const double seconds = number * kUnits[at].seconds;
  const std::string is = cat(printable(what), " is ", significant(number, kDigits));
  if (number < 0) return fail(Errc::invalid, cat(is, ", and no time is less than 0"));
  if (seconds > 0 && seconds < kShortest_s)
    return fail(Errc::invalid,
                cat(is, " ", kUnits[at].name, ", less than any clock shows; measure it again"));
  if (seconds <= kLongest_s) return seconds;
  const std::string as_it_is =
      cat(is, ": in ", kUnits[at].name, ", its unit here, that is ", span_text(seconds));
  for (std::size_t other = at + 1; other < kUnits.size(); ++other) {
    const double less = number * kUnits[other].seconds;
    // The first that may be a step: an hour is already long for one.
    if (less <= 3600)
      return fail(Errc::invalid, cat(as_it_is, ", more than a day; in ", kUnits[other].name,
                                     " it would be ", span_text(less), "; convert it"));
  }
  return fail(Errc::invalid, cat(as_it_is,
                                 ", more than a day, and no smaller unit makes it the "
                                 "time of a step; measure it again"));
}

Result<double> plausible_bytes(std::string_view what, double bytes) {
  const std::string is = cat(printable(what), " is ", significant(bytes, kDigits));
  if (bytes < 0) return fail(Errc::invalid, cat(is, ", and no size is less than 0"));
  if (bytes > 0 && bytes < 1) return fail(Errc::invalid, cat(is, ", less than one byte"));
  if (bytes <= kLargestBytes) return bytes;
  const std::string as_bytes =
      cat(is, ": in bytes, its unit here, that is ", size_text(bytes), ", more than 1 PB");
  if (bytes / 8 <= kLargestBytes)
    return fail(Errc::invalid,
                cat(as_bytes, "; in bits it would be ", size_text(bytes / 8), "; convert it"));
  return fail(Errc::invalid,
              cat(as_bytes, ", and in bits that is no size either; measure it again"));
}

Result<int> plausible_ranks(std::string_view what, double number) {
  constexpr double kMostRanks = 1e6;
  if (number >= 0 && number <= kMostRanks && number == std::floor(number))
    return static_cast<int>(number);
  return fail(Errc::invalid, cat(printable(what), " is ", significant(number, kDigits),
                                 ", not a whole number up to 1,000,000"));
}

Result<double> parse_bytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 7> kPrefixes = {{
      {"", 1},
      {"K", 1e3},
      {"M", 1e6},
      {"G", 1e9},
      {"Ki", 1024.0},
      {"Mi", 1048576.0},
      {"Gi", 1073741824.0},
  }};
  const std::size_t unit_at = std::min(text.find_first_of("KMGBb"), text.size());
  std::string_view unit = text.substr(unit_at);
  const auto value = read_number(text.substr(0, unit_at));
  if (!value || !(*value > 0)) return fail(Errc::invalid, not_a_size(text));
  // Nobody has so few bytes of gradients; "7B" is how a model of seven billion parameters is named.
  constexpr double kFewest = 1e4;
  if ((unit.empty() || unit == "B" || unit == "b") && *value < kFewest)
    return fail(Errc::invalid,
                cat("\"", printable(text), "\" is ", significant(*value, kDigits),
                    *value == 1 ? " byte" : " bytes", ", or ", significant(*value, kDigits),
                    " billion parameters? Of these the gradients are ",
                    significant(*value * 2, kDigits), "G in bf16, or ",
                    significant(*value * 4, kDigits), "G in fp32: write the one that is meant"));
  if (unit.ends_with('B')) unit.remove_suffix(1);
  const auto found = std::ranges::find(kPrefixes, unit, [](const auto& one) { return one.first; });
  if (found == kPrefixes.end()) return fail(Errc::invalid, not_a_size(text));
  return plausible_bytes(text, *value * found->second);
}

}  // namespace nettune::tools::advise
