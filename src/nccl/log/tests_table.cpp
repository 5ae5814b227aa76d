// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/tests_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace nettune::nccl_log {
namespace {

/// Where the first "time", "algbw", "busbw" and "#wrong" are in the heading; with "root" they are
/// one further right (nccl-tests 2.10 and later). Before 2.10 "error" is in the place of "#wrong".
struct Columns {
  std::size_t time = 4;
  std::size_t algbw = 5;
  std::size_t busbw = 6;
  std::size_t wrong = 0;  ///< 0: there is none
  std::size_t count = 0;  ///< of all
};

std::optional<Columns> columns_of(std::string_view line) {
  std::vector<std::string_view> names = words(line);
  if (names.size() < 6 || names[0] != "#" || names[1] != "size") return {};
  names.erase(names.begin());
  const auto place = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  Columns columns{place("time"), place("algbw"), place("busbw"), place("#wrong"), names.size()};
  if (std::max({columns.time, columns.algbw, columns.busbw}) >= names.size()) return {};
  if (columns.wrong == names.size()) columns.wrong = 0;
  return columns;
}

}  // namespace

std::optional<double> tests_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

bool WrongRows::take(std::string_view line, TestsSummary& into) {
  static constexpr std::string_view kAverage = "Avg bus bandwidth    : ";
  if (const auto at = line.find(kAverage); at != line.npos) {
    const std::string_view number = trim(line.substr(at + kAverage.size()));
    if (tests_number(number)) into.average = number;
  }
  if (line.find("Out of bounds values") != line.npos ||
      line.find("Avg bus bandwidth") != line.npos) {
    clear();
    return false;
  }
  if (const auto hash = line.find("# "); hash != line.npos) {
    if (line.find("busbw #wrong") == line.npos) return false;
    const std::vector<std::string_view> names = words(line.substr(hash + 1));
    wrong_.clear();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == "#wrong") wrong_.push_back(names.size() - 1 - i);
    columns_ = names.size();
    ++into.tables;
    return false;
  }
  const std::vector<std::string_view> cells = words(line);
  if (!waits() || cells.size() < columns_) return false;  // a cut row has other columns at its end
  add_row(cells, into);
  return std::ranges::any_of(wrong_, [&](std::size_t from_last) {
    if (from_last + 3 >= cells.size()) return false;
    const std::size_t place = cells.size() - 1 - from_last;
    // The time and both bandwidths are before it.
    for (std::size_t before = 1; before <= 3; ++before)
      if (!tests_number(cells[place - before])) return false;
    return cells[place].find_first_not_of("0123456789") == std::string_view::npos &&
           cells[place].find_first_not_of('0') != std::string_view::npos;
  });
}

/// A row of the table is one of which all numbers are there.
void WrongRows::add_row(const std::vector<std::string_view>& cells, TestsSummary& into) const {
  const std::string_view size = cells[cells.size() - columns_];
  const std::string_view bytes =
      size.substr(size.rfind(':') == size.npos ? 0 : size.rfind(':') + 1);
  if (bytes.empty() || bytes.find_first_not_of("0123456789") != bytes.npos) return;
  std::vector<double> found;
  for (const std::size_t from_last : wrong_) {
    if (from_last + 3 >= cells.size()) return;
    const auto busbw = tests_number(cells[cells.size() - 2 - from_last]);
    const auto time = tests_number(cells[cells.size() - 4 - from_last]);
    if (!busbw || !time) return;
    found.push_back(*busbw);
  }
  ++into.rows;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string_view wrong = cells[cells.size() - 1 - wrong_[i]];
    into.is_checked = into.is_checked && tests_number(wrong);
    into.has_wrong = into.has_wrong || wrong != "0";
    if (found[i] <= into.busbw) continue;
    into.busbw = found[i];
    into.size = bytes;
    into.in_place = i != 0;
  }
}

TestsTable read_tests_table(std::string_view text) {
  TestsTable out;
  Columns columns;
  for (const std::string_view line : split(text, '\n')) {
    if (const auto found = columns_of(line)) columns = *found;
    const std::vector<std::string_view> cells = words(line);
    if (cells.size() > 2 && cells[0] == "#" && cells[1] == "Rank") {
      ++out.ranks;
      const auto on = std::ranges::find(cells, "on");
      if (cells.end() - on > 1) out.hosts.emplace(*(on + 1));
    }
    // An operation that is not there (all-to-all) leaves its column blank.
    const std::size_t blank = columns.count > cells.size() ? columns.count - cells.size() : 0;
    if (cells.size() + blank <= columns.busbw || blank > 1 || cells[0] == "#") continue;
    const auto bytes = tests_number(cells[0]);
    const auto time_us = tests_number(cells[columns.time - blank]);
    const auto algbw = tests_number(cells[columns.algbw - blank]);
    const auto busbw = tests_number(cells[columns.busbw - blank]);
    if (!bytes || !time_us || !algbw || !busbw) continue;
    TestsRow& row = out.rows.emplace_back(TestsRow{*bytes, *time_us, *algbw, *busbw, {}});
    if (columns.wrong > blank && columns.wrong - blank < cells.size())
      row.wrong = tests_number(cells[columns.wrong - blank]);
  }
  return out;
}

}  // namespace nettune::nccl_log
