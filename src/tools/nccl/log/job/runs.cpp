// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/runs.hpp"

#include <algorithm>
#include <utility>

#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// "2026-01-02 03:04:05 Starting - Preparing ...": SageMaker says a phase of its job. Its lines and
/// those of the job may be on one.
bool is_phase(std::string_view line, std::string_view phase) {
  constexpr std::string_view kTime = "0000-00-00 00:00:00 ";
  const auto at = line.find(phase);
  if (at == line.npos || at < kTime.size()) return false;
  return std::ranges::equal(
      kTime, line.substr(at - kTime.size(), kTime.size()),
      [](char form, char is) { return form == '0' ? is_digit(is) : is == form; });
}

bool is_begin(std::string_view line) {
  static constexpr std::string_view kPhases[] = {"Starting - ", "Pending - ", "Downloading - ",
                                                 "Training - "};
  const auto has = [&](std::string_view text) { return line.find(text) != line.npos; };
  if (has(":::MLLOG {")) return has("\"init_start\"") || has("\"run_start\"");
  return (has("] process ") && has(" spawned with command: ")) ||
         std::ranges::any_of(kPhases,
                             [&](std::string_view phase) { return is_phase(line, phase); });
}

}  // namespace

void take_run(Log& log, Position& position, std::string_view line) {
  constexpr std::size_t kMostSuccesses = 4096;
  const auto has = [&](std::string_view text) { return line.find(text) != line.npos; };
  const bool is_of_mlperf = has(":::MLLOG {");
  const bool is_of_rank = !is_of_mlperf && has("] Process ") && has(" exits successfully");
  const bool is_success = is_of_mlperf
                              ? has("\"run_stop\"") && has("\"status\": \"success\"")
                              : is_of_rank || is_phase(line, "Completed - Training job completed");
  const bool is_known = !log.successes.empty() && log.successes.back().file == position.file() &&
                        log.successes.back().until == UINT64_MAX;
  if (is_begin(line)) {
    begin_run(log, position.file(), position.line());
    log.run_begins.emplace(position.file(), position.line());
  }
  // Of a job whose begin is not in the log, nor is it known where one before it ended.
  if (is_known && (is_phase(line, "Failed - Training") || is_phase(line, "Stopped - Training")))
    log.successes.pop_back();
  if (!is_success) return;
  if (is_known && is_of_rank) ++log.successes.back().count;
  if (!is_known && log.successes.size() < kMostSuccesses)
    log.successes.push_back({position.file(), position.line(), UINT64_MAX, is_of_rank,
                             std::exchange(log.run_begins[position.file()], 0)});
  log.run_begins.erase(position.file());
}

}  // namespace nettune::tools::nccl::log::job
