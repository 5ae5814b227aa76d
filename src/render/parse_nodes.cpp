// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "render/inputs.hpp"

namespace nettune::render {
namespace {

constexpr std::int64_t kMostNodes = 65536;

Failure wrong(std::string_view word, std::string_view why) {
  return fail(Errc::invalid, cat("--nodes: \"", printable(word), "\" ", why));
}

/// Splits at commas outside of brackets.
std::vector<std::string_view> split_outside(std::string_view text) {
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

/// Adds "01-08" or "3"; the numbers keep their width.
Result<> add_range(std::string_view word, std::string_view range, std::vector<std::string>& out) {
  const std::size_t dash = range.find('-');
  const std::string_view first_text = range.substr(0, dash);
  const std::string_view last_text =
      dash == std::string_view::npos ? range : range.substr(dash + 1);
  const auto first = parse_int(first_text);
  const auto last = parse_int(last_text);
  if (!first || !last || *first < 0 || *last < *first || *last - *first >= kMostNodes)
    return wrong(word, "has brackets that are not a range, as in gpu[01-08]");
  for (std::int64_t number = *first; number <= *last; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < first_text.size()) digits.insert(0, first_text.size() - digits.size(), '0');
    out.push_back(std::move(digits));
  }
  return {};
}

Result<std::vector<std::string>> names_of(std::string_view word) {
  const std::size_t open = word.find('[');
  if (open == std::string_view::npos) return std::vector{std::string(word)};
  const std::size_t close = word.find(']', open);
  if (close == std::string_view::npos || word.find('[', close) != std::string_view::npos)
    return wrong(word, "has brackets that are not a range, as in gpu[01-08]");
  std::vector<std::string> numbers;
  for (const std::string_view range : split(word.substr(open + 1, close - open - 1), ','))
    TRY(add_range(word, range, numbers));
  for (std::string& number : numbers)
    number = cat(word.substr(0, open), number, word.substr(close + 1));
  return numbers;
}

}  // namespace

Result<std::vector<JobNode>> parse_nodes(std::string_view text) {
  std::vector<JobNode> nodes;
  std::set<std::string, std::less<>> known;
  for (const std::string_view word : split_outside(text)) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view address =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (name.empty()) return wrong(word, "has no name");
    if (equals != std::string_view::npos && address.empty())
      return wrong(word, "has no address after =");
    for (const std::string_view each : {name, address})
      if (each.starts_with('-'))
        return wrong(word, "begins with a dash, so commands would take it for an option");
    TRY_ASSIGN(std::vector<std::string> names, names_of(name));
    if (names.size() > 1 && !address.empty())
      return wrong(word, "gives several nodes the same address");
    for (std::string& each : names) {
      if (!known.insert(each).second) return wrong(each, "is given twice");
      nodes.push_back({std::move(each), std::string(address)});
    }
    if (std::ssize(nodes) > kMostNodes) return wrong(word, "gives too many nodes");
  }
  if (nodes.empty()) return fail(Errc::invalid, "--nodes names no node");
  return nodes;
}

}  // namespace nettune::render
