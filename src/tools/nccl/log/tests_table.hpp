// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/log/tests_listing.hpp"

namespace nettune::tools::nccl::log {

/// One size of the table that nccl-tests prints, from its first half (out of place).
struct TestsRow {
  double bytes = 0;
  double time_us = 0;
  double algbw = 0;             ///< GB/s, as all bandwidths of nccl-tests
  double busbw = 0;             ///< GB/s
  std::optional<double> wrong;  ///< values that were wrong; nothing where none were checked
  /// It has an operation ("sum") and no root, as all-reduce and reduce-scatter alone have.
  bool is_reduction = true;
};

struct TestsTable {
  std::vector<TestsRow> rows;  ///< empty: the text has no such table
  int ranks = 0;               ///< lines "# Rank"; 0: there is none
  std::set<std::string> hosts = {};
  /// A cell with a number that no test prints (1e400, or a size that no integer holds); its row is
  /// not among the rows. "" for none.
  std::string beyond = {};
};

/// What nccl-tests or the package's all_reduce.py printed. Other lines may be in between.
TestsTable read_tests_table(std::string_view text);

/// As a share of the best busbw, what is slow for a larger size.
inline constexpr double kSlow = 0.75;

/// What the rows of one table say together.
struct TestsResult {
  std::string name;          ///< "all_reduce_perf"; "" where the log does not say it
  std::size_t headings = 0;  ///< more than one without a row in between: mixed tables
  std::size_t rows = 0;
  double busbw = 0;        ///< the highest of them
  std::string busbw_text;  ///< as the log has it
  std::string size;        ///< of that row, in bytes
  bool in_place = false;
  double largest = 0;        ///< of the sizes, in bytes
  double largest_busbw = 0;  ///< of that size
  std::string largest_text;  ///< the same, as the log has it
  /// The smallest size from which on all larger ones are slower than kSlow of the best before them.
  std::string slow_from;
  bool counts_wrong = false;  ///< it has the number of wrong values; up to 2.9 an error instead
  std::array<bool, 2> has_wrong{};  ///< out of place and in place
  /// Of rows with and without that number, out of place and in place.
  std::array<std::size_t, 2> checked{};
  std::array<std::size_t, 2> unchecked{};
  std::vector<std::string> averages;  ///< "84.8558", as the lines below the table say it; some
  std::string out_of_bounds;          ///< "0 OK", of the line before that
};

/// All tables of a text, and the ranks listed above them.
struct TestsSummary {
  std::vector<TestsResult> results;  ///< the first few
  std::size_t more = 0;              ///< tables behind them
  TestsRanks ranks;
};

/// Follows the tables of nccl-tests line by line, with whatever a launcher puts in front of them.
class TestsOutput {
 public:
  /// True for a row in which values were wrong. Other lines may be in between.
  bool take(std::string_view line, TestsSummary& into);
  /// Somebody says that the run ended.
  void end_run() { listing_.end_run(false); }
  /// A table or a list of ranks has begun, and not ended.
  bool waits() const { return !columns_.empty() || listing_.waits(); }
  void begin_file();
  void end_file(TestsSummary& into) { listing_.end_file(into.ranks); }

 private:
  /// Time and bandwidth of a size, out of place or in place.
  struct Half {
    std::string_view time;
    std::string_view algbw;
    std::string_view busbw;
    std::string_view wrong;
  };
  struct Row {
    std::string_view bytes;
    std::array<Half, 2> halves;  ///< of one that is cut, nothing
  };
  enum class State { none, open, skipped };

  void take_name(std::string_view line);
  bool take_heading(std::string_view line, TestsSummary& into);
  void take_average(std::string_view line, TestsSummary& into);
  /// The table that the line is of, which may begin with it; nullptr where no more are kept.
  TestsResult* result(TestsSummary& into);
  std::optional<Row> row_of(const std::vector<std::string_view>& cells) const;
  static void add_row(const Row& row, TestsResult& into);

  std::vector<std::string> columns_;  ///< of the heading, from "redop" on
  bool counts_wrong_ = false;         ///< "#wrong" is among them
  unsigned others_ = 0;               ///< lines since the last row
  State state_ = State::none;
  std::string name_;   ///< of the test that begins
  bool said_ = false;  ///< it says so itself
  bool many_ = false;  ///< other tests are named as well
  TestsListing listing_;
};

/// A type of values, as nccl-tests names it: "float".
bool is_tests_type(std::string_view cell);

/// A finite number and nothing else.
std::optional<double> tests_number(std::string_view text);

}  // namespace nettune::tools::nccl::log
