// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor {

/// How long ago the lines of a log were written. In a recording without the node's uptime, the last
/// line of the log stands for now. A line without a time is new.
class LogAges {
 public:
  explicit LogAges(const KernelLog& log);
  /// `hours` 0: no line is.
  bool is_older(const LogLine& line, std::int64_t hours) const;
  /// " (3 h ago)"; "" for a line that is new.
  std::string text(const LogLine& line) const;

 private:
  double age_s(const LogLine& line) const;

  std::optional<double> now_s_;
  bool is_now_;
};

}  // namespace nettune::tools::doctor
