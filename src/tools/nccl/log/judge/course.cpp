// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/course.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/nccl/log/judge/continued.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// "[W1210 05:39:36.098 TCPStore.cpp:125] [c10d] recvValue failed": PyTorch calls it a warning.
bool is_warning_of_c10d(std::string_view text) {
  const auto level = text.find("[W");
  const auto file = level == text.npos ? level : text.find(".cpp:", level);
  return file != text.npos && file < text.find(']', level);
}

/// A server or a launcher says that a process failed, with this exception below: nobody caught
/// that. NCCL's lines, which may have waited in a buffer, can come behind it. `ends` are by file
/// and line.
bool is_below_an_end(const Log& log, const std::vector<std::uint32_t>& ends, const Event& event) {
  const auto place = [&](std::uint32_t i) {
    return std::pair(log.events[i].file, log.events[i].line);
  };
  const std::uint64_t from = event.line > kMostBetween ? event.line - kMostBetween : 0;
  auto end = std::ranges::upper_bound(ends, std::pair(event.file, from), {}, place);
  for (; end != ends.end() && place(*end) < std::pair(event.file, event.line); ++end)
    if (log.events[*end].rank == event.rank) return true;
  return false;
}

/// Of each rank, where it last made a communicator, in each file.
using LastComplete = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

LastComplete last_complete_of_ranks(const Log& log) {
  LastComplete lasts;
  for (const Process& process : log.processes) {
    const auto [file, line] = process.completed_at;
    for (const Membership& one : process.memberships) {
      std::uint64_t& last = lasts[{one.rank, file}];
      last = std::max(last, line);
    }
  }
  return lasts;
}

/// Ranks made a communicator after the exception: the one that raised it, where it is known which
/// process that rank is. Others may make one of their own.
bool began_again(const Log& log, const LastComplete& lasts, const Event& event) {
  if (!ranks_began_after(log, event)) return false;
  const auto own = event.rank == kNone ? lasts.end() : lasts.find({event.rank, event.file});
  return own == lasts.end() || own->second > event.line;
}

}  // namespace

Course::Course(const Log& of, const std::vector<Cause>& all, const Verdict& so_far)
    : log(of), causes(all), verdict(so_far) {
  // Each rank then prints the calls that failed, up to one of init.cc (collNetTrySetup).
  without_collnet = std::ranges::any_of(log.processes, [&](const Process& process) {
    return std::ranges::any_of(process.reasons, [&](std::uint32_t id) {
      return log.names.text(id).starts_with("Cannot initialize CollNet");
    });
  });
  for (std::uint32_t i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    const Cause* const cause = cause_of(event);
    const bool may_be_none = event.may_be_logged || (cause != nullptr && cause->follows);
    has_failure = has_failure || (!may_be_none && shows_failure(event));
    if (cause != nullptr && cause->ends && cause->tier == Cause::Tier::echo) said_ends.push_back(i);
    if (is_of_plugin(log, event) && (went_on(log, event) || has_other_network(log, event)))
      survived.emplace(event.file, event.cause);
  }
  std::ranges::sort(said_ends, {}, [&](std::uint32_t i) {
    return std::pair(log.events[i].file, log.events[i].line);
  });
  const LastComplete lasts = last_complete_of_ranks(log);
  for (std::uint32_t i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    attempts_.push_back(is(event, Cause::Tier::exception) && began_again(log, lasts, event) &&
                        !is_below_an_end(log, said_ends, event));
    orders_.push_back(order(i));
  }
}

Order Course::order(std::uint32_t index) const {
  const Event& event = log.events[index];
  if (event.cut) return Order::cut;
  if (event.retried) return Order::retried;
  const Cause* const cause = cause_of(event);
  if (cause == nullptr) return Order::local;
  switch (cause->tier) {
    case Cause::Tier::origin:
      return Order::origin;
    case Cause::Tier::end:
      // Somebody may have pressed Ctrl-C at the prompt, before the job.
      return cause->starts ? Order::unsaid : Order::local;
    case Cause::Tier::local:
      return Order::local;
    case Cause::Tier::either:
      if (cause->warns) return Order::symptom;
      return cause->no_reason ? Order::unsaid : Order::local;
    case Cause::Tier::echo:
      return Order::echo;
    case Cause::Tier::exception:
      return is_of_attempt(index) ? Order::attempt : Order::symptom;
    default:
      return Order::symptom;
  }
}

bool Course::is_earlier(const Event& a, const Event& b) const {
  if (!a.time.empty() && !b.time.empty() && a.time != b.time) return a.time < b.time;
  if (a.file == b.file && a.clock != 0 && b.clock != 0 && a.clock != b.clock)
    return a.clock < b.clock;
  return a.file == b.file && a.line < b.line;
}

FirstByLine::FirstByLine(const Course& course, std::vector<std::uint32_t> events) {
  std::ranges::sort(events, {}, [&](std::uint32_t i) {
    return std::pair(course.log.events[i].file, course.log.events[i].line);
  });
  for (const std::uint32_t i : events) {
    const Event& event = course.log.events[i];
    std::uint32_t first = i;
    if (!known_.empty() && known_.back().file == event.file)
      first = *course.first_of({known_.back().first, i});
    known_.push_back({event.file, event.line, first});
  }
}

std::optional<std::uint32_t> FirstByLine::above(std::uint32_t file, std::uint64_t line) const {
  const auto behind =
      std::ranges::lower_bound(known_, std::pair(file, line), {},
                               [](const Known& one) { return std::pair(one.file, one.line); });
  if (behind == known_.begin() || std::prev(behind)->file != file) return {};
  return std::prev(behind)->first;
}

std::optional<std::uint32_t> Course::first_of(const std::vector<std::uint32_t>& among) const {
  // Times are of some lines only, so that this is no order of all: the least is looked for.
  std::optional<std::uint32_t> first;
  for (const std::uint32_t i : among) {
    if (first) {
      const Event& event = log.events[i];
      const Event& best = log.events[*first];
      if (order_of(i) > order_of(*first)) continue;
      const bool is_before =
          is_earlier(event, best) || (event.file < best.file && !is_earlier(best, event));
      if (order_of(i) == order_of(*first) && !is_before) continue;
    }
    first = i;
  }
  return first;
}

bool Course::shows_failure(const Event& event) const {
  if (event.failed) return true;
  const Cause* const cause = cause_of(event);
  if (cause == nullptr || event.retried) return false;
  if (cause->warns || (cause->follows && is_warning_of_c10d(event.text))) return false;
  return cause->fails || cause->by == Cause::By::job ||
         (cause->tier != Cause::Tier::origin && cause->tier != Cause::Tier::either &&
          cause->tier != Cause::Tier::local);
}

bool Course::is_loss(const Event& event) const {
  const Cause* const cause = cause_of(event);
  if (cause == nullptr || event.retried) return false;
  // Of other launchers a step before the job may have ended as well.
  const bool is_of_torchrun = cause->ends && event.text.find("exitcode") != event.text.npos;
  return is_of_torchrun || cause->tier == Cause::Tier::exception;
}

std::optional<std::uint32_t> Course::loss_before(std::uint32_t event) const {
  const Event& it = log.events[event];
  const Cause* const cause = cause_of(it);
  if (cause == nullptr || !cause->follows) return {};
  const auto first = first_loss.find(it.file);
  if (first == first_loss.end() || log.events[first->second].line >= it.line) return {};
  return first->second;
}

}  // namespace nettune::tools::nccl::log::judge
