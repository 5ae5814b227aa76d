// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/nccl/log/events.hpp"
#include "tools/nccl/log/job/torchrun_report.hpp"

namespace nettune::tools::nccl::log::job {

/// Takes torchrun's reports about processes that failed: it lists all of them, and the first one
/// again as the root cause. When one failed it ends the others, and kills those that do not end in
/// time: that is no cause.
class Torchrun {
 public:
  Torchrun(Log& log, Position& position, Events& events)
      : log_(log), position_(position), events_(events) {}

  /// True: no more is to be said of the line.
  bool take(std::string_view line);
  void end_file();

 private:
  bool is_killed(std::string_view line);
  void take_root(Event& event, const TorchrunReport::Failure& failure);
  /// The failures of a report that are not its root cause, behind an event of that.
  void settle(std::uint32_t root);

  Log& log_;
  Position& position_;
  Events& events_;
  TorchrunReport report_;
  std::uint32_t last_ = kNone;  ///< event of the root cause that came last
  bool root_ = false;           ///< in what torchrun calls the root cause
};

}  // namespace nettune::tools::nccl::log::job
