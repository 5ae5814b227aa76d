// SPDX-License-Identifier: Apache-2.0
#include "base/node_set.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.hpp"

namespace nettune::inline base {

namespace {

constexpr std::size_t kLongestName = 253;  // of a host (RFC 1035)
/// A longer run of digits is a part of the name, not a number of a row.
constexpr std::size_t kMostDigits = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A run of digits in a name.
struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Run> runs_of(std::string_view name) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < name.size();) {
    if (!is_digit(name[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < name.size() && is_digit(name[i])) ++i;
    if (i - begin <= kMostDigits) runs.push_back({begin, i});
  }
  return runs;
}

/// What names of one row have in common; names of one width where one of them has zeros in front.
struct Row {
  std::string before;
  std::string after;
  std::size_t width = 0;
  bool operator<(const Row& other) const {
    return std::tie(before, after, width) < std::tie(other.before, other.after, other.width);
  }
};

using Rows = std::map<Row, std::set<std::int64_t>>;

/// `which` run is folded, counted from the last.
Rows rows_by(const std::set<std::string>& names, std::size_t which) {
  Rows rows;
  std::set<std::pair<std::string, std::string>> padded;
  const auto visit = [&](auto&& take) {
    for (const std::string& name : names) {
      const std::vector<Run> runs = runs_of(name);
      if (which >= runs.size()) {
        take(name, std::string(), std::string());
        continue;
      }
      const Run run = runs[runs.size() - 1 - which];
      take(name.substr(0, run.begin), name.substr(run.begin, run.end - run.begin),
           name.substr(run.end));
    }
  };
  visit([&](const std::string& before, const std::string& digits, const std::string& after) {
    if (digits.size() > 1 && digits.front() == '0') padded.emplace(before, after);
  });
  visit([&](const std::string& before, const std::string& digits, const std::string& after) {
    Row row{before, after, padded.contains({before, after}) ? digits.size() : 0};
    if (const auto number = parse_int(digits)) {
      rows[std::move(row)].insert(*number);
    } else {
      rows[std::move(row)];
    }
  });
  return rows;
}

std::string padded_number(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

std::string row_text(const Row& row, const std::set<std::int64_t>& numbers) {
  if (numbers.empty()) return row.before + row.after;
  std::vector<std::string> ranges;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    std::string range = padded_number(first, row.width);
    if (last > first) range += cat('-', padded_number(last, row.width));
    ranges.push_back(std::move(range));
  }
  if (numbers.size() == 1) return cat(row.before, ranges.front(), row.after);
  return cat(row.before, '[', join(ranges, ","), ']', row.after);
}

Failure too_many(std::size_t most) {
  return fail(Errc::invalid, cat("more than ", most, " nodes, and no more are supported"));
}

/// "003-117" or "5": the numbers, padded as the first is.
Result<> add_range(std::string_view range, std::size_t most, std::vector<std::string>& numbers) {
  const auto dash = range.find('-');
  const std::string_view first_text = range.substr(0, dash);
  const std::string_view last_text =
      dash == std::string_view::npos ? first_text : range.substr(dash + 1);
  const auto first = parse_int(first_text);
  const auto last = parse_int(last_text);
  if (!first || !last || *first < 0 || *last < *first)
    return fail(Errc::invalid, cat("\"", printable(range),
                                   "\" is not a range of numbers; write "
                                   "gpu[003,117-127]"));
  if (first_text.size() > kLongestName)
    return fail(Errc::invalid, cat("a number with ", first_text.size(), " digits"));
  if (*last - *first >= static_cast<std::int64_t>(most - numbers.size())) return too_many(most);
  const std::size_t width =
      first_text.size() > 1 && first_text.front() == '0' ? first_text.size() : 0;
  for (std::int64_t number = *first; number <= *last; ++number)
    numbers.push_back(padded_number(number, width));
  return {};
}

Result<> add_name(std::string_view name, std::size_t most, std::vector<std::string>& out) {
  const auto open = name.find('[');
  if (open == std::string_view::npos) {
    out.emplace_back(name);
    return {};
  }
  constexpr std::ptrdiff_t kMostBrackets = 8;
  if (std::ranges::count(name, '[') > kMostBrackets)
    return fail(Errc::invalid, cat("a name with more than ", kMostBrackets, " brackets"));
  const auto close = name.find(']', open);
  if (close == std::string_view::npos)
    return fail(Errc::invalid, cat("\"", printable(name), "\": the bracket does not close"));
  std::vector<std::string> numbers;
  for (const std::string_view range : split(name.substr(open + 1, close - open - 1), ','))
    TRY(add_range(trim(range), most, numbers));
  std::vector<std::string> tails;
  TRY(add_name(name.substr(close + 1), most, tails));
  if (out.size() + numbers.size() * tails.size() > most) return too_many(most);
  for (const std::string& number : numbers)
    for (const std::string& tail : tails) out.push_back(cat(name.substr(0, open), number, tail));
  return {};
}

}  // namespace

std::string fold_names(std::span<const std::string> names) {
  const std::set<std::string> all(names.begin(), names.end());
  constexpr std::size_t kRunsTried = 3;
  std::optional<Rows> best;
  for (std::size_t which = 0; which < kRunsTried; ++which) {
    Rows rows = rows_by(all, which);
    if (!best || rows.size() < best->size()) best = std::move(rows);
  }
  std::vector<std::string> texts;
  for (const auto& [row, numbers] : *best) texts.push_back(row_text(row, numbers));
  std::ranges::sort(texts, name_less);
  return join(texts, ",");
}

Result<std::vector<std::string>> expand_names(std::string_view text, std::size_t most) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[') ++depth;
    if (c == ']') --depth;
    const bool ends = c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!ends || (depth > 0 && i < text.size())) continue;
    if (i > begin) TRY(add_name(text.substr(begin, i - begin), most, out));
    begin = i + 1;
  }
  return out;
}

bool name_less(std::string_view left, std::string_view right) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (!is_digit(left[i]) || !is_digit(right[j])) {
      if (left[i] != right[j]) return left[i] < right[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [](std::string_view text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(begin, at - begin);
    };
    const std::string_view of_left = number(left, i);
    const std::string_view of_right = number(right, j);
    if (of_left.size() != of_right.size()) return of_left.size() < of_right.size();
    if (of_left != of_right) return of_left < of_right;
  }
  if (left.size() - i != right.size() - j) return left.size() - i < right.size() - j;
  return left < right;
}

}  // namespace nettune::inline base
