// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tools/advise/job.hpp"

namespace nettune::tools::advise {

/// The output of all_reduce_perf.
struct NcclTests {
  TimeTable table;
  int ranks = 0;  ///< 0: not known
  bool is_one_node = false;
};
bool is_nccl_tests(std::string_view text);
/// Errors: invalid for a log without results, of another collective, or with a number that no job
/// has.
Result<NcclTests> read_nccl_tests(std::string_view text);

/// DDP's logging data by name (torch/csrc/distributed/c10d/logger.cpp), from a JSON object or the
/// lines of a log.
using DdpLog = std::map<std::string, std::string>;
/// Empty if there are none.
DdpLog read_ddp_lines(std::string_view text);
bool is_ddp_log(const DdpLog& log);
/// Adds it to `job`. Errors: invalid for a number that no job has.
Result<> take_ddp_log(const DdpLog& log, const std::string& from, Job& job);

/// Reads the output of the snippet's loop: {"ranks": 8, "backend": "nccl", "all_reduce": [[bytes,
/// seconds], ...]}. False for anything else. Errors: invalid for a number that no job has.
Result<bool> take_all_reduce(const std::map<std::string, std::string>& scalars,
                             const std::vector<double>& numbers, const std::string& from, Job& job);

/// Reads results of `nettune test --json`, a document each: all-reduces of `--nccl` as tables, and
/// bandwidths as a path. False if there are none. Errors: invalid for a number that no job has, for
/// all-reduces whose sum was wrong, and for an all-reduce that failed.
Result<bool> take_test_results(const std::vector<std::map<std::string, std::string>>& results,
                               const std::string& from, Job& job);

}  // namespace nettune::tools::advise
