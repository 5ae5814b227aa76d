// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/advise/plausible.hpp"
#include "tools/advise/readers.hpp"
#include "tools/nccl/log/tests_table.hpp"

namespace nettune::tools::advise {

namespace {

/// What one all-reduce of `bytes` took.
Result<TimeTable::Point> plausible_point(double bytes, double took, TimeUnit unit) {
  TRY_ASSIGN(const double size, plausible_bytes("the size of an all-reduce", bytes));
  TRY_ASSIGN(
      const double seconds,
      plausible_time(cat("the time of an all-reduce of ", whole(size), " bytes"), took, unit));
  return TimeTable::Point{size, seconds};
}

// Of nccl-tests in GB/s: below it, two digits say too little.
constexpr double kLeastAlgbw = 0.05;

}  // namespace

bool is_nccl_tests(std::string_view text) {
  return text.find("nThread ") != std::string_view::npos &&
         text.find("algbw") != std::string_view::npos;
}

Result<NcclTests> read_nccl_tests(std::string_view text) {
  const nccl::log::TestsTable read = nccl::log::read_tests_table(text);
  if (!read.beyond.empty())
    return fail(Errc::invalid, cat("has the number ", printable(read.beyond),
                                   ", which no test measures; measure it again"));
  if (read.rows.empty()) return fail(Errc::invalid, "has no nccl-tests result line");
  NcclTests out;
  TRY_ASSIGN(out.ranks, plausible_ranks("the number of lines \"# Rank\"", read.ranks));
  out.is_one_node = read.hosts.size() == 1;
  std::vector<TimeTable::Point> points;
  double ratio = 0;  // bus bandwidth to algorithm bandwidth, of the fastest size
  double fastest = kLeastAlgbw;
  for (const nccl::log::TestsRow& row : read.rows) {
    TRY_ASSIGN(const TimeTable::Point point,
               plausible_point(row.bytes, row.time_us, TimeUnit::microseconds));
    points.push_back(point);
    if (row.algbw >= fastest) {
      fastest = row.algbw;
      ratio = row.busbw / row.algbw;
    }
    if (!row.is_reduction)
      return fail(Errc::invalid,
                  "is not from an all-reduce, judging by its operation and root; run "
                  "all_reduce_perf");
  }
  // doc/PERFORMANCE.md of nccl-tests: 2(n-1)/n for an all-reduce; 1 or less for the others.
  // Both are printed with two digits behind the point.
  const double rounding = 0.01 / fastest;
  const double least = out.ranks > 1 ? 2.0 * (out.ranks - 1) / out.ranks : 1;
  const double most = out.ranks > 1 ? least : 2;
  if (ratio > 0 && (ratio < least - rounding || ratio > most + rounding))
    return fail(Errc::invalid,
                "is not from an all-reduce, judging by its bus bandwidth; run all_reduce_perf");
  if (out.ranks == 0 && ratio > 1 + rounding && ratio < 2 - rounding)
    out.ranks = static_cast<int>(std::lround(2 / (2 - ratio)));
  out.table = TimeTable(std::move(points));
  return out;
}

Result<bool> take_all_reduce(const std::map<std::string, std::string>& scalars,
                             const std::vector<double>& numbers, const std::string& from,
                             Job& job) {
  const auto ranks = scalars.find("ranks");
  const auto count = ranks == scalars.end() ? std::nullopt : read_number(ranks->second);
  if (!count || *count < 2 || numbers.size() < 2 || numbers.size() % 2 != 0) return false;
  TRY_ASSIGN(const int of, plausible_ranks("ranks", *count));
  std::vector<TimeTable::Point> points;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    TRY_ASSIGN(const TimeTable::Point point,
               plausible_point(numbers[i], numbers[i + 1], TimeUnit::seconds));
    points.push_back(point);
  }
  const auto backend = scalars.find("backend");
  MeasuredTable measured{backend == scalars.end() ? "" : backend_named(backend->second),
                         TimeTable(std::move(points)), of, false, from};
  if (measured.table.empty()) return false;
  job.tables.push_back(std::move(measured));
  return true;
}

std::string backend_named(std::string_view text) {
  for (const std::string_view known : {"nccl", "gloo", "mpi", "ucc"})
    if (text == known) return std::string(known);
  return {};
}

void choose_table(Job& job) {
  if (job.tables.empty()) return;
  const auto own = std::ranges::find_if(
      job.tables.rbegin(), job.tables.rend(),
      [&](const MeasuredTable& one) { return !job.backend.empty() && one.backend == job.backend; });
  const MeasuredTable& chosen = own == job.tables.rend() ? job.tables.back() : *own;
  job.table = chosen.table;
  job.table_from = chosen.from;
  job.table_ranks = chosen.ranks;
  job.table_is_one_node = chosen.is_one_node;
  if (job.backend.empty()) job.backend = chosen.backend;
}

void fit_table(Job& job) {
  if (job.table.empty() || !job.ranks || job.ranks->value < 2) return;
  const int ranks = static_cast<int>(job.ranks->value);
  for (MeasuredTable& one : job.tables)
    if (one.ranks > 1 && one.ranks != ranks) {
      one.table = one.table.scaled(one.ranks, ranks);
      one.ranks = ranks;
    }
  if (job.table_ranks > 1 && job.table_ranks != ranks) {
    job.table = job.table.scaled(job.table_ranks, ranks);
    job.table_scaled_from = job.table_ranks;
  }
  job.table_ranks = ranks;
}

void estimate_table(Job& job) {
  if (!job.table.empty() || !job.path || !job.ranks || job.ranks->value < 2) return;
  const double n = job.ranks->value;
  std::vector<TimeTable::Point> points;
  constexpr double kSmallest = 65536;
  constexpr double kLargest = 4e9;
  for (double bytes = kSmallest; bytes < kLargest; bytes *= 2)
    points.push_back({bytes, 2 * (n - 1) * job.path->round_trip_s / 2 +
                                 2 * (n - 1) / n * bytes / job.path->bytes_per_s});
  job.table = TimeTable(std::move(points));
  job.table_from = job.path_from;
  job.table_ranks = static_cast<int>(n);
  job.table_is_estimated = true;
}

}  // namespace nettune::tools::advise
