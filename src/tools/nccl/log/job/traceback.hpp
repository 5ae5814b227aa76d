// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/nccl/log/events.hpp"
#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"

namespace nettune::tools::nccl::log::job {

/// Reads Python's tracebacks, for the exception in their last line:
///
///     Traceback (most recent call last):
///       File "train.py", line 7, in <module>
///     ValueError: text
///
/// Ranks may write between each other: where nothing tells them apart, as many exceptions are taken
/// as tracebacks began. A file may begin within one.
class Tracebacks {
 public:
  Tracebacks(Log& log, Position& position, Events& events)
      : log_(log), position_(position), events_(events) {}

  void begin_file();
  /// Without "Error" or "Exception" in it no line is the last one: it is only counted.
  bool passes(std::string_view line);
  /// What has a cause of its own in the catalogue is not taken.
  void take(std::string_view line);
  /// The exception directly above the line that is read, a launcher's first one about a process
  /// that ended: the traceback may be cut.
  void take_above();
  /// Where the exception in the line that was read last was raised, if the catalogue has it; "" for
  /// none.
  std::string take_raised() { return std::exchange(raised_, {}); }
  /// The text of an exception goes on in the next lines, which need no mark: it ends with a colon.
  bool continues() const { return continued_.has_value(); }
  /// Some traceback waits for its end.
  bool waits() const { return head_ != 0 || !open_.empty(); }

 private:
  /// The exception, without the prefix of the line, if `line` ends a traceback; else "".
  std::string_view exception_in(std::string_view line);

  /// `at` as in Events::take_in().
  void take_exception(std::string_view line, std::string_view exception, std::uint64_t at);

  /// The exception that PyTorch passed on is this one, which may have an event of its own. False:
  /// none is known of that voice.
  bool replace_passed_on(std::string_view exception, bool is_taken_elsewhere);

  void count(std::string_view line);

  /// What may be below an exception that ends with a colon.
  void take_more(std::string_view line);

  /// "raised in f() at lib.py:7, called from main() at train.py:3: f(x)"; "" where lines are
  /// missing or mixed.
  std::string raised_in(std::string_view front) const;

  struct Open {
    std::uint64_t voice = 0;
    unsigned count = 0;     ///< tracebacks
    std::string front;      ///< of the first line of the last one
    bool warned = false;    ///< a logger's warning stands directly above it
    bool original = false;  ///< "Original Traceback" of PyTorch
    std::string thread;     ///< that Python says it ended, on the line above
  };
  struct Continued {
    std::uint64_t voice = 0;
    std::string front;  ///< of its lines
    std::uint32_t event = 0;
    unsigned left = 0;  ///< lines that may still be of it
  };
  Log& log_;
  Position& position_;
  Events& events_;
  std::vector<Open> open_;
  bool logged_ = false;      ///< a logger warns of it
  bool warned_ = false;      ///< a logger's warning stands directly above its traceback
  bool original_ = false;    ///< it is that of an "Original Traceback"
  std::string thread_;       ///< the thread that it ended; "" where Python names none
  std::uint64_t voice_ = 0;  ///< whose it is
  /// Voice of exceptions of which the original one may be below; event, and how many it counted.
  std::vector<std::pair<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>>> passed_on_;
  std::optional<Continued> continued_;
  std::string front_;    ///< in front of the exception that was found
  std::string raised_;   ///< raised_in() of the exception that was found
  unsigned waited_ = 0;  ///< lines since the last one began
  unsigned head_ = 0;    ///< lines at the begin of the file that may still be of a cut traceback
  bool frame_ = false;   ///< one of them was a line of such: File "train.py", line 7
};

}  // namespace nettune::tools::nccl::log::job
