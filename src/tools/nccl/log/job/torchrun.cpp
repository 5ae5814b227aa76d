// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/torchrun.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::job {

bool Torchrun::take(std::string_view line) {
  constexpr std::size_t kMostFailures = 64;
  if (TorchrunReport::begins(line)) settle(kNone);
  if (report_.says_again(line)) {
    // The signal's name says more than its number.
    const bool is_of_root = last_ != kNone && log_.events[last_].file == position_.file() &&
                            log_.events[last_].line == report_.root_line();
    if (!is_of_root) return true;
    log_.events[last_].text = trim(line);
    log_.events[last_].line = position_.line();
    return true;
  }
  const auto failure = report_.take(line, position_.line());
  if (!failure) {
    // What follows the heading says more than it.
    if (!TorchrunReport::is_heading(line)) return is_killed(line);
    root_ = true;
    return true;
  }
  if (failure->rank != kNone && (failure->is_root || !failure->is_ended_by_torchrun))
    log_.ended.insert(failure->rank);
  if (failure->rank != kNone && !failure->is_root && failure->is_of_sigterm)
    log_.stopped.insert(failure->rank);
  if (!failure->is_root) {
    if (report_.others.size() < kMostFailures) report_.others.push_back(*failure);
    return true;
  }
  last_ = events_.take_known(line);
  if (last_ != kNone) take_root(log_.events[last_], *failure);
  settle(last_);
  return true;
}

bool Torchrun::is_killed(std::string_view line) {
  if (line.find("Root Cause (first observed failure)") != line.npos) root_ = true;
  if (line.find("ignal 9 (SIGKILL) received by PID") == line.npos) return false;
  return !std::exchange(root_, false);
}

/// Of several reports the earliest one stands for all of them.
void Torchrun::take_root(Event& event, const TorchrunReport::Failure& failure) {
  const std::string name =
      failure.name.empty() ? std::string() : cat("torchrun's root cause: ", failure.name);
  const std::string pid =
      failure.line.substr(std::min(failure.line.find("(pid: "), failure.line.size()));
  if (event.text.find(pid) != event.text.npos) {
    event.ended = failure.rank;
    if (event.clock == 0) event.clock = failure.clock;
  }
  if (failure.clock == 0 || event.clock <= failure.clock) return add_detail(event, name);
  event.text = failure.line;
  event.ended = failure.rank;
  event.clock = failure.clock;
  std::tie(event.file, event.line) = std::pair(position_.file(), failure.at);
  if (!name.empty()) event.details.insert(event.details.begin(), name);
}

/// What torchrun killed or ended itself is no failure.
void Torchrun::settle(std::uint32_t root) {
  if (const std::string text = report_.root_without_code(); root == kNone && !text.empty())
    events_.take({.message = text, .line = report_.heading_line()},
                 events_.cause_of(Cause::By::job, text));
  const std::vector<TorchrunReport::Failure> others = std::exchange(report_.others, {});
  for (const TorchrunReport::Failure& failure : others) {
    const std::uint32_t cause = events_.cause_of(Cause::By::job, failure.line);
    if (cause == kNone || failure.is_ended_by_torchrun) continue;
    const bool is_like_root = root != kNone && log_.events[root].cause == cause;
    if (is_like_root) ++log_.events[root].count;
    const std::uint32_t event =
        is_like_root ? root : events_.take({.message = failure.line, .line = failure.at}, cause);
    if (event != kNone && !failure.name.empty())
      add_detail(log_.events[event], cat(is_like_root ? "also " : "", failure.name));
  }
}

void Torchrun::end_file() {
  settle(kNone);
  report_.clear();
}

}  // namespace nettune::tools::nccl::log::job
