// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "advise/job.hpp"
#include "base/result.hpp"

namespace nettune::advise {

/// What all_reduce_perf printed.
struct NcclTests {
  TimeTable table;
  int ranks = 0;  ///< 0: it does not show
  bool is_one_node = false;
};
bool is_nccl_tests(std::string_view text);
/// Errors: invalid, for a log without results, and for one of another collective.
Result<NcclTests> read_nccl_tests(std::string_view text);

/// DDP's logging data by their names (torch/csrc/distributed/c10d/logger.cpp), out of a JSON object
/// or of the lines of a log.
using DdpLog = std::map<std::string, std::string>;
/// "" names of none.
DdpLog read_ddp_lines(std::string_view text);
bool is_ddp_log(const DdpLog& log);
/// Adds what it says to `job`.
void take_ddp_log(const DdpLog& log, const std::string& from, Job& job);

/// What the snippet's loop wrote: {"ranks": 8, "backend": "nccl", "all_reduce": [[bytes, seconds],
/// ...]}. False: it is none.
bool take_all_reduce(const std::map<std::string, std::string>& scalars,
                     const std::vector<double>& numbers, const std::string& from, Job& job);

/// Results of `nettune test --json`, a document each. False: there is none of a bandwidth among
/// them.
bool take_test_results(const std::vector<std::map<std::string, std::string>>& results,
                       const std::string& from, Job& job);

/// "102M", "1.4G", "46758048": bytes, with decimal prefixes as people count parameters, or Ki, Mi,
/// Gi.
Result<double> parse_bytes(std::string_view text);

}  // namespace nettune::advise
