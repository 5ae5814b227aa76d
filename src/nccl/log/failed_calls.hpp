// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "nccl/log/events.hpp"
#include "nccl/log/log.hpp"

namespace nettune::nccl_log {

/// Reads how NCCL gives a failure back from call to call, "init.cc:867 -> 5": mostly because of the
/// warning before.
class FailedCalls {
 public:
  FailedCalls(Log& log, Events& events) : log_(log), events_(events) {}

  /// A message of NCCL. 7 is "in progress", and no error.
  static bool is_one(std::string_view message);
  void take(std::uint32_t process, std::string_view message);
  /// Lines without a prefix may follow a warning that had none: people copy NCCL's lines so.
  void expect_bare(bool may_follow) { bare_ = may_follow; }
  /// Such a line. True: it is one, or nothing.
  bool take_bare(std::string_view line, std::uint32_t unnamed);
  bool waits() const { return bare_; }

 private:
  Log& log_;
  Events& events_;
  bool bare_ = false;
};

}  // namespace nettune::nccl_log
