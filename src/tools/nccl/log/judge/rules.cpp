// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/rules.hpp"

#include <algorithm>
#include <map>

#include "tools/nccl/log/failed_calls.hpp"
#include "tools/nccl/log/judge/continued.hpp"
#include "tools/nccl/log/judge/leavers.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

using Shown = std::optional<Place>;
using From = std::optional<std::uint32_t>;

/// No line of its own shows it.
Shown holds(bool applies) { return applies ? Shown(Place()) : std::nullopt; }

Place last_completed(const Log& log, const Event& event) {
  return {event.file, timeline_of(log, event.file).last(Timeline::Kind::complete)};
}

// --- what is set aside ---------------------------------------------------------------------------

Shown is_told_elsewhere(const Course& course, std::uint32_t i) {
  return holds(course.log.events[i].replaced);
}

Shown is_hint(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  return holds(course.is(event, Cause::Tier::note));
}

Shown is_without_collnet(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  return holds(course.without_collnet && !event.failed && FailedCalls::is_one(event.text));
}

Shown is_caught(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  if (!course.is_of_attempt(i) || !was_caught(course.log, event)) return {};
  return last_completed(course.log, event);
}

/// It can only keep a job from starting. A run of nccl-tests that did not start is one of several.
Shown has_started(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  const Cause* const cause = course.cause_of(event);
  const Log& log = course.log;
  if (cause == nullptr || !cause->starts || !ranks_began_after(log, event)) return {};
  const bool is_of_one =
      log.tests.ranks.runs <= 1 && (!is_above_tests(log, event) || was_caught(log, event));
  return is_of_one ? Shown(last_completed(log, event)) : std::nullopt;
}

/// A batch script of Slurm did not find a command: ranks say something below.
Shown has_script_gone_on(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  const Cause* const cause = course.cause_of(event);
  if (cause == nullptr || !cause->starts ||
      event.text.find("/slurm_script: line ") == event.text.npos)
    return {};
  const std::uint64_t wait = timeline_of(course.log, event.file).last(Timeline::Kind::watchdog);
  if (wait > event.line) return Place(event.file, wait);
  for (const Event& other : course.log.events)
    if (other.file == event.file && other.line > event.line && other.rank != kNone)
      return Place(other.file, other.line);
  return {};
}

Shown is_only_logged(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  return holds(event.may_be_logged && !course.has_failure &&
               all_destroyed(course.log, course.verdict, &event));
}

Shown has_run_gone_well(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  return good_end(course.log, course.causes, event);
}

Shown has_gone_on(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  return holds(went_on(course.log, event));
}

Shown has_another_network(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  return holds(has_other_network(course.log, event));
}

Shown have_others_gone_on(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  return holds(is_of_plugin(course.log, event) && !event.failed &&
               course.survived.contains({event.file, event.cause}));
}

constexpr SetAsideRule kSetAside[] = {
    {"told-elsewhere", "it passes on an exception that has an entry of its own", Shelf::nowhere,
     is_told_elsewhere},
    {"hint", "it is printed as a warning, and is none", Shelf::hints, is_hint},
    {"without-collnet", "NCCL continues without CollNet", Shelf::nowhere, is_without_collnet},
    {"caught",
     "ranks made a communicator after the exception, and no line says that a process had ended: "
     "it was probably caught",
     Shelf::nowhere, is_caught},
    {"started-later",
     "it can only keep a job from starting, and ranks made a communicator after it", Shelf::nowhere,
     has_started},
    {"script-went-on", "the batch script went on: ranks have lines after it", Shelf::nowhere,
     has_script_gone_on},
    {"only-logged",
     "a logger warned of it, and all ranks destroyed their communicator in good "
     "order after it",
     Shelf::hints, is_only_logged},
    {"run-went-well", "nccl-tests says after it that the run ended well", Shelf::continued,
     has_run_gone_well},
    {"went-on", "its process continued after it, and no call failed because of it",
     Shelf::continued, has_gone_on},
    {"other-network", "its process continued to NCCL's own networks", Shelf::continued,
     has_another_network},
    {"others-went-on", "other processes continued after the same failure of a plugin",
     Shelf::may_have_continued, have_others_gone_on},
};

// --- what follows from something else ------------------------------------------------------------

From other_than(std::optional<std::uint32_t> from, std::uint32_t event) {
  return from == event ? std::nullopt : from;
}

/// What stands below the first one of its file: files without times have no order.
From below_first(const Course& course, const std::map<std::uint32_t, std::uint32_t>& firsts,
                 std::uint32_t i) {
  const Event& event = course.log.events[i];
  const auto first = firsts.find(event.file);
  if (first == firsts.end() || first->second == i || course.order_of(i) == Order::origin) return {};
  return course.log.events[first->second].line < event.line ? From(first->second) : std::nullopt;
}

From after_end(const Course& course, std::uint32_t i) {
  return below_first(course, course.first_end, i);
}

From after_early_end(const Course& course, std::uint32_t i) {
  return other_than(course.early_end, i);
}

From after_lone_end(const Course& course, std::uint32_t i) {
  return other_than(course.lone_end, i);
}

From after_loss(const Course& course, std::uint32_t i) { return course.loss_before(i); }

From after_exception(const Course& course, std::uint32_t i) {
  return below_first(course, course.first_exception, i);
}

/// A process that crashed or aborted after a call to NCCL had failed did so because of that: what
/// says the most of it before the crash, in the same file. NCCL's own warning of what follows from
/// something else says more than the call. That some process ended is no such call.
From after_call(const Course& course, std::uint32_t i) {
  const Event& ended = course.log.events[i];
  const Cause* const cause = course.cause_of(ended);
  if (cause == nullptr || !cause->ends) return {};
  const bool has_call = course.first_failed_call.above(ended.file, ended.line).has_value();
  return has_call ? course.first_call.above(ended.file, ended.line) : std::nullopt;
}

/// What others say of a process that crashed before, in the same file.
From after_crash(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  const Order order = course.order_of(i);
  if ((order != Order::symptom && order != Order::echo) || course.is(event, Cause::Tier::exception))
    return {};
  const Cause* const own = course.cause_of(event);
  if (own != nullptr && own->ends) return {};
  return course.first_crash.above(event.file, event.line);
}

/// What stands below the line of a process that ended and says why, such as the traceback that
/// torch.multiprocessing.spawn() passes on.
From said_below(const Course& course, std::uint32_t i) {
  const Event& head = course.log.events[i];
  const Cause* const cause = course.cause_of(head);
  const bool says_more = cause != nullptr && cause->tier == Cause::Tier::echo && cause->ends &&
                         head.text.ends_with(':');
  if (!says_more) return {};
  From best;
  for (const std::uint32_t other : course.others) {
    const Event& event = course.log.events[other];
    const Cause* const its = course.cause_of(event);
    const bool is_of_another = head.rank != kNone && event.rank != kNone && head.rank != event.rank;
    const bool may_be_it = !event.retried && !event.cut && !is_of_another &&
                           course.log.processes[event.process].host.empty() &&
                           (its == nullptr || (!its->follows && its->tier != Cause::Tier::symptom));
    if (may_be_it && event.file == head.file && event.line > head.line &&
        event.line - head.line < kMostBetween &&
        (!best || event.line < course.log.events[*best].line))
      best = other;
  }
  return best;
}

/// What is said minutes after what it follows from: the first exception of a rank in its file.
From said_late(const Course& course, std::uint32_t i) {
  const Event& late = course.log.events[i];
  const Cause* const cause = course.cause_of(late);
  if (cause == nullptr || !cause->late) return {};
  const auto exception = course.exception_of_rank.find(late.file);
  return exception == course.exception_of_rank.end() ? std::nullopt : From(exception->second);
}

/// Somebody ended the job when something was wrong already.
From end_after_error(const Course& course, std::uint32_t i) {
  const Event& end = course.log.events[i];
  const auto first = course.first_end.find(end.file);
  const bool is_first = first != course.first_end.end() && first->second == i;
  if (!course.is(end, Cause::Tier::end) || is_first) return {};
  return course.first_error.above(end.file, end.line);
}

/// What the last attempt failed of is something else, where only that is known.
From after_attempt(const Course& course, std::uint32_t i) {
  const Event& event = course.log.events[i];
  const bool says_little = course.order_of(i) == Order::echo || course.is(event, Cause::Tier::end);
  return says_little ? course.first_attempt : std::nullopt;
}

constexpr FollowsRule kFollows[] = {
    {"after-end", "somebody had ended the job, as a line above says", after_end},
    {"after-early-end",
     "by the times in the log that process ended before the first time-out was "
     "seen",
     after_early_end},
    {"after-lone-end", "that rank ended, and the others lost it or waited for it", after_lone_end},
    {"after-loss", "a process of the same file had ended, or raised an exception", after_loss},
    {"after-exception", "the program had raised an exception before anything else in that file",
     after_exception},
    {"after-call", "a line above says that a call had failed before the process ended", after_call},
    {"after-crash", "a process of the same file had crashed", after_crash},
    {"said-below", "what stands below the line says why", said_below},
    {"said-late", "it is said minutes late, and a rank raised an exception", said_late},
    {"end-after-error", "something was wrong before somebody ended the job", end_after_error},
    {"after-attempt", "an attempt before had raised an exception, and the last one says no more",
     after_attempt},
};

}  // namespace

std::span<const SetAsideRule> set_aside_rules() { return kSetAside; }
std::span<const FollowsRule> follows_rules() { return kFollows; }

std::string_view rule_text(std::string_view name) {
  for (const SetAsideRule& rule : kSetAside)
    if (rule.name == name) return rule.says;
  for (const FollowsRule& rule : kFollows)
    if (rule.name == name) return rule.says;
  return {};
}

}  // namespace nettune::tools::nccl::log::judge
