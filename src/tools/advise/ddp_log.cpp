// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/advise/plausible.hpp"
#include "tools/advise/readers.hpp"

namespace nettune::tools::advise {

namespace {

constexpr std::array<std::string_view, 14> kNames = {
    "avg_forward_compute_time",
    "avg_backward_compute_time",
    "avg_backward_comm_time",
    "avg_backward_compute_comm_overlap_time",
    "bucket_sizes",
    "rebuilt_bucket_sizes",
    "bucket_cap_bytes",
    "world_size",
    "find_unused_parameters",
    "total_parameter_size_bytes",
    "dtypes",
    "comm_hook",
    "backend_name",
    "rank",
};

/// The names in the output of operator<<(ostream&, const Logger&).
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPrinted = {{
    {"Avg forward compute time", "avg_forward_compute_time"},
    {"Avg backward compute time", "avg_backward_compute_time"},
    {"Avg backward comm. time", "avg_backward_comm_time"},
    {"Avg backward comm/comp overlap time", "avg_backward_compute_comm_overlap_time"},
}};

std::string_view name_at_end(std::string_view before) {
  for (const auto& [printed, name] : kPrinted)
    if (before.ends_with(printed)) return name;
  const auto known = std::ranges::find(kNames, words(before).empty() ? "" : words(before).back());
  return known == kNames.end() ? std::string_view() : *known;
}

/// "[Rank 0 / 8]"
void take_rank(std::string_view line, DdpLog& log) {
  const auto at = line.find("[Rank ");
  if (at == std::string_view::npos) return;
  const std::vector<std::string_view> cells = words(line.substr(at + 6));
  if (cells.size() < 3 || cells[1] != "/") return;
  log["rank"] = cells[0];
  log["world_size"] = cells[2].substr(0, cells[2].find(']'));
}

/// Nothing for a name that is not there, and for a value that is no number above 0: DDP writes 0
/// for what it has not measured.
std::optional<double> number_above_0(const DdpLog& log, std::string_view name) {
  const auto found = log.find(std::string(name));
  const auto value = found == log.end() ? std::nullopt : read_number(found->second);
  return value && *value > 0 ? value : std::nullopt;
}

Result<std::optional<double>> seconds_of(const DdpLog& log, std::string_view name) {
  const auto value = number_above_0(log, name);
  if (!value) return std::optional<double>();
  TRY_ASSIGN(const double seconds, plausible_time(name, *value, TimeUnit::nanoseconds));
  return std::optional(seconds);
}

Result<std::vector<double>> sizes_of(const DdpLog& log, std::string_view name) {
  std::vector<double> sizes;
  const auto found = log.find(std::string(name));
  if (found == log.end()) return sizes;
  double sum = 0;
  for (const std::string_view part : split(found->second, ','))
    if (const auto size = read_number(trim(part)); size && *size > 0) {
      sum += *size;
      sizes.push_back(*size);
    }
  TRY(plausible_bytes(cat("the sum of ", name), sum));
  return sizes;
}

}  // namespace

DdpLog read_ddp_lines(std::string_view text) {
  DdpLog log;
  for (const std::string_view line : split(text, '\n')) {
    take_rank(line, log);
    for (auto colon = line.find(": "); colon != std::string_view::npos;
         colon = line.find(": ", colon + 1)) {
      const std::string_view name = name_at_end(line.substr(0, colon));
      // The last value in a log counts: averages converge.
      if (!name.empty()) log[std::string(name)] = trim(line.substr(colon + 2));
    }
  }
  return log;
}

bool is_ddp_log(const DdpLog& log) {
  return log.contains("avg_backward_compute_time") || log.contains("bucket_sizes") ||
         log.contains("rebuilt_bucket_sizes");
}

Result<> take_ddp_log(const DdpLog& log, const std::string& from, Job& job) {
  TRY_ASSIGN(const auto forward, seconds_of(log, "avg_forward_compute_time"));
  TRY_ASSIGN(const auto backward, seconds_of(log, "avg_backward_compute_time"));
  TRY_ASSIGN(const auto communication, seconds_of(log, "avg_backward_comm_time"));
  TRY_ASSIGN(const auto overlap, seconds_of(log, "avg_backward_compute_comm_overlap_time"));
  if (forward) job.forward_s = Known{*forward, from};
  if (backward) {
    job.backward_s = Known{*backward, from};
    job.measured_in_job = true;
  }
  if (communication) job.communication_s = Known{*communication, from};
  if (communication && overlap)
    job.exposed_s = Known{std::max(0.0, *communication - *overlap), from};
  // All steps except the first use the rebuilt buckets.
  for (const char* const name : {"rebuilt_bucket_sizes", "bucket_sizes"}) {
    if (job.buckets_from == from) break;
    TRY_ASSIGN(std::vector<double> sizes, sizes_of(log, name));
    if (sizes.empty()) continue;
    job.buckets = std::move(sizes);
    job.buckets_from = from;
  }
  if (const auto cap = number_above_0(log, "bucket_cap_bytes")) {
    TRY_ASSIGN(job.bucket_cap, plausible_bytes("bucket_cap_bytes", *cap));
  }
  if (const auto ranks = number_above_0(log, "world_size")) {
    TRY_ASSIGN(const int count, plausible_ranks("world_size", *ranks));
    job.ranks = Known{static_cast<double>(count), from};
  }
  if (const auto backend = log.find("backend_name"); backend != log.end())
    job.backend = backend_named(backend->second);
  const auto rank = log.find("rank");
  const auto rank_number = rank == log.end() ? std::nullopt : read_number(rank->second);
  if (rank_number && *rank_number >= 0 && job.backward_s) {
    TRY_ASSIGN(const int number, plausible_ranks("rank", *rank_number));
    const RankCompute own{number, forward.value_or(0) + job.backward_s->value, forward.value_or(0)};
    std::erase_if(job.by_rank, [&](const RankCompute& one) { return one.rank == own.rank; });
    job.by_rank.push_back(own);
  }
  job.find_unused = job.find_unused || number_above_0(log, "find_unused_parameters").has_value();
  const auto dtypes = log.find("dtypes");
  if (dtypes != log.end() && (dtypes->second.find("Half") != std::string::npos ||
                              dtypes->second.find("BFloat16") != std::string::npos))
    job.bytes_per_element = 2;
  const auto hook = log.find("comm_hook");
  if (hook != log.end() && hook->second.find("16") != std::string::npos) job.bytes_per_element = 2;
  return {};
}

}  // namespace nettune::tools::advise
