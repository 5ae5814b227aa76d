// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/advise/plausible.hpp"
#include "tools/advise/readers.hpp"

namespace nettune::tools::advise {

namespace {

using Fields = std::map<std::string, std::string>;

std::string_view field(const Fields& result, const char* name) {
  const auto found = result.find(name);
  return found == result.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<double> field_number(const Fields& result, const char* name) {
  return read_number(field(result, name));
}

/// The all-reduces that ran together: one table for each backend and number of ranks.
class TestTables {
 public:
  Result<> take(const Fields& result) {
    // "null" where it did not fail.
    if (const std::string_view error = field(result, "error"); !error.empty() && error != "null") {
      error_ = error;
      return {};
    }
    const auto bytes = field_number(result, "bytes");
    const auto time_us = field_number(result, "time_us");
    const auto ranks = field_number(result, "ranks");
    if (!bytes || !time_us || !ranks) return {};
    TRY_ASSIGN(const double size, plausible_bytes("bytes", *bytes));
    TRY_ASSIGN(const double seconds, plausible_time("time_us", *time_us, TimeUnit::microseconds));
    TRY_ASSIGN(const int count, plausible_ranks("ranks", *ranks));
    if (const auto wrong = field_number(result, "wrong"); wrong && *wrong > 0)
      return fail(Errc::invalid,
                  cat("says that ", whole(*wrong), " values of the sum of ", whole(size),
                      " bytes are wrong: its times are of no use, and neither is the network; see "
                      "nettune nccl explain and nettune doctor"));
    // An all-reduce of one rank sends nothing.
    if (count < 2) return {};
    Run& run = runs_[{std::string(field(result, "transport")), count}];
    run.points.push_back({size, seconds});
    const std::string_view host = field(result, "from.host");
    run.is_one_node = run.is_one_node && !host.empty() && host == field(result, "to.host");
    return {};
  }

  /// False if there was none.
  Result<bool> add_to(Job& job, const std::string& from) {
    bool any = false;
    for (auto& [what, run] : runs_) {
      MeasuredTable measured{backend_named(what.first), TimeTable(std::move(run.points)),
                             what.second, run.is_one_node, from};
      if (measured.table.empty()) continue;
      job.tables.push_back(std::move(measured));
      any = true;
    }
    if (!any && !error_.empty())
      return fail(Errc::invalid, cat("has an all-reduce that failed, and none that did not: ",
                                     printable(error_), "; measure it again"));
    if (!error_.empty())
      job.notes.push_back(
          cat(from, ": an all-reduce failed: ", error_, "; the sizes behind it are missing"));
    return any;
  }

 private:
  struct Run {
    std::vector<TimeTable::Point> points;
    bool is_one_node = true;
  };
  std::map<std::pair<std::string, int>, Run> runs_;
  std::string error_;
};

/// A ring waits for its slowest path.
Result<> take_path(const Fields& result, Path& path) {
  constexpr double kMostGbps = 1e6;
  constexpr double kLeastGbps = 1e-6;
  if (const auto gbps = field_number(result, "gbps"); gbps && *gbps > 0) {
    if (*gbps > kMostGbps)
      return fail(Errc::invalid, cat("gbps is ", significant(*gbps, 6),
                                     ": as Gb/s that is faster than any path; in bits it would be ",
                                     significant(*gbps / 1e9, 6), " Gb/s; measure it again"));
    if (*gbps < kLeastGbps)
      return fail(Errc::invalid, cat("gbps is ", significant(*gbps, 6),
                                     ": as Gb/s that is less than 1 kb/s; measure it again"));
    const double bytes = *gbps * 1e9 / 8;
    path.bytes_per_s = path.bytes_per_s > 0 ? std::min(path.bytes_per_s, bytes) : bytes;
  }
  if (const auto time = field_number(result, "round_trip_us.p50")) {
    TRY_ASSIGN(const double seconds,
               plausible_time("round_trip_us.p50", *time, TimeUnit::microseconds));
    path.round_trip_s = std::max(path.round_trip_s, seconds);
  }
  return {};
}

}  // namespace

Result<bool> take_test_results(const std::vector<Fields>& results, const std::string& from,
                               Job& job) {
  Path path;
  TestTables tables;
  std::set<std::string> others;  // collectives that the model of DDP does not have
  for (const Fields& result : results) {
    if (field(result, "kind") != "test") continue;
    if (field(result, "test") == "all-reduce") {
      TRY(tables.take(result));
    } else if (result.contains("time_us")) {
      others.emplace(field(result, "test"));
    } else {
      TRY(take_path(result, path));
    }
  }
  TRY_ASSIGN(const bool has_tables, tables.add_to(job, from));
  const std::string not_used = cat(join(std::vector(others.begin(), others.end()), ", "),
                                   ": not used, as only DDP is modelled, by its all-reduce");
  if (!others.empty() && !has_tables && path.bytes_per_s <= 0)
    return fail(Errc::invalid, cat("has no all-reduce; ", printable(not_used),
                                   "; measure it with nettune test --nccl --json"));
  if (!others.empty()) job.notes.push_back(cat(from, " has ", not_used));
  if (path.bytes_per_s <= 0) return has_tables;
  job.path = path;
  job.path_from = from;
  return true;
}

}  // namespace nettune::tools::advise
