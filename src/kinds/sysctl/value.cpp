// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/value.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace nettune::kinds::sysctl {
namespace {

/// proc_get_long() and friends take at most a page, the final newline included.
constexpr std::size_t kMaxWriteBytes = 4094;
constexpr std::int64_t kMaxMember = 65535;

/// One word as strtoul() with base 0 reads it, in decimal; nothing if the kernel would not accept
/// all of it as an integer. Decimal numbers may have any length: they are compared as text.
std::optional<std::string> decimal(std::string_view word) {
  const bool negative = word.starts_with('-');
  std::string_view digits = negative ? word.substr(1) : word;
  std::uint64_t base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
    digits.remove_prefix(1);
  }
  if (digits.empty()) return std::nullopt;
  std::uint64_t number = 0;
  bool overflow = false;
  for (const char c : digits) {
    std::uint64_t digit = 16;
    if (c >= '0' && c <= '9') digit = static_cast<std::uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<std::uint64_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<std::uint64_t>(c - 'A') + 10;
    if (digit >= base) return std::nullopt;
    overflow |= number > (std::numeric_limits<std::uint64_t>::max() - digit) / base;
    number = number * base + digit;
  }
  if (base == 10) return digits == "0" ? std::string("0") : std::string(word);
  if (overflow) return std::nullopt;
  return cat(negative && number != 0 ? "-" : "", number);
}

std::optional<std::string> integers(std::string_view text) {
  std::vector<std::string> numbers;
  for (const std::string_view word : words(text)) {
    auto number = decimal(word);
    if (!number) return std::nullopt;
    numbers.push_back(std::move(*number));
  }
  if (numbers.empty()) return std::nullopt;
  return join(numbers, " ");
}

std::string sorted_words(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view word : words(text)) parts.emplace_back(word);
  std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return join(parts, " ");
}

struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::optional<std::int64_t> range_number(std::string_view text) {
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > kMaxMember) return std::nullopt;
  return number;
}

/// Sorts and merges ranges: the kernel prints runs of set bits.
std::vector<Range> merged(std::vector<Range> ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::vector<Range> out;
  for (const Range& range : ranges) {
    if (!out.empty() && range.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, range.last);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

/// Commas and blanks separate; the kernel itself takes commas only.
std::optional<std::vector<Range>> parse_ranges(std::string_view text) {
  std::vector<Range> ranges;
  std::string list(text);
  std::ranges::replace(list, ',', ' ');
  for (const std::string_view part : words(list)) {
    const std::size_t dash = part.find('-');
    const auto first = range_number(part.substr(0, dash));
    const auto last = dash == part.npos ? first : range_number(part.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    ranges.push_back({*first, *last});
  }
  return merged(std::move(ranges));
}

std::string ranges_text(const std::vector<Range>& ranges) {
  std::string out;
  for (const Range& range : ranges) {
    if (!out.empty()) out += ',';
    out += std::to_string(range.first);
    if (range.last > range.first) out += cat('-', range.last);
  }
  return out;
}

std::vector<Range> without(const std::vector<Range>& ranges, std::int64_t member) {
  std::vector<Range> out;
  for (const Range& range : ranges) {
    if (member < range.first || member > range.last) {
      out.push_back(range);
      continue;
    }
    if (range.first < member) out.push_back({range.first, member - 1});
    if (member < range.last) out.push_back({member + 1, range.last});
  }
  return out;
}

/// Text keeps its inner blanks, so that it can be restored. Several lines cannot be written anyway
/// and are only shown.
std::string plain(std::string_view text) {
  if (auto numbers = integers(text)) return std::move(*numbers);
  const std::string_view trimmed = trim(text);
  if (trimmed.find('\n') == trimmed.npos) return std::string(trimmed);
  std::vector<std::string> parts;
  for (const std::string_view word : words(trimmed)) parts.emplace_back(word);
  return join(parts, " ");
}

std::string canonical(Form form, std::string_view text) {
  switch (form) {
    case Form::word_set:
      return sorted_words(text);
    case Form::ranges:
      if (const auto ranges = parse_ranges(text)) return ranges_text(*ranges);
      return std::string(trim(text));
    case Form::mask:
      return std::string(trim(text));
    case Form::plain:
      break;
  }
  return plain(text);
}

}  // namespace

std::string canonical_reading(Form form, std::string_view raw) { return canonical(form, raw); }

Result<std::string> canonical_wanted(Form form, std::string_view wanted) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat("\"", printable(wanted.substr(0, 80)), "\" ", why));
  };
  std::string text(wanted);
  std::ranges::replace(text, '\t', ' ');
  if (has_control_characters(trim(text))) return refuse("contains a control character");
  if (form == Form::ranges && !parse_ranges(text)) {
    return refuse("is not a list of numbers and ranges from 0 to 65535, like 29400,29500-29510");
  }
  text = canonical(form, text);
  if (text.size() > kMaxWriteBytes) {
    return refuse(cat("is longer than the ", kMaxWriteBytes, " bytes of one write"));
  }
  return text;
}

Result<> check_element(Form form, std::string_view element) {
  if (form == Form::ranges) {
    const auto number = range_number(element);
    if (!number || std::to_string(*number) != element) {
      return fail(Errc::invalid, cat("\"", printable(element.substr(0, 80)),
                                     "\" is not a number from 0 to 65535"));
    }
    return {};
  }
  if (element.empty() || element.size() > 255 || has_control_characters(element) ||
      element.find(' ') != element.npos) {
    return fail(Errc::invalid, cat("\"", printable(element.substr(0, 80)), "\" is not one word"));
  }
  return {};
}

bool has_element(Form form, std::string_view canonical, std::string_view element) {
  if (form == Form::ranges) {
    const auto ranges = parse_ranges(canonical);
    const auto number = range_number(element);
    return ranges && number && std::ranges::any_of(*ranges, [&](const Range& range) {
             return range.first <= *number && *number <= range.last;
           });
  }
  return std::ranges::count(words(canonical), element) != 0;
}

std::string with_element(Form form, std::string_view canonical, std::string_view element,
                         bool present) {
  if (form == Form::ranges) {
    const auto ranges = parse_ranges(canonical);
    const auto number = range_number(element);
    if (!ranges || !number) return std::string(canonical);
    std::vector<Range> changed = without(*ranges, *number);
    if (present) changed.push_back({*number, *number});
    return ranges_text(merged(std::move(changed)));
  }
  std::vector<std::string> parts;
  for (const std::string_view word : words(canonical)) {
    if (word != element) parts.emplace_back(word);
  }
  if (present) parts.emplace_back(element);
  return sorted_words(join(parts, " "));
}

}  // namespace nettune::kinds::sysctl
