// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/nccl/log/events.hpp"
#include "tools/nccl/log/job/crash_trace.hpp"

namespace nettune::tools::nccl::log::job {

/// What Open MPI and UCX print of a process that crashed: in NCCL, or in what NCCL had called, is
/// more than that it crashed.
class Crashes {
 public:
  Crashes(Log& log, Position& position, Events& events)
      : log_(log), position_(position), events_(events) {}

  /// True: no more is to be said of the line.
  bool take(std::string_view line);
  bool waits() const { return traces_.waits(); }
  void end_file();

 private:
  void take_trace(const CrashTraces::Found& crash, std::string_view line);

  Log& log_;
  Position& position_;
  Events& events_;
  CrashTraces traces_;
  std::string signal_;             ///< Open MPI's line about a signal that is not named yet
  std::uint64_t signal_line_ = 0;  ///< where that is in the file
};

}  // namespace nettune::tools::nccl::log::job
