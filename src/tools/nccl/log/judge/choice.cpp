// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/choice.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tools/nccl/log/judge/lone_end.hpp"
#include "tools/nccl/log/judge/rules.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// Takes out what is no cause; the rest goes into the lists of `course`.
void set_aside(Course& course, Verdict& verdict) {
  for (std::uint32_t i = 0; i < course.log.events.size(); ++i) {
    const Event& event = course.log.events[i];
    const SetAsideRule* rule = nullptr;
    for (const SetAsideRule& one : set_aside_rules()) {
      const auto shown = one.applies(course, i);
      if (!shown) continue;
      rule = &one;
      verdict.fates[i] = {Fate::Kind::set_aside, one.name, kNone, *shown};
      break;
    }
    if (rule != nullptr) {
      // What was tried again and then done is not worth a word.
      if (rule->shelf == Shelf::hints) verdict.notes.push_back(i);
      if (rule->shelf == Shelf::continued && !event.retried) verdict.went_on.push_back(i);
      if (rule->shelf == Shelf::may_have_continued) verdict.may_have_gone_on.push_back(i);
      continue;
    }
    verdict.events.push_back(i);
    if (course.is_of_attempt(i)) {
      course.attempts.push_back(i);
      continue;
    }
    const bool is_end = course.is(event, Cause::Tier::end);
    (is_end ? course.ends : course.others).push_back(i);
    if (course.is(event, Cause::Tier::exception)) course.exceptions.push_back(i);
  }
}

/// Of each file the first exception, and who ended the job, where nothing was wrong before in it.
void find_firsts(Course& course) {
  std::vector<std::uint32_t> errors;
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> failed_calls;
  std::vector<std::uint32_t> crashes;
  for (const std::uint32_t i : course.others) {
    const Event& event = course.log.events[i];
    if (!event.retried) errors.push_back(i);
    const Cause* const cause = course.cause_of(event);
    if (cause == nullptr) continue;
    // A watchdog that is stuck ends its process.
    const bool is_call = (cause->tier == Cause::Tier::echo && !cause->ends) || cause->late;
    const bool is_warning = cause->tier == Cause::Tier::symptom && cause->by == Cause::By::nccl;
    if (is_call || is_warning) calls.push_back(i);
    if (is_call || event.failed) failed_calls.push_back(i);
    if (cause->ends && course.order_of(i) == Order::local) crashes.push_back(i);
  }
  course.first_error = FirstByLine(course, std::move(errors));
  course.first_call = FirstByLine(course, std::move(calls));
  course.first_failed_call = FirstByLine(course, std::move(failed_calls));
  course.first_crash = FirstByLine(course, std::move(crashes));
  for (const std::uint32_t i : course.ends) {
    const Event& event = course.log.events[i];
    if (course.first_error.above(event.file, event.line)) continue;
    const auto known = course.first_end.try_emplace(event.file, i).first;
    known->second = *course.first_of({known->second, i});
  }
  for (const std::uint32_t i : course.exceptions) {
    const Event& event = course.log.events[i];
    const auto end = course.first_end.find(event.file);
    const bool is_after_end =
        end != course.first_end.end() && course.log.events[end->second].line < event.line;
    if (!is_after_end && !course.first_error.above(event.file, event.line))
      course.first_exception.try_emplace(event.file, i);
    if (event.rank == kNone) continue;
    const auto known = course.exception_of_rank.try_emplace(event.file, i).first;
    known->second = *course.first_of({known->second, i});
  }
  course.first_attempt = course.first_of(course.attempts);
}

/// What others may follow from is known once for all of them.
void find_ends(Course& course) {
  for (const std::uint32_t i : course.others)
    if (const Event& event = course.log.events[i]; course.is_loss(event)) {
      const auto known = course.first_loss.try_emplace(event.file, i).first;
      if (event.line < course.log.events[known->second].line) known->second = i;
    }
  std::erase_if(course.others, [&](std::uint32_t i) { return course.loss_before(i).has_value(); });
  find_firsts(course);
  course.early_end = early_end(course.log, course.causes, course.others);
  if (!course.early_end)
    course.lone_end = lone_end(course.log, course.causes, course.verdict, course.others);
}

/// What it follows from leads, by what that follows from in turn, to `event`.
bool leads_to(const Verdict& verdict, std::uint32_t from, std::uint32_t event) {
  while (from != event && verdict.fates[from].kind == Fate::Kind::follows)
    from = verdict.fates[from].from;
  return from == event;
}

void find_what_it_follows(const Course& course, std::uint32_t i, Verdict& verdict) {
  // What all others follow from follows from none of them.
  const bool is_root = i == course.early_end || i == course.lone_end || course.is_of_attempt(i);
  if (is_root) return;
  for (const FollowsRule& rule : follows_rules()) {
    const auto from = rule.applies(course, i);
    if (!from || leads_to(verdict, *from, i)) continue;
    const Event& event = course.log.events[*from];
    verdict.fates[i] = {Fate::Kind::follows, rule.name, *from, {event.file, event.line}};
    return;
  }
}

/// Roots that are as likely, and neither earlier nor later; of each cause one is told.
void find_rivals(const Course& course, const std::vector<std::uint32_t>& roots, Verdict& verdict) {
  const auto kind_of = [&](const Event& event) {
    return std::pair(event.cause, event.cause == kNone ? event.text : std::string());
  };
  const Event& first = course.log.events[*verdict.first];
  std::set<std::pair<std::uint32_t, std::string>> known = {kind_of(first)};
  for (const std::uint32_t i : roots) {
    if (i == *verdict.first) continue;
    const Event& event = course.log.events[i];
    if (course.is_earlier(first, event)) continue;
    verdict.is_first_sure = false;
    const bool is_ordered = course.is_earlier(event, first);
    if (is_ordered || course.order_of(i) != course.order_of(*verdict.first)) continue;
    verdict.fates[i].kind = Fate::Kind::rival;
    if (known.insert(kind_of(event)).second) verdict.rivals.push_back(i);
  }
}

}  // namespace

void choose(const Log& log, const std::vector<Cause>& causes, Verdict& verdict) {
  verdict.fates.resize(log.events.size());
  Course course(log, causes, verdict);
  set_aside(course, verdict);
  find_ends(course);
  std::vector<std::uint32_t> roots;
  for (const std::uint32_t i : verdict.events) {
    find_what_it_follows(course, i, verdict);
    if (verdict.fates[i].kind != Fate::Kind::follows) roots.push_back(i);
  }
  verdict.first = course.first_of(roots);
  if (verdict.first) {
    verdict.fates[*verdict.first].kind = Fate::Kind::chosen;
    find_rivals(course, roots, verdict);
  }
  verdict.ended_before_waits = verdict.first && verdict.first == course.early_end;
  verdict.ended_alone = verdict.first && verdict.first == course.lone_end &&
                        !course.is(log.events[*verdict.first], Cause::Tier::exception);
  std::ranges::stable_sort(verdict.events, {}, [&](std::uint32_t i) { return course.order_of(i); });
  verdict.failed = std::ranges::any_of(
      verdict.events, [&](std::uint32_t i) { return course.shows_failure(log.events[i]); });
}

}  // namespace nettune::tools::nccl::log::judge
