// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/first_cause.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/details.hpp"
#include "tools/nccl/log/failed_calls.hpp"
#include "tools/nccl/log/judge/leavers.hpp"
#include "tools/nccl/log/judge/lone_end.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// What can only be where it began, then what can follow from a peer as well and what nobody
/// catalogued, then a call on a socket that failed for a reason that its line does not give, then
/// what follows from something else or shows no failure alone, then what says only that something
/// failed, then what was tried again, then what is cut before it says anything that is known.
int order_of(const Event& event, const std::vector<Cause>& causes) {
  if (event.cut) return 6;
  if (event.retried) return 5;
  if (event.cause == kNone) return 1;
  switch (causes[event.cause].role) {
    case Cause::Role::cause:
      return 0;
    case Cause::Role::end:
      // Somebody may have pressed Ctrl-C at the prompt, before the job.
      return causes[event.cause].id == "interrupted" ? 1 : 0;
    case Cause::Role::local:
      return 1;
    case Cause::Role::either:
      if (causes[event.cause].warns) return 3;
      return causes[event.cause].id == "connect-silent" ? 2 : 1;
    case Cause::Role::echo:
      return 4;
    default:
      return 3;
  }
}

bool is_end(const Event& event, const std::vector<Cause>& causes) {
  return event.cause != kNone && causes[event.cause].role == Cause::Role::end;
}

bool earlier(const Event& a, const Event& b) {
  if (!a.time.empty() && !b.time.empty() && a.time != b.time) return a.time < b.time;
  if (a.file == b.file && a.clock != 0 && b.clock != 0 && a.clock != b.clock)
    return a.clock < b.clock;
  return a.file == b.file ? a.line < b.line : a.file < b.file;
}

/// The address between `word` and "<port>".
std::string_view address_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  const auto end = rest.find('<');
  return end > 64 ? std::string_view() : rest.substr(0, end);  // npos is, too
}

bool is_of_program(const Event& event, const std::vector<Cause>& causes) {
  return event.cause != kNone && causes[event.cause].role == Cause::Role::program;
}

/// It can only keep a job from starting.
bool is_of_start(const Event& event, const std::vector<Cause>& causes) {
  return event.cause != kNone && causes[event.cause].starts;
}

/// A plugin that could not be used is no error where NCCL went on to its own networks, of which it
/// tries InfiniBand first.
bool has_other_network(const Log& log, const Event& event) {
  if (event.progress != 0 || !event.text.starts_with("NET/OFI")) return false;
  const Process& process = log.processes[event.process];
  return !process.ib.empty() ||
         std::any_of(process.reasons.begin(), process.reasons.end(),
                     [&](std::uint32_t id) { return log.names.text(id).starts_with("NET/IB : "); });
}

/// Above the first list of ranks that nccl-tests prints in its file.
bool is_above_tests(const Log& log, const Event& event) {
  const auto first =
      std::ranges::lower_bound(log.tests_begun, std::pair(event.file, std::uint64_t{0}));
  return first != log.tests_begun.end() && first->first == event.file && event.line < first->second;
}

/// The process went on, and NCCL does not say that a call failed without which it cannot; or the
/// whole job ended well. That of nccl-tests is said for all ranks: a call that failed for one of
/// them is then one of NCCL's helper threads, as with a connection that a port scanner made.
bool went_on(const Log& log, const std::vector<Cause>& causes, const Event& event) {
  // What ended, or failed, before nccl-tests listed its ranks was something else.
  const Cause* const cause = event.cause == kNone ? nullptr : &causes[event.cause];
  const bool may_be_other =
      event.failed || event.caller_failed || (cause != nullptr && (cause->ends || cause->starts));
  const bool is_other = may_be_other && is_above_tests(log, event);
  const bool ended_well = !is_other && good_end_of(log, event.file, event.line);
  if (event.caller_failed) return ended_well && event.failed && log.tests.ranks.twice.empty();
  return ended_well || log.processes[event.process].progress > event.progress ||
         has_other_network(log, event);
}

/// What processes that end can print, once the run had ended well: not what somebody else did, nor
/// what can only be where it began.
bool is_of_the_end(const Log& log, const Event& event, const std::vector<Cause>& causes,
                   bool has_failure) {
  const Success* const success = success_before(log, event.file, event.line);
  if (success == nullptr) return false;
  // Others of its ranks may have failed behind it.
  if (success->of_rank) return !has_failure && event.cause != kNone && causes[event.cause].follows;
  if (event.cause == kNone) return true;
  const Cause& cause = causes[event.cause];
  return cause.role == Cause::Role::symptom || cause.role == Cause::Role::echo ||
         (cause.by == Cause::By::nccl && cause.role != Cause::Role::cause);
}

/// Of each file, the line of the first run that the program reports as a success, where nothing in
/// it is more than a warning of NCCL: the run went on after these. What failed before the run began
/// was a step of its own.
std::map<std::uint32_t, std::uint64_t> good_runs(const Log& log, const std::vector<Cause>& causes) {
  std::map<std::uint32_t, std::uint64_t> good;
  if (log.more_events != 0) return good;
  std::map<std::uint32_t, std::uint64_t> begins;
  for (const Success& success : log.successes)
    if (!success.of_rank && good.emplace(success.file, success.line).second)
      begins[success.file] = success.begin;
  for (const Event& event : log.events) {
    const bool is_of_nccl = event.cause == kNone || causes[event.cause].by == Cause::By::nccl;
    const auto run = good.find(event.file);
    if (run != good.end() && event.line < run->second && event.line > begins[event.file] &&
        (!is_of_nccl || event.failed))
      good.erase(run);
  }
  return good;
}

/// Plugins that could not be used, in a file in which other processes went on without them: the log
/// of a process may be cut before it shows that.
class SurvivedPlugins {
 public:
  SurvivedPlugins(const Log& log, const std::vector<Cause>& causes) : log_(log) {
    for (const Event& event : log.events)
      if (is_of_plugin(event) && went_on(log, causes, event))
        seen_.emplace(event.file, event.cause);
  }
  bool contains(const Event& event) const {
    return is_of_plugin(event) && !event.failed && seen_.contains({event.file, event.cause});
  }

 private:
  bool is_of_plugin(const Event& event) const {
    return event.cause != kNone && event.progress == 0 && event.text.starts_with("NET/OFI") &&
           !log_.processes[event.process].host.empty();
  }

  const Log& log_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;  ///< file and cause
};

/// The first of those that come first in order_of(). Times are of some lines only, so that
/// `earlier` is no order of all: the least is looked for.
std::optional<std::uint32_t> first_of(const Log& log, const std::vector<Cause>& causes,
                                      const std::vector<std::uint32_t>& events) {
  std::optional<std::uint32_t> first;
  for (const std::uint32_t i : events) {
    const int order = order_of(log.events[i], causes);
    const int best = first ? order_of(log.events[*first], causes) : order + 1;
    if (order < best || (order == best && earlier(log.events[i], log.events[*first]))) first = i;
  }
  return first;
}

/// A process that crashed or aborted after a call to NCCL had failed did so because of that: what
/// says the most of it before the crash, in the same file. NCCL's own warning of what follows from
/// something else says more than the call. That some process ended is no such call.
std::optional<std::uint32_t> failed_before(const Log& log, const std::vector<Cause>& causes,
                                           std::uint32_t ended,
                                           const std::vector<std::uint32_t>& events) {
  const std::uint32_t cause = log.events[ended].cause;
  if (cause == kNone || !causes[cause].ends) return {};
  std::vector<std::uint32_t> before;
  bool has_call = false;
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (event.cause == kNone || event.file != log.events[ended].file ||
        event.line >= log.events[ended].line)
      continue;
    const Cause& its = causes[event.cause];
    const bool is_call = its.role == Cause::Role::echo && !its.ends;
    const bool is_warning = its.role == Cause::Role::symptom && its.by == Cause::By::nccl;
    has_call = has_call || is_call || event.failed;
    if (is_call || is_warning) before.push_back(i);
  }
  return has_call ? first_of(log, causes, before) : std::nullopt;
}

/// What stands below the line of a process that ended and says why, such as the traceback that
/// torch.multiprocessing.spawn() passes on; `head` where it is not there.
std::uint32_t below_it(const Log& log, const std::vector<Cause>& causes, std::uint32_t head,
                       const std::vector<std::uint32_t>& events) {
  constexpr std::uint64_t kMostBetween = 300;
  const Event& event = log.events[head];
  if (event.cause == kNone || !causes[event.cause].below) return head;
  std::uint32_t best = head;
  for (const std::uint32_t i : events) {
    const Event& other = log.events[i];
    const bool may_be_it =
        !other.retried && !other.cut && log.processes[other.process].host.empty();
    if (may_be_it && other.file == event.file && other.line > event.line &&
        other.line - event.line < kMostBetween &&
        (best == head || other.line < log.events[best].line))
      best = i;
  }
  return best;
}

/// What is said minutes after what it follows from: the first exception of a rank in its file.
std::uint32_t before_late(const Log& log, const std::vector<Cause>& causes, std::uint32_t late,
                          const std::vector<std::uint32_t>& programs) {
  const Event& event = log.events[late];
  if (event.cause == kNone || !causes[event.cause].late) return late;
  std::vector<std::uint32_t> of_ranks;
  for (const std::uint32_t i : programs)
    if (log.events[i].file == event.file && log.events[i].rank != kNone) of_ranks.push_back(i);
  return first_of(log, causes, of_ranks).value_or(late);
}

/// Of a process that ended when no time-out of PyTorch's watchdog was seen yet, and of which
/// nothing says why it ended: ranks that wait for it follow from that. Only where all of them say
/// their time (pytorch/pytorch issue 134006).
std::optional<std::uint32_t> ended_before(const Log& log, const std::vector<Cause>& causes,
                                          const std::vector<std::uint32_t>& events) {
  std::uint32_t first_wait = kNone;
  std::optional<std::uint32_t> ended;
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (event.cause == kNone || event.retried) return {};
    const Cause& cause = causes[event.cause];
    if (cause.role == Cause::Role::symptom) {
      if (event.clock == 0) return {};
      first_wait = std::min(first_wait, event.clock);
    } else if (cause.role != Cause::Role::echo) {
      return {};
    } else if (cause.ends && event.clock != 0) {
      if (!ended || event.clock < log.events[*ended].clock) ended = i;
    }
  }
  if (!ended || first_wait == kNone) return {};
  constexpr std::uint32_t kMonth = 100000000;  // no year is known
  const std::uint32_t clock = log.events[*ended].clock;
  return clock < first_wait && first_wait - clock < kMonth ? ended : std::nullopt;
}

/// Takes away what follows from a process that ended, or from an exception, before it in its file:
/// nodes lose their rendezvous when a rank on one of them failed.
void drop_what_follows(const Log& log, const std::vector<Cause>& causes,
                       std::vector<std::uint32_t>& events) {
  std::map<std::uint32_t, std::uint64_t> ended;  // the first line of each file
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (event.cause == kNone || event.retried) continue;
    const Cause& cause = causes[event.cause];
    // Of other launchers a step before the job may have ended as well.
    const bool is_of_torchrun = cause.ends && event.text.find("exitcode") != event.text.npos;
    if (!is_of_torchrun && cause.role != Cause::Role::program) continue;
    const auto [place, is_new] = ended.try_emplace(event.file, event.line);
    if (!is_new) place->second = std::min(place->second, event.line);
  }
  std::erase_if(events, [&](std::uint32_t i) {
    const Event& event = log.events[i];
    if (event.cause == kNone || !causes[event.cause].follows) return false;
    const auto first = ended.find(event.file);
    return first != ended.end() && first->second < event.line;
  });
}

/// Before which of the others somebody ended the job: what came after that follows from it.
bool is_before_all(const Log& log, std::uint32_t end, const std::vector<std::uint32_t>& others) {
  return std::none_of(others.begin(), others.end(), [&](std::uint32_t i) {
    const Event& event = log.events[i];
    return !event.retried && event.file == log.events[end].file && earlier(event, log.events[end]);
  });
}

/// NCCL says that it goes on without CollNet. Each rank then prints the calls that failed, up to
/// one of init.cc (collNetTrySetup).
bool does_without_collnet(const Log& log) {
  return std::any_of(log.processes.begin(), log.processes.end(), [&](const Process& process) {
    return std::any_of(process.reasons.begin(), process.reasons.end(), [&](std::uint32_t id) {
      return log.names.text(id).starts_with("Cannot initialize CollNet");
    });
  });
}

/// A batch script of Slurm went on after a command that it did not find: ranks say something below.
bool script_went_on(const Log& log, const Event& event) {
  if (event.text.find("/slurm_script: line ") == event.text.npos) return false;
  const auto wait = log.last_waits.find(event.file);
  if (wait != log.last_waits.end() && wait->second > event.line) return true;
  return std::ranges::any_of(log.events, [&](const Event& other) {
    return other.file == event.file && other.line > event.line && other.rank != kNone;
  });
}

/// "[W1210 05:39:36.098 TCPStore.cpp:125] [c10d] recvValue failed": PyTorch calls it a warning.
bool is_warning_of_c10d(std::string_view text) {
  const auto level = text.find("[W");
  const auto file = level == text.npos ? level : text.find(".cpp:", level);
  return file != text.npos && file < text.find(']', level);
}

/// A helper of a script may be called in a wrong way, and the job run. It ended the job where a
/// launcher says below that a process ended, or the file ends with it.
bool is_usage_of_another(const Log& log, const Event& event) {
  if (log.completed.contains(event.file)) return true;
  const auto end = log.launcher_ends.find(event.file);
  if (end != log.launcher_ends.end() && end->second > event.line) return false;
  return std::ranges::none_of(log.endings, [&](const Ending& one) {
    return one.file == event.file && is_usage_error(one.text);
  });
}

/// More than a warning of NCCL, after which it may have gone on: a call that failed, a process that
/// ended, or what somebody else says went wrong.
bool shows_a_failure(const Event& event, const std::vector<Cause>& causes) {
  if (event.failed) return true;
  if (event.cause == kNone || event.retried) return false;
  const Cause& cause = causes[event.cause];
  if (cause.warns || (cause.follows && is_warning_of_c10d(event.text))) return false;
  return cause.fails || cause.by == Cause::By::job ||
         (cause.role != Cause::Role::cause && cause.role != Cause::Role::either &&
          cause.role != Cause::Role::local);
}

/// Events of launchers and servers, each saying that a process failed.
using Ends = std::vector<const Event*>;

/// A server says that a process failed, with this exception below: nobody caught that. NCCL's
/// lines, which may have waited in a buffer, can come behind it.
bool is_below_an_end(const Ends& ends, const Event& event) {
  constexpr std::uint64_t kMostBetween = 300;
  return std::ranges::any_of(ends, [&](const Event* end) {
    return end->file == event.file && end->rank == event.rank && end->line < event.line &&
           event.line - end->line < kMostBetween;
  });
}

}  // namespace

void order_events(const Log& log, const std::vector<Cause>& causes, Verdict& verdict) {
  std::vector<std::uint32_t> ends;
  std::vector<std::uint32_t> others;
  const bool is_without_collnet = does_without_collnet(log);
  const SurvivedPlugins plugins(log, causes);
  const auto good = good_runs(log, causes);
  std::vector<std::uint32_t> programs;
  std::vector<std::uint32_t> of_attempts;  // exceptions of attempts before the last one
  // Besides what a logger may have warned of, and what follows from an end.
  bool has_failure = false;
  Ends said_ends;
  for (const Event& event : log.events) {
    const Cause* const cause = event.cause == kNone ? nullptr : &causes[event.cause];
    const bool may_be_none = event.may_be_logged || (cause != nullptr && cause->follows);
    has_failure = has_failure || (!may_be_none && shows_a_failure(event, causes));
    if (cause != nullptr && cause->ends && cause->role == Cause::Role::echo)
      said_ends.push_back(&event);
  }
  for (std::uint32_t i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    if (event.replaced) continue;
    if (event.cause != kNone && causes[event.cause].id == "program-arguments" &&
        is_usage_of_another(log, event))
      continue;
    if (event.cause != kNone && causes[event.cause].role == Cause::Role::note) {
      verdict.notes.push_back(i);
      continue;
    }
    if (is_without_collnet && !event.failed && FailedCalls::is_one(event.text)) continue;
    const bool is_of_before = ranks_began_after(log, event) && !is_below_an_end(said_ends, event);
    if (is_of_before && is_of_program(event, causes) && was_caught(log, event)) continue;
    // A run of nccl-tests that did not start is one of several.
    const bool is_of_one =
        log.tests.ranks.runs <= 1 && (!is_above_tests(log, event) || was_caught(log, event));
    if (is_of_before && is_of_start(event, causes) && is_of_one) continue;
    if (is_of_start(event, causes) && script_went_on(log, event)) continue;
    if (event.may_be_logged && !has_failure && all_destroyed(log, verdict, &event)) {
      verdict.notes.push_back(i);
      continue;
    }
    // XLA says what the warning was.
    if (log.last_warning && event.text.starts_with("misc/socket.c")) continue;
    if (is_of_the_end(log, event, causes, has_failure)) {
      verdict.after_success.push_back(i);
      continue;
    }
    if (went_on(log, causes, event)) {
      // What was tried again and then done is not worth a word.
      if (!event.retried) verdict.went_on.push_back(i);
      continue;
    }
    if (const auto run = good.find(event.file); run != good.end() && event.line < run->second) {
      verdict.before_success.push_back(i);
      continue;
    }
    if (plugins.contains(event)) {
      verdict.may_have_gone_on.push_back(i);
      continue;
    }
    verdict.events.push_back(i);
    if (is_of_before && is_of_program(event, causes)) {
      of_attempts.push_back(i);
      continue;
    }
    if (is_of_program(event, causes)) programs.push_back(i);
    (is_end(event, causes) ? ends : others).push_back(i);
  }
  std::stable_sort(verdict.events.begin(), verdict.events.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return order_of(log.events[a], causes) < order_of(log.events[b], causes);
                   });
  drop_what_follows(log, causes, others);
  auto other = first_of(log, causes, others);
  // What can follow from a process that ended follows from its exception, where that came before.
  if (const auto program = first_of(log, causes, programs);
      program && order_of(log.events[*other], causes) != 0 && is_before_all(log, *program, others))
    other = program;
  if (other)
    if (const auto before = failed_before(log, causes, *other, others)) other = before;
  if (other) other = below_it(log, causes, *other, others);
  if (other) other = before_late(log, causes, *other, programs);
  if (const auto ended = ended_before(log, causes, others)) {
    other = ended;
    verdict.ended_before_waits = true;
  } else if (const auto lone = lone_end(log, causes, verdict, others)) {
    other = lone;
    verdict.ended_alone = !is_of_program(log.events[*lone], causes);
  }
  const auto end = first_of(log, causes, ends);
  const bool is_cause = other && order_of(log.events[*other], causes) == 0;
  verdict.first = !end || is_cause || !is_before_all(log, *end, others) ? other : end;
  // What the last attempt failed of is something else, where that is known.
  if (!verdict.first || order_of(log.events[*verdict.first], causes) == 4 ||
      is_end(log.events[*verdict.first], causes))
    if (const auto before = first_of(log, causes, of_attempts)) verdict.first = before;
  verdict.failed = std::any_of(verdict.events.begin(), verdict.events.end(), [&](std::uint32_t i) {
    return shows_a_failure(log.events[i], causes);
  });
}

std::vector<std::uint32_t> peers_named(const Log& log, const Event& event) {
  std::vector<std::uint32_t> found;
  std::string_view address = address_behind(event.text, "peer ");
  if (address.empty()) address = address_behind(event.text, "connect to ");
  if (address.empty()) address = address_behind(event.text, "Connect to ");
  if (address.empty()) return found;
  const std::string wanted = cat(":", address, "<");
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    const Process& process = log.processes[i];
    const auto names_it = [&](std::uint32_t id) {
      return log.names.text(id).find(wanted) != std::string::npos;
    };
    if (process.host == address ||
        std::any_of(process.bootstrap.begin(), process.bootstrap.end(), names_it) ||
        std::any_of(process.oob.begin(), process.oob.end(), names_it))
      found.push_back(i);
  }
  return found;
}

}  // namespace nettune::tools::nccl::log::judge
