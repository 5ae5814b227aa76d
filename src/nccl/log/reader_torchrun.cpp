// SPDX-License-Identifier: Apache-2.0
//
// What the reader does with torchrun's report about processes that failed.
#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "nccl/log/reader.hpp"

namespace nettune::nccl_log {

/// torchrun lists all that failed, and the first of them again as the root cause. When one failed
/// it ends the others, and kills those that do not end in time: that is no cause.
bool Reader::is_killed_by_torchrun(std::string_view line) {
  if (line.find("Root Cause (first observed failure)") != line.npos) root_failure_ = true;
  if (line.find("ignal 9 (SIGKILL) received by PID") == line.npos) return false;
  return !std::exchange(root_failure_, false);
}

bool Reader::take_torchrun(std::string_view line) {
  constexpr std::size_t kMostFailures = 64;
  if (TorchrunReport::begins(line)) settle_torchrun(kNone);
  if (torchrun_.says_again(line)) {
    // The signal's name says more than its number.
    const std::uint32_t last = last_events_[unnamed()];
    const bool is_of_root = last != kNone && log_.events[last].file == file() &&
                            log_.events[last].line == torchrun_.root_line();
    if (!is_of_root) return true;
    log_.events[last].text = trim(line);
    log_.events[last].line = here();
    return true;
  }
  const auto failure = torchrun_.take(line, here());
  if (!failure) {
    // What follows the heading says more than it.
    if (!TorchrunReport::is_heading(line)) return false;
    root_failure_ = true;
    return true;
  }
  if (failure->rank != kNone && (failure->is_root || !failure->is_ended_by_torchrun))
    log_.ended.insert(failure->rank);
  if (!failure->is_root) {
    if (torchrun_.others.size() < kMostFailures) torchrun_.others.push_back(*failure);
    return true;
  }
  const std::uint32_t cause = find_cause(causes_, Cause::By::job, line);
  take_of_job(line);
  const std::uint32_t last = cause == kNone ? kNone : last_events_[unnamed()];
  if (last != kNone) take_root(log_.events[last], *failure);
  settle_torchrun(last);
  return true;
}

/// Of several reports the earliest one stands for all of them.
void Reader::take_root(Event& event, const TorchrunReport::Failure& failure) {
  const std::string name =
      failure.name.empty() ? std::string() : cat("torchrun's root cause: ", failure.name);
  const std::string pid =
      failure.line.substr(std::min(failure.line.find("(pid: "), failure.line.size()));
  if (event.clock == 0 && event.text.find(pid) != event.text.npos) event.clock = failure.clock;
  if (failure.clock == 0 || event.clock <= failure.clock) return add_detail(event, name);
  event.text = failure.line;
  event.clock = failure.clock;
  std::tie(event.file, event.line) = std::pair(file(), failure.at);
  if (!name.empty()) event.details.insert(event.details.begin(), name);
}

/// What torchrun killed or ended itself is no failure.
void Reader::settle_torchrun(std::uint32_t root) {
  if (const std::string text = torchrun_.root_without_code(); root == kNone && !text.empty())
    take_event({kNone, kNone, {}, text, torchrun_.heading_line()},
               find_cause(causes_, Cause::By::job, text));
  const std::vector<TorchrunReport::Failure> others = std::exchange(torchrun_.others, {});
  for (const TorchrunReport::Failure& failure : others) {
    const std::uint32_t cause = find_cause(causes_, Cause::By::job, failure.line);
    if (cause == kNone || failure.is_ended_by_torchrun) continue;
    const bool is_like_root = root != kNone && log_.events[root].cause == cause;
    if (is_like_root)
      ++log_.events[root].count;
    else
      take_event({kNone, kNone, {}, failure.line, failure.at}, cause);
    const std::uint32_t event = is_like_root ? root : last_events_[unnamed()];
    if (event != kNone && !failure.name.empty())
      add_detail(log_.events[event], cat(is_like_root ? "also " : "", failure.name));
  }
}

}  // namespace nettune::nccl_log
