// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/report.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/log/judge/course.hpp"
#include "tools/nccl/log/judge/event_details.hpp"
#include "tools/nccl/log/judge/leavers.hpp"
#include "tools/nccl/log/judge/network_used.hpp"
#include "tools/nccl/log/judge/peers.hpp"
#include "tools/nccl/log/judge/remark_texts.hpp"
#include "tools/nccl/log/judge/rules.hpp"
#include "tools/nccl/log/judge/suggestions.hpp"
#include "tools/nccl/log/judge/tests_remarks.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

const Cause* cause_of(const std::vector<Cause>& causes, const Event& event) {
  return event.cause == kNone ? nullptr : &causes[event.cause];
}

/// What a program printed, not how a launcher or the scheduler tells its end.
bool is_of_a_program(const Cause& cause) {
  return cause.tier == Cause::Tier::exception ||
         (cause.by == Cause::By::job && !cause.ends && cause.tier != Cause::Tier::end);
}

/// Who may have failed, of a line that does not say whose it is.
void say_whose_it_may_be(const Log& log, const Cause* cause, const Told& told,
                         std::vector<std::string>& into) {
  if (!told.who.empty() || cause == nullptr || !is_of_a_program(*cause)) return;
  if (!log.ended.empty())
    into.push_back(cat("torchrun reports that ", ranks_name(log.ended),
                       " failed; this line does not say whose it is"));
  // Several are of several runs.
  else if (log.ended_first.size() == 1 && cause->tier != Cause::Tier::symptom)
    into.push_back(cat("mpirun reports that ", ranks_name(log.ended_first),
                       " ended first; this line does not say whose it is"));
}

/// Ranks that did not make the same calls, or left, explain it.
bool fits_what_was_found(const Verdict& verdict, const Cause* cause) {
  return !verdict.follows_from.empty() && cause != nullptr &&
         (cause->means == Means::timeout || !verdict.left.empty());
}

/// How it stands with what else was found.
std::string standing(const Verdict& verdict, const Cause& cause) {
  if (verdict.ended_before_waits)
    return "By the times in the log it ended before the watchdog's first time-out, which can "
           "follow "
           "from that. Why it ended was not found in the log.";
  if (verdict.ended_alone)
    return "No error of its own was read, and what others report can follow from its end. Why it "
           "ended was not found in the log.";
  const bool is_symptom = cause.tier == Cause::Tier::symptom;
  if (fits_what_was_found(verdict, &cause))
    return cat("It fits what was found: ", verdict.follows_from);
  if (is_symptom && !verdict.unequal.empty())
    return cat("It can follow from what must be equal on all ranks and may not be: ",
               verdict.unequal.front());
  if (is_symptom || cause.tier == Cause::Tier::echo)
    return "This follows from something else, which was not found in the log.";
  return {};
}

void say_how_certain(const Verdict& verdict, const Event& event, const Cause* cause,
                     std::vector<std::string>& into) {
  if (cause != nullptr) {
    if (std::string text = standing(verdict, *cause); !text.empty())
      into.push_back(std::move(text));
    // What keeps a job from starting comes before its ranks: its entry says what it follows from.
    if (cause->tier == Cause::Tier::either && !cause->starts && !verdict.ended_alone &&
        !verdict.facts.contains(log::Fact::one_process))
      into.emplace_back("It can also follow from another rank that failed earlier.");
    if (cause->tier == Cause::Tier::end)
      into.emplace_back("An error before it would be the cause; none was found in this file.");
    if (event.retried)
      into.emplace_back("This was retried; how that ended was not found in the log.");
  }
  if (!verdict.failed)
    into.emplace_back("Nothing in the log shows that the job failed because of it.");
}

Told tell(const Log& log, const std::vector<Cause>& causes, const Verdict& verdict,
          std::uint32_t index) {
  const Event& event = log.events[index];
  const Cause* const cause = cause_of(causes, event);
  Told told;
  told.event = index;
  told.cause = cause == nullptr ? "" : cause->id;
  told.who = speaker_of(log, verdict, event);
  told.quote = event.place.empty() ? event.text : cat(event.place, ": ", event.text);
  told.details = event_details(log, causes, event);
  say_whose_it_may_be(log, cause, told, told.remarks);
  if (event.cut) {
    told.why = "unknown; the end of the message is missing";
    return told;
  }
  say_how_certain(verdict, event, cause, told.remarks);
  if (cause == nullptr) {
    told.why = "not in the catalogue of causes; there is only the message";
    return told;
  }
  told.why = why_of(log, verdict, *cause, event);
  if (!verdict.left.empty() && index == verdict.first)
    told.checks = {
        "what makes ranks do different numbers of steps: data that is not split evenly, "
        "a loop that ends early on one rank, a missing barrier before the end"};
  else
    told.checks = checks_of(log, verdict, *cause, event);
  if (const auto peers = peers_named(log, event); !peers.empty()) {
    std::set<std::uint32_t> ranks;
    for (const std::uint32_t peer : peers) {
      const auto own = ranks_of(log, verdict, peer);
      ranks.insert(own.begin(), own.end());
    }
    told.peer = cat(log.processes[peers.front()].host, ": ",
                    ranks.empty() ? process_name(log, verdict, peers.front()) : ranks_name(ranks));
  }
  return told;
}

/// Up to the end of the first sentence: a dot, and a capital letter behind it.
std::string first_sentence(std::string_view text) {
  constexpr std::size_t kLongest = 160;
  for (auto at = text.find(". "); at != text.npos; at = text.find(". ", at + 1)) {
    const bool begins = at + 2 < text.size() && text[at + 2] >= 'A' && text[at + 2] <= 'Z';
    if (begins && at != 0 && text[at - 1] != '.') return begin_of(text.substr(0, at), kLongest);
  }
  if (text.ends_with('.')) text.remove_suffix(1);
  return begin_of(text, kLongest);
}

/// "failed: rank 3 (n17:1234) first: The RDMA device ..."
std::string failure(const Log& log, const std::vector<Cause>& causes, const Told& first,
                    const Verdict& verdict) {
  constexpr std::size_t kLongestQuote = 160;
  const Cause* const cause = cause_of(causes, log.events[first.event]);
  if (fits_what_was_found(verdict, cause))
    return cat("failed: ", begin_of(verdict.follows_from, kLongestQuote));
  const bool quotes = cause == nullptr || cause->tier == Cause::Tier::exception;
  const std::string what =
      quotes ? begin_of(first.quote, kLongestQuote) : first_sentence(first.why);
  const std::string who = first.who.empty() ? std::string() : cat(first.who, ": ");
  if (cause != nullptr && cause->tier == Cause::Tier::end) return cat("ended: ", who, what);
  const bool follows = cause != nullptr && !verdict.ended_alone && !verdict.ended_before_waits &&
                       (cause->tier == Cause::Tier::symptom || cause->tier == Cause::Tier::echo);
  if (follows) return cat("failed, and why is not certain; seen first: ", who, what);
  return first.who.empty() || !verdict.is_first_sure ? cat("failed: ", who, what)
                                                     : cat("failed: ", first.who, " first: ", what);
}

/// It waits, and no line says why: who is missing, what they have to reach, and where they wait.
std::vector<std::string> checks_of_a_hang(const Log& log, const Verdict& verdict) {
  std::vector<std::string> checks;
  if (!verdict.unseen.empty())
    checks.push_back(
        cat(ranks_name({verdict.unseen.begin(), verdict.unseen.end()}),
            ": did it start, and does it live? (the launcher's log; ps on its node; NCCL_DEBUG may "
            "be unset there)"));
  for (const Rank& rank : verdict.seen) {
    if (rank.rank != 0 || rank.process == kNone) continue;
    const Process& process = log.processes[rank.process];
    if (process.bootstrap.size() != 1) continue;
    const auto [interface, address] = parts_of(log.names.text(process.bootstrap.front()));
    if (!address.empty() && hosts_of(log).size() > 1)
      checks.push_back(cat("do all hosts reach ", address, " (", interface, " of ", process.host,
                           ", where rank 0 waits for them), on any TCP port? A firewall, or "
                           "NCCL_SOCKET_IFNAME on one of them"));
  }
  checks.emplace_back("py-spy dump --pid PID, of a rank that waits: in which call it is");
  return checks;
}

}  // namespace

std::string speaker_of(const Log& log, const Verdict& verdict, const Event& event) {
  if (event.rank != kNone) return cat("rank ", event.rank);
  if (event.group_rank != kNone) return group_ranks_of({event.group_rank});
  const Process& process = log.processes[event.process];
  if (process.host.empty()) return event.who;
  std::string name = process_name(log, verdict, event.process);
  // Of a process that no communicator shows, its rank in the only one that it speaks of.
  if (verdict.main == kNone && process.said.size() == 1)
    name = cat("rank ", process.said.front().first, " of ", process.said.front().second, " (", name,
               ")");
  if (event.device != kNone && process.memberships.size() != 1)
    name += cat(" [", event.device, "]");
  return name;
}

std::string_view name_of(const std::vector<Cause>& causes, const Event& event) {
  const Cause* const cause = cause_of(causes, event);
  return cause == nullptr ? "not in the catalogue" : std::string_view(cause->id);
}

std::string fate_text(const Log& log, const std::vector<Cause>& causes, const Fate& fate) {
  const std::string shown =
      fate.shown.second == 0 ? std::string() : cat(" (", place_of(log, fate.shown), ")");
  switch (fate.kind) {
    case Fate::Kind::chosen:
      return "chosen";
    case Fate::Kind::rival:
      return "as likely as the chosen one: nothing shows which was first";
    case Fate::Kind::later:
      return "not chosen: the chosen one says more of where it began, or came before it";
    case Fate::Kind::set_aside:
      return cat("set aside by ", fate.rule, shown, ": ", rule_text(fate.rule));
    case Fate::Kind::follows:
      return cat("follows from ", name_of(causes, log.events[fate.from]), shown, " by ", fate.rule,
                 ": ", rule_text(fate.rule));
  }
  return {};
}

Report report(const Log& log, const std::vector<Cause>& causes, const Verdict& verdict) {
  Report report;
  report.network = network_used(log, verdict);
  if (verdict.first) report.first = tell(log, causes, verdict, *verdict.first);
  for (const std::uint32_t rival : verdict.rivals)
    report.rivals.push_back(tell(log, causes, verdict, rival));
  if (report.first && verdict.failed)
    report.verdict = failure(log, causes, *report.first, verdict);
  else if (!verdict.in_setup.empty() && !verdict.shows_work) {
    report.checks = checks_of_a_hang(log, verdict);
    report.verdict = cat(
        "initialisation did not end, as far as the log shows: ",
        ranks_name({verdict.in_setup.begin(), verdict.in_setup.end()}), " began it",
        verdict.unseen.empty() ? std::string()
                               : cat("; no line comes from ",
                                     ranks_name({verdict.unseen.begin(), verdict.unseen.end()})));
  } else {
    const std::string tests = tests_verdict(log);
    report.verdict = tests.empty() ? report.network : cat(tests, "; ", report.network);
  }
  return report;
}

}  // namespace nettune::tools::nccl::log::judge
