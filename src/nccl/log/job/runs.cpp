// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/job/runs.hpp"

#include <utility>

namespace nettune::nccl_log {

void take_run(Log& log, Position& position, std::string_view line) {
  constexpr std::size_t kMostSuccesses = 4096;
  const auto has = [&](std::string_view text) { return line.find(text) != line.npos; };
  const bool is_of_mlperf = has(":::MLLOG {");
  const bool is_of_rank = !is_of_mlperf && has("] Process ") && has(" exits successfully");
  const bool is_success = is_of_mlperf ? has("\"run_stop\"") && has("\"status\": \"success\"")
                                       : is_of_rank || has(" Completed - Training job completed");
  if (is_of_mlperf ? has("\"init_start\"") || has("\"run_start\"")
                   : (has("] process ") && has(" spawned with command: ")) ||
                         has(" Starting - Starting the training job")) {
    begin_run(log, position.file(), position.line());
    log.run_begins.emplace(position.file(), position.line());
  }
  if (!is_success) return;
  const bool is_known = !log.successes.empty() && log.successes.back().file == position.file() &&
                        log.successes.back().until == UINT64_MAX;
  if (is_known && is_of_rank) ++log.successes.back().count;
  if (!is_known && log.successes.size() < kMostSuccesses)
    log.successes.push_back({position.file(), position.line(), UINT64_MAX, is_of_rank,
                             std::exchange(log.run_begins[position.file()], 0)});
  log.run_begins.erase(position.file());
}

}  // namespace nettune::nccl_log
