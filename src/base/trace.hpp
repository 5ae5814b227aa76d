// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/text.hpp"

/// The output of -v on standard error: what was read, sent and waited for, and the time of each
/// step. When off, it costs one comparison per step. The log of `watch` has the
/// same form, also by spdlog.
namespace nettune::inline base::trace {

/// 0 for nothing, 1 for steps (-v), 2 also for each message and file (-vv). Set once, before the
/// first step.
void set_level(int level);
namespace detail {
extern int level;
void write(std::string_view text);
}  // namespace detail
inline bool shows_steps() { return detail::level >= 1; }
inline bool shows_details() { return detail::level >= 2; }

/// A line of the log of `watch`: the text with its time.
std::string log_line(std::string_view text);

/// One line, with -vv.
template <class... Parts>
void line(const Parts&... parts) {
  if (shows_details()) detail::write(cat(parts...));
}

/// One line with the time that it took, when it ends; with -v.
class Step {
 public:
  template <class... Parts>
  explicit Step(const Parts&... parts) {
    if (!shows_steps()) return;
    text_ = cat(parts...);
    begin_ = std::chrono::steady_clock::now();
  }
  ~Step() {
    if (shows_steps()) end();
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  void end() const;

  std::string text_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace nettune::inline base::trace
