// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/job/runs.hpp"

namespace nettune::nccl_log {

void take_run(Log& log, Position& position, std::string_view line) {
  constexpr std::size_t kMostSuccesses = 4096;
  const auto has = [&](std::string_view text) { return line.find(text) != line.npos; };
  const bool is_of_mlperf = has(":::MLLOG {");
  const bool is_of_rank = !is_of_mlperf && has("] Process ") && has(" exits successfully");
  if (is_of_mlperf ? has("\"init_start\"") || has("\"run_start\"")
                   : has("] process ") && has(" spawned with command: "))
    begin_run(log, position.file(), position.line());
  if (!is_of_rank && (!is_of_mlperf || !has("\"run_stop\"") || !has("\"status\": \"success\"")))
    return;
  const bool is_known = !log.successes.empty() && log.successes.back().file == position.file() &&
                        log.successes.back().until == UINT64_MAX;
  if (!is_known && log.successes.size() < kMostSuccesses)
    log.successes.push_back({position.file(), position.line(), UINT64_MAX, is_of_rank});
}

}  // namespace nettune::nccl_log
