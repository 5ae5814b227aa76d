// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "advise/readers.hpp"
#include "base/text.hpp"

namespace nettune::advise {

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

std::vector<double> sizes_of(const DdpLog& log, const char* name) {
  std::vector<double> sizes;
  const auto found = log.find(name);
  if (found == log.end()) return sizes;
  for (const std::string_view part : split(found->second, ','))
    if (const auto size = parse_int(trim(part)); size && *size > 0)
      sizes.push_back(static_cast<double>(*size));
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

void take_ddp_log(const DdpLog& log, const std::string& from, Job& job) {
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto found = log.find(name);
    const auto value = found == log.end() ? std::nullopt : parse_int(found->second);
    if (!value || *value <= 0) return {};
    return static_cast<double>(*value);
  };
  const auto seconds = [&](const char* name) -> std::optional<Known> {
    const auto value = number(name);
    if (!value) return {};
    return Known{*value * 1e-9, from};
  };
  if (const auto forward = seconds("avg_forward_compute_time")) job.forward_s = forward;
  if (const auto backward = seconds("avg_backward_compute_time")) {
    job.backward_s = backward;
    job.measured_in_job = true;
  }
  const auto communication = seconds("avg_backward_comm_time");
  const auto overlap = seconds("avg_backward_compute_comm_overlap_time");
  if (communication && overlap)
    job.exposed_s = Known{std::max(0.0, communication->value - overlap->value), from};
  // All steps except the first use the rebuilt buckets.
  for (const char* const name : {"rebuilt_bucket_sizes", "bucket_sizes"}) {
    if (job.buckets_from == from) break;
    if (std::vector<double> sizes = sizes_of(log, name); !sizes.empty()) {
      job.buckets = std::move(sizes);
      job.buckets_from = from;
    }
  }
  if (const auto cap = number("bucket_cap_bytes")) job.bucket_cap = *cap;
  if (const auto ranks = number("world_size")) job.ranks = Known{*ranks, from};
  if (const auto backend = log.find("backend_name"); backend != log.end())
    job.backend = backend_named(backend->second);
  const auto rank = log.find("rank");
  const auto rank_number = rank == log.end() ? std::nullopt : parse_int(rank->second);
  if (rank_number && *rank_number >= 0 && *rank_number < 1'000'000 && job.backward_s) {
    const double forward = number("avg_forward_compute_time").value_or(0) * 1e-9;
    const RankCompute own{static_cast<int>(*rank_number), forward + job.backward_s->value, forward};
    std::erase_if(job.by_rank, [&](const RankCompute& one) { return one.rank == own.rank; });
    job.by_rank.push_back(own);
  }
  job.find_unused = job.find_unused || number("find_unused_parameters").has_value();
  const auto dtypes = log.find("dtypes");
  if (dtypes != log.end() && (dtypes->second.find("Half") != std::string::npos ||
                              dtypes->second.find("BFloat16") != std::string::npos))
    job.bytes_per_element = 2;
  const auto hook = log.find("comm_hook");
  if (hook != log.end() && hook->second.find("16") != std::string::npos) job.bytes_per_element = 2;
}

Result<double> parse_bytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits = {{
      {"", 1},
      {"K", 1e3},
      {"M", 1e6},
      {"G", 1e9},
      {"Ki", 1024.0},
      {"Mi", 1048576.0},
      {"Gi", 1073741824.0},
  }};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.ends_with('B')) unit.remove_suffix(1);
  const auto found = std::ranges::find(kUnits, unit, [](const auto& one) { return one.first; });
  if (error != std::errc() || found == kUnits.end() || !(value > 0))
    return fail(Errc::invalid, cat("\"", printable(text),
                                   "\" is not a number of bytes; write 102M, "
                                   "1.4G, 97Mi or 46758048"));
  return value * found->second;
}

}  // namespace nettune::advise
