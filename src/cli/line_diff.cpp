// SPDX-License-Identifier: Apache-2.0
#include "cli/line_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.hpp"

namespace nettune::cli {

namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kLargestTable = std::size_t{4} << 20;

using Lines = std::vector<std::string_view>;

/// Lines with their newline, so that a missing last newline is a difference.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto newline = text.find('\n');
    const auto length = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

struct Edit {
  char mark;  ///< ' ', '-', '+'
  std::string_view line;
};

/// The longest common subsequence of [begin, end) of both sides, by the usual table.
void diff_middle(const Lines& before, const Lines& after, std::size_t prefix,
                 std::size_t before_end, std::size_t after_end, std::vector<Edit>& edits) {
  const std::size_t rows = before_end - prefix;
  const std::size_t columns = after_end - prefix;
  std::size_t i = 0;
  std::size_t j = 0;
  if (rows != 0 && columns <= kLargestTable / rows) {
    std::vector<std::uint32_t> common((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t row, std::size_t column) -> std::uint32_t& {
      return common[row * (columns + 1) + column];
    };
    for (std::size_t row = rows; row-- > 0;)
      for (std::size_t column = columns; column-- > 0;)
        at(row, column) = before[prefix + row] == after[prefix + column]
                              ? at(row + 1, column + 1) + 1
                              : std::max(at(row + 1, column), at(row, column + 1));
    while (i < rows && j < columns) {
      if (before[prefix + i] == after[prefix + j]) {
        edits.push_back({' ', before[prefix + i++]});
        ++j;
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        edits.push_back({'-', before[prefix + i++]});
      } else {
        edits.push_back({'+', after[prefix + j++]});
      }
    }
  }
  while (i < rows) edits.push_back({'-', before[prefix + i++]});
  while (j < columns) edits.push_back({'+', after[prefix + j++]});
}

std::vector<Edit> edits_between(const Lines& before, const Lines& after) {
  std::size_t prefix = 0;
  while (prefix < before.size() && prefix < after.size() && before[prefix] == after[prefix])
    ++prefix;
  std::size_t suffix = 0;
  while (suffix + prefix < before.size() && suffix + prefix < after.size() &&
         before[before.size() - 1 - suffix] == after[after.size() - 1 - suffix])
    ++suffix;
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < prefix; ++i) edits.push_back({' ', before[i]});
  diff_middle(before, after, prefix, before.size() - suffix, after.size() - suffix, edits);
  for (std::size_t i = before.size() - suffix; i < before.size(); ++i)
    edits.push_back({' ', before[i]});
  return edits;
}

std::string edit_text(const Edit& edit) {
  const bool complete = edit.line.ends_with('\n');
  std::string_view shown = edit.line;
  if (complete) shown.remove_suffix(1);
  std::string text(1, edit.mark);
  // Tabs and quotes in a file are ordinary text; terminal controls are not.
  text += has_control_characters(shown) ? printable(shown) : std::string(shown);
  text += complete ? "\n" : "\n\\ No newline at end of file\n";
  return text;
}

/// "first,count" as in diff -u: an empty side names the line before it.
std::string range_text(std::size_t lines_before, std::size_t count) {
  return cat(count == 0 ? lines_before : lines_before + 1, ",", count);
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after) {
  if (before == after) return {};
  const Lines old_lines = lines_of(before);
  const Lines new_lines = lines_of(after);
  const std::vector<Edit> edits = edits_between(old_lines, new_lines);
  std::string out;
  std::size_t old_seen = 0;
  std::size_t new_seen = 0;
  std::size_t i = 0;
  while (i < edits.size()) {
    std::size_t change = i;
    while (change < edits.size() && edits[change].mark == ' ') ++change;
    if (change == edits.size()) break;
    const std::size_t begin = std::max(i, change - std::min(change, kContext));
    std::size_t end = change;
    std::size_t quiet = 0;
    for (std::size_t k = change; k < edits.size() && quiet <= 2 * kContext; ++k) {
      quiet = edits[k].mark == ' ' ? quiet + 1 : 0;
      if (quiet == 0) end = k + 1;
    }
    end = std::min(edits.size(), end + kContext);
    old_seen += begin - i;
    new_seen += begin - i;
    std::string body;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    for (std::size_t k = begin; k < end; ++k) {
      old_count += edits[k].mark != '+' ? 1 : 0;
      new_count += edits[k].mark != '-' ? 1 : 0;
      body += edit_text(edits[k]);
    }
    out += cat("@@ -", range_text(old_seen, old_count), " +", range_text(new_seen, new_count),
               " @@\n", body);
    old_seen += old_count;
    new_seen += new_count;
    i = end;
  }
  return out;
}

}  // namespace nettune::cli
