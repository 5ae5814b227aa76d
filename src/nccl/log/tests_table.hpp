// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::nccl_log {

/// One size of the table that nccl-tests prints, from its first half (out of place).
struct TestsRow {
  double bytes = 0;
  double time_us = 0;
  double algbw = 0;             ///< GB/s, as all bandwidths of nccl-tests
  double busbw = 0;             ///< GB/s
  std::optional<double> wrong;  ///< values that were wrong; nothing where none were checked
};

struct TestsTable {
  std::vector<TestsRow> rows;  ///< empty: the text has no such table
  int ranks = 0;               ///< lines "# Rank"; 0: there is none
  std::set<std::string> hosts = {};
};

/// What nccl-tests or the package's all_reduce.py printed. Other lines may be in between.
TestsTable read_tests_table(std::string_view text);

/// What the rows of a table say together.
struct TestsSummary {
  std::size_t tables = 0;
  std::size_t rows = 0;
  double busbw = 0;  ///< the highest of them
  std::string size;  ///< of that row, in bytes
  bool in_place = false;
  bool is_checked = true;  ///< of all rows the number of wrong values is there
  bool has_wrong = false;
  std::string average;  ///< "84.8558", as the line below the table says it
};

/// Follows the table of nccl-tests line by line, with whatever a launcher puts in front of it.
class WrongRows {
 public:
  /// True for a row in which values were wrong. Other lines may be in between.
  bool take(std::string_view line, TestsSummary& into);
  /// A table has begun, and not ended.
  bool waits() const { return columns_ != 0; }
  void clear() { columns_ = 0; }

 private:
  void add_row(const std::vector<std::string_view>& cells, TestsSummary& into) const;

  std::size_t columns_ = 0;         ///< of the header
  std::vector<std::size_t> wrong_;  ///< columns "#wrong", counted from the last one
};

/// A finite number and nothing else.
std::optional<double> tests_number(std::string_view text);

}  // namespace nettune::nccl_log
