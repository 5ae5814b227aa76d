// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// A finite number and nothing else.
std::optional<double> tests_number(std::string_view text);

}  // namespace nettune::nccl_log
