// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/crashes.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::job {

bool Crashes::take(std::string_view line) {
  if (const auto crash = traces_.take(line, position_.line())) {
    take_trace(*crash, line);
    return true;
  }
  // "[node1:77] *** Process received signal ***", "[node1:77] Signal: Segmentation fault (11)": the
  // latter is what counts, where it is there.
  if (line.find("*** Process received signal ***") != line.npos) {
    signal_ = line;
    signal_line_ = position_.line();
    return true;
  }
  if (!signal_.empty() && line.find("Signal: ") != line.npos) signal_.clear();
  return false;
}

void Crashes::take_trace(const CrashTraces::Found& crash, std::string_view line) {
  if (!crash.of_nccl) {
    if (position_.is_last()) return;  // a name may be cut
    const auto event =
        std::find_if(log_.events.rbegin(), log_.events.rend(), [&](const Event& one) {
          const Cause* const known = events_.cause(one.cause);
          return one.file == position_.file() && known != nullptr && known->ends &&
                 known->tier == Cause::Tier::either;
        });
    if (event != log_.events.rend() && event->details.empty())
      add_detail(*event, cat("a trace begins in ", crash.frame));
    return;
  }
  const std::uint32_t cause = events_.cause_of(crash.below ? kBelowNccl : kInNccl);
  // The line about the signal is directly before the trace, or the first of it.
  constexpr std::uint64_t kClose = 3;
  const auto said = std::find_if(log_.events.rbegin(), log_.events.rend(), [&](const Event& event) {
    const Cause* const known = events_.cause(event.cause);
    return event.file == position_.file() && known != nullptr && known->ends &&
           known->tier == Cause::Tier::either && event.count == 1 &&
           event.line + kClose >= crash.line;
  });
  if (said == log_.events.rend()) {
    events_.take_in(line, crash.frame, cause, crash.line);
    return;
  }
  said->cause = cause;
  said->text += cat("; ", crash.frame);
  // Another process may crash elsewhere.
  events_.close(static_cast<std::uint32_t>(log_.events.rend() - said - 1));
}

void Crashes::end_file() {
  traces_.clear();
  if (!signal_.empty())
    events_.take({.message = signal_, .line = signal_line_},
                 events_.cause_of(Cause::By::job, signal_));
  signal_.clear();
}

}  // namespace nettune::tools::nccl::log::job
