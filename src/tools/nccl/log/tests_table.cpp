// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/tests_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "base/text.hpp"

namespace nettune::tools::nccl::log {
namespace {

/// Where the first "time", "algbw", "busbw" and "#wrong" are in the heading; with "root" they are
/// one further right (nccl-tests 2.10 and later). Before 2.10 "error" is in the place of "#wrong".
struct Columns {
  std::size_t operation = 3;
  std::size_t root = 0;  ///< 0: there is none
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
  Columns columns{place("redop"), place("root"),   place("time"), place("algbw"),
                  place("busbw"), place("#wrong"), names.size()};
  if (std::max({columns.time, columns.algbw, columns.busbw}) >= names.size()) return {};
  for (std::size_t* const one : {&columns.wrong, &columns.root})
    if (*one == names.size()) *one = 0;
  return columns;
}

/// "all_reduce_perf" of a line that names a program of nccl-tests; "" for others.
std::string test_named(std::string_view line) {
  static constexpr std::string_view kEnd = "_perf";
  static constexpr std::string_view kTests[] = {
      "all_gather", "all_reduce", "alltoall",       "alltoallv", "broadcast", "gather",
      "hypercube",  "reduce",     "reduce_scatter", "scatter",   "sendrecv"};
  constexpr std::size_t kLongestTest = 15;  // one more than the longest of them
  for (auto end = line.find(kEnd); end != line.npos; end = line.find(kEnd, end + 1)) {
    std::string_view name =
        line.substr(end - std::min(end, kLongestTest), std::min(end, kLongestTest));
    const auto before = name.find_last_not_of("abcdefghijklmnopqrstuvwxyz_");
    if (before != name.npos) name.remove_prefix(before + 1);
    if (std::ranges::find(kTests, name) != std::end(kTests)) return cat(name, kEnd);
  }
  return {};
}

/// Of a line that may be anything.
std::string_view short_text(std::string_view text) {
  constexpr std::size_t kLongestPart = 64;
  return trim(text.substr(0, kLongestPart));
}

bool is_count(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789") == cell.npos;
}

bool is_word(std::string_view cell) {
  return !cell.empty() &&
         ((cell[0] >= 'a' && cell[0] <= 'z') || (cell[0] >= 'A' && cell[0] <= 'Z'));
}

/// What a launcher wrote in front without a blank is left out: "[1,0]<stdout>:8192".
std::string_view after_label(std::string_view cell) { return cell.substr(cell.rfind(':') + 1); }

/// Where size, count and type are; the number of cells for nowhere.
std::size_t begin_of_row(const std::vector<std::string_view>& cells) {
  for (std::size_t i = 0; i + 2 < cells.size(); ++i)
    if (is_count(after_label(cells[i])) && is_count(cells[i + 1]) && is_tests_type(cells[i + 2]))
      return i;
  return cells.size();
}

/// Sizes and counts are integers from 0 to what a double holds exactly; everything else is finite.
bool is_beyond(std::string_view cell, bool is_integer) {
  constexpr double kLargestInteger = 9007199254740992;
  const auto number = read_number(cell);
  if (!number) return false;
  return is_integer ? *number < 0 || *number > kLargestInteger : std::isinf(*number);
}

/// Both halves are about the same number of bytes: time and bandwidth fit, as far as their digits
/// say.
template <typename Halves>
bool is_one_size(const Halves& halves) {
  constexpr double kDigits = 0.006;
  constexpr double kOfTime = 0.01;
  if (halves[0].time.empty() || halves[1].time.empty()) return false;
  std::array<double, 2> least{};
  std::array<double, 2> most{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double time = *tests_number(halves[i].time);
    const double algbw = *tests_number(halves[i].algbw);
    if (time <= 0 || algbw < 0) return false;
    least[i] = (algbw - kDigits) * time * (1 - kOfTime);
    most[i] = (algbw + kDigits) * time * (1 + kOfTime);
  }
  return least[0] <= most[1] && least[1] <= most[0];
}

}  // namespace

bool is_tests_type(std::string_view cell) {
  static constexpr std::string_view kTypes[] = {
      "int8",   "uint8",    "int32",    "uint32",   "int64",  "uint64", "half", "float",
      "double", "bfloat16", "fp8_e4m3", "fp8_e5m2", "f8e4m3", "f8e5m2", "char", "int"};
  return std::ranges::find(kTypes, cell) != std::end(kTypes);
}

std::optional<double> tests_number(std::string_view text) {
  const auto value = read_number(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

void TestsOutput::begin_file() {
  columns_.clear();
  state_ = State::none;
  name_.clear();
  said_ = many_ = false;
  listing_.begin_file();
}

/// "# Collective test starting: all_reduce_perf_mpi", or the command that was typed.
void TestsOutput::take_name(std::string_view line) {
  static constexpr std::string_view kStarts = "# Collective test starting: ";
  if (const auto at = line.find(kStarts); at != line.npos) {
    name_ = short_text(line.substr(at + kStarts.size()));
    said_ = true;
    return;
  }
  const std::string name = test_named(line);
  if (name.empty() || said_ || line.find("Collective test concluded") != line.npos) return;
  many_ = many_ || (!name_.empty() && name_ != name);
  name_ = name;
}

TestsResult* TestsOutput::result(TestsSummary& into) {
  constexpr std::size_t kMostTables = 16;
  if (state_ == State::none) {
    state_ = into.results.size() < kMostTables ? State::open : State::skipped;
    if (state_ == State::skipped)
      ++into.more;
    else
      into.results.emplace_back().name = many_ ? std::string() : name_;
    name_.clear();
    said_ = many_ = false;
  }
  return state_ == State::open && !into.results.empty() ? &into.results.back() : nullptr;
}

bool TestsOutput::take_heading(std::string_view line, TestsSummary& into) {
  if (line.find("busbw") == line.npos) return false;
  std::vector<std::string_view> names = words(line);
  const auto size = std::ranges::find(names, "size");
  constexpr std::size_t kMostColumns = 32;
  if (names.size() > kMostColumns || names.end() - size < 7 || *(size + 1) != "count" ||
      *(size + 2) != "type")
    return false;
  names.erase(names.begin(), size + 3);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  if (!has("time") || !has("algbw") || !has("busbw")) return false;
  if (!has("#wrong") && !has("error")) return false;
  listing_.end(into.ranks);
  // Without a row in between they are of several programs at once.
  const bool goes_on = state_ == State::open && !into.results.empty() &&
                       into.results.back().rows == 0 && into.results.back().headings != 0 &&
                       into.results.back().averages.empty();
  if (!goes_on) state_ = State::none;
  columns_.assign(names.begin(), names.end());
  others_ = 0;
  counts_wrong_ = has("#wrong");
  if (TestsResult* const one = result(into)) ++one->headings;
  return true;
}

void TestsOutput::take_average(std::string_view line, TestsSummary& into) {
  constexpr std::size_t kMostAverages = 4;
  static constexpr std::string_view kAverage = "Avg bus bandwidth    : ";
  columns_.clear();
  const auto at = line.find(kAverage);
  const std::string_view number =
      at == line.npos ? std::string_view() : short_text(line.substr(at + kAverage.size()));
  if (!tests_number(number)) return;
  TestsResult* const one = result(into);
  if (one != nullptr && one->averages.size() < kMostAverages) one->averages.emplace_back(number);
  // Of tables that are mixed, the averages of the others may follow.
  if (one == nullptr || one->averages.size() >= one->headings) state_ = State::none;
}

std::optional<TestsOutput::Row> TestsOutput::row_of(
    const std::vector<std::string_view>& cells) const {
  static const std::vector<std::string> kHalf = {"time", "algbw", "busbw", "#wrong"};
  const std::size_t begin = begin_of_row(cells);
  if (begin == cells.size()) return {};
  std::vector<std::string> names(columns_);
  std::size_t at = begin + 3;
  if (names.empty()) {
    // Without its heading a row is one by what it has: nothing more, and nothing less.
    const std::size_t operation = at < cells.size() && is_word(cells[at]) ? 1 : 0;
    const std::size_t numbers = cells.size() - at - operation;
    if (operation != 0) names.emplace_back("redop");
    if (numbers == 9) names.emplace_back("root");
    if (numbers != 8 && numbers != 9) return {};
    for (int half = 0; half < 2; ++half) names.insert(names.end(), kHalf.begin(), kHalf.end());
  }
  Row row{after_label(cells[begin]), {}};
  std::array<std::array<std::string_view, 4>, 2> found;
  std::size_t half = found.size();
  std::size_t taken = 0;
  for (const std::string& name : names) {
    if (at == cells.size()) break;
    // An operation that is not there (all-to-all before 2.10) leaves its column blank.
    if (name == "redop" && !is_word(cells[at])) continue;
    if (name == "time") half = half == found.size() ? 0 : half + 1;
    const auto place = std::ranges::find(kHalf, name == "error" ? "#wrong" : name);
    if (half < found.size() && place != kHalf.end())
      found[half][static_cast<std::size_t>(place - kHalf.begin())] = cells[at];
    taken = static_cast<std::size_t>(&name - names.data()) + 1;
    ++at;
  }
  // The last cell of a row that is cut may be cut itself.
  const bool is_whole = taken == names.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [time, algbw, busbw, wrong] = found[i];
    if (!tests_number(time) || !tests_number(algbw) || !tests_number(busbw)) continue;
    if (!tests_number(wrong) && wrong != "N/A") continue;
    if (!is_whole && wrong.data() == cells.back().data()) continue;
    row.halves[i] = {time, algbw, busbw, wrong};
  }
  if (columns_.empty() && !is_one_size(row.halves)) return {};
  if (row.halves[0].time.empty() && row.halves[1].time.empty()) return {};
  return row;
}

bool TestsOutput::take(std::string_view line, TestsSummary& into) {
  static constexpr std::string_view kBounds = "Out of bounds values";
  take_name(line);
  listing_.take(line, into.ranks);
  if (take_heading(line, into)) return false;
  if (const auto at = line.find(kBounds); at != line.npos) {
    columns_.clear();
    listing_.end_run(true);
    const auto colon = line.find(": ", at);
    if (TestsResult* const one =
            colon == line.npos || state_ == State::none ? nullptr : result(into))
      one->out_of_bounds = short_text(line.substr(colon + 2));
    return false;
  }
  if (line.find("Avg bus bandwidth") != line.npos) {
    take_average(line, into);
    return false;
  }
  if (line.find("# ") != line.npos) return false;
  const std::optional<Row> row = row_of(words(line));
  constexpr unsigned kMostOthers = 4096;
  if (!row && !columns_.empty() && ++others_ > kMostOthers) columns_.clear();
  if (!row) return false;
  others_ = 0;
  if (TestsResult* const one = result(into)) add_row(*row, *one);
  return std::ranges::any_of(row->halves, [&](const Half& half) {
    return !columns_.empty() && counts_wrong_ && is_count(half.wrong) &&
           half.wrong.find_first_not_of('0') != half.wrong.npos;
  });
}

void TestsOutput::add_row(const Row& row, TestsResult& into) {
  ++into.rows;
  const double before = into.largest;
  const double best = into.busbw;
  double busbw_here = 0;
  for (std::size_t i = 0; i < row.halves.size(); ++i) {
    const Half& half = row.halves[i];
    if (half.time.empty()) continue;
    const bool counts = is_count(half.wrong);  // an error is "0e+00"
    into.counts_wrong = into.counts_wrong || counts;
    if (counts && half.wrong.find_first_not_of('0') != half.wrong.npos) into.has_wrong[i] = true;
    ++(half.wrong == "N/A" ? into.unchecked : into.checked)[i];
    const double busbw = *tests_number(half.busbw);
    const double bytes = tests_number(row.bytes).value_or(0);
    if (bytes > into.largest || (bytes == into.largest && busbw > into.largest_busbw)) {
      into.largest = bytes;
      into.largest_busbw = busbw;
      into.largest_text = half.busbw;
    }
    busbw_here = std::max(busbw_here, busbw);
    if (busbw <= into.busbw) continue;
    into.busbw = busbw;
    into.busbw_text = half.busbw;
    into.size = row.bytes;
    into.in_place = i != 0;
  }
  if (into.largest <= before) return;
  if (busbw_here >= kSlow * best)
    into.slow_from.clear();
  else if (into.slow_from.empty())
    into.slow_from = row.bytes;
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
    if (cells.size() + blank <= columns.busbw || blank > 1 || !read_number(cells[0])) continue;
    const bool has_wrong = columns.wrong > blank && columns.wrong - blank < cells.size();
    std::string_view beyond;
    for (const std::size_t column : {columns.time, columns.algbw, columns.busbw})
      if (is_beyond(cells[column - blank], false)) beyond = cells[column - blank];
    if (is_beyond(cells[0], true)) beyond = cells[0];
    if (has_wrong && is_beyond(cells[columns.wrong - blank], true))
      beyond = cells[columns.wrong - blank];
    if (!beyond.empty()) {
      out.beyond = short_text(beyond);
      continue;
    }
    const auto bytes = tests_number(cells[0]);
    const auto time_us = tests_number(cells[columns.time - blank]);
    const auto algbw = tests_number(cells[columns.algbw - blank]);
    const auto busbw = tests_number(cells[columns.busbw - blank]);
    if (!bytes || !time_us || !algbw || !busbw) continue;
    TestsRow& row = out.rows.emplace_back(TestsRow{*bytes, *time_us, *algbw, *busbw, {}});
    row.is_reduction = columns.operation >= cells.size() ||
                       (is_word(cells[columns.operation]) && cells[columns.operation] != "none" &&
                        (columns.root == 0 || blank > 0 || cells[columns.root] == "-1"));
    if (has_wrong) row.wrong = tests_number(cells[columns.wrong - blank]);
  }
  return out;
}

}  // namespace nettune::tools::nccl::log
