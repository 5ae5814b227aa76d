// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/nccl/log/events.hpp"

namespace nettune::tools::nccl::log::job {

/// Joins an error of PyTorch's ProcessGroupNCCL that a terminal broke:
/// "[rank6]:[E429 ... ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 6]
/// ProcessGroupNCCL'" and "s watchdog got stuck for 480 seconds ..." (om-ai-lab/VLM-R1 issue 257).
class BrokenGroupLine {
 public:
  explicit BrokenGroupLine(const Events& events) : events_(events) {}

  /// Keeps `line`, of which no cause is known, where it is such an error.
  void begin(std::string_view line, std::uint64_t at);
  /// Line `at` with the one before it, where that says what neither line says alone, or the latter
  /// where it is of ProcessGroupNCCL by its own words; else "".
  std::string join(std::string_view line, std::uint64_t at);
  bool waits() const { return !text_.empty(); }
  /// Where the line began that join() gave.
  std::uint64_t line() const { return line_; }
  void clear() { text_.clear(); }

 private:
  const Events& events_;
  std::string text_;
  std::uint64_t line_ = 0;
};

/// When such a line was printed, as Event::clock; 0 where it has no time.
std::uint32_t clock_of_group_line(std::string_view line);

/// In what two ranks differ that make the same call as the same one in the order: "rank 1:
/// TensorShape=[4, 2]; rank 2: TensorShape=[4, 3]". "" where it is not the same call, or not shown.
std::string same_call_difference(std::string_view line);

}  // namespace nettune::tools::nccl::log::job
