// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::tools::nccl::log::job {

/// Reads what torchrun says of processes that failed:
///
///     Failures:
///     [1]:
///       time      : 2023-06-14_22:36:10
///       host      : node1
///       rank      : 1 (local_rank: 1)
///       exitcode  : -6 (pid: 2385923)
///       error_file: <N/A>
///       traceback : Signal 6 (SIGABRT) received by PID 2385923
///     Root Cause (first observed failure):
///     [0]:
///       ...
class TorchrunReport {
 public:
  struct Failure {
    std::string line;
    std::uint64_t at = 0;  ///< of the file
    std::string name;      ///< "rank 1, pid 2385923 on node1"; "" where the report does not say it
    std::uint32_t rank = UINT32_MAX;  ///< UINT32_MAX where the report does not say it
    std::uint32_t clock = 0;          ///< as Event::clock
    bool is_root = false;
    bool is_ended_by_torchrun = false;  ///< if it is not the root cause
    bool is_of_sigterm = false;  ///< of these, those that still ended when they were asked to
  };

  static bool begins(std::string_view line);
  /// A process of the report, where the line has its exit code.
  std::optional<Failure> take(std::string_view line, std::uint64_t at);
  /// The signal of a process of which the exit code was taken.
  bool says_again(std::string_view line) const;
  /// The line is no more than the heading of the root cause, which follows.
  static bool is_heading(std::string_view line);
  /// What stands below that heading, where the report ends before the exit code; "" for none.
  std::string root_without_code() const;
  /// The line of that heading.
  std::uint64_t heading_line() const { return heading_line_; }
  /// The line with the exit code of the root cause; 0 for none.
  std::uint64_t root_line() const { return root_line_; }
  void clear() { *this = {}; }

  std::vector<Failure> others;  ///< those before the root cause

 private:
  enum class Part { none, failures, root };
  Part part_ = Part::none;
  std::string time_;
  std::string host_;
  std::string rank_;
  std::uint64_t heading_line_ = 0;
  bool is_signal_ = false;
  std::uint64_t root_line_ = 0;
};

}  // namespace nettune::tools::nccl::log::job
