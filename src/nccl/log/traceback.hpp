// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::nccl_log {

/// Reads Python's tracebacks, for the exception in their last line:
///
///     Traceback (most recent call last):
///       File "train.py", line 7, in <module>
///     ValueError: text
///
/// Ranks may write between each other where each has something of its own in front.
class Tracebacks {
 public:
  static bool begins(std::string_view line);
  /// "torch.cuda.SomeError: text", or without a text; not of launchers, or of who talked to a
  /// process that ended.
  static bool is_exception(std::string_view line);
  /// Without "Error" or "Exception" in it no line is the last one: it is only counted.
  bool passes(std::string_view line);
  /// The exception, without the prefix of the line, if `line` ends a traceback; else "".
  std::string_view take(std::string_view line);
  /// Some traceback waits for its end.
  bool waits() const { return !open_.empty(); }
  void clear() { open_.clear(); }

 private:
  struct Open {
    std::uint64_t voice = 0;
    std::string front;  ///< of its first line
  };
  std::vector<Open> open_;
  unsigned waited_ = 0;  ///< lines since the last one began
};

}  // namespace nettune::nccl_log
