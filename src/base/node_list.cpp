// SPDX-License-Identifier: Apache-2.0
#include "base/node_list.hpp"

#include "base/text.hpp"

namespace nettune {
namespace {

constexpr std::size_t kLongestNumber = 253;  // no longer than the name of a host (RFC 1035)

Failure no_range() {
  return fail(Errc::invalid, "has brackets that are not a range, as in gpu[01-08]");
}

/// Adds "01-08" or "3"; the numbers keep their width.
Result<> add_range(std::string_view range, std::size_t most, std::vector<std::string>& out) {
  const std::size_t dash = range.find('-');
  const std::string_view first_text = range.substr(0, dash);
  const std::string_view last_text = dash == range.npos ? range : range.substr(dash + 1);
  const auto first = parse_int(first_text);
  const auto last = parse_int(last_text);
  if (!first || !last || *first < 0 || *last < *first) return no_range();
  if (*last - *first >= static_cast<std::int64_t>(most - out.size()))
    return fail(Errc::invalid, cat("has more than ", most, " nodes, and no more are supported"));
  if (first_text.size() > kLongestNumber) return fail(Errc::invalid, "has too long a number");
  for (std::int64_t number = *first; number <= *last; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < first_text.size()) digits.insert(0, first_text.size() - digits.size(), '0');
    out.push_back(std::move(digits));
  }
  return {};
}

}  // namespace

std::vector<std::string_view> split_node_list(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && !inside)) {
      out.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '[' || text[i] == ']') {
      inside = text[i] == '[';
    }
  }
  return out;
}

Result<std::vector<std::string>> names_of_word(std::string_view word, std::size_t most) {
  const std::size_t open = word.find('[');
  if (open == word.npos) return std::vector{std::string(word)};
  const std::size_t close = word.find(']', open);
  if (close == word.npos || word.find('[', close) != word.npos) return no_range();
  std::vector<std::string> names;
  for (const std::string_view range : split(word.substr(open + 1, close - open - 1), ','))
    TRY(add_range(range, most, names));
  for (std::string& name : names) name = cat(word.substr(0, open), name, word.substr(close + 1));
  return names;
}

}  // namespace nettune
