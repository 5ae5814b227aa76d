// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/lone_end.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "tools/nccl/log/judge/waits.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// Whose end a launcher tells: a rank of torchrun, or a task of srun, of which only the host
/// counts, since a task may start several ranks.
struct RankEnd {
  std::uint32_t rank = kNone;
  std::string_view host = {};
};

/// "srun: error: node1: task 3: Exited with exit code 1"
std::string_view host_of_task(std::string_view text) {
  constexpr std::string_view kFront = "srun: error: ";
  const auto at = text.find(kFront);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + kFront.size());
  const auto colon = rest.find(": ");
  return colon != rest.npos && rest.substr(colon).starts_with(": task ") ? rest.substr(0, colon)
                                                                         : std::string_view();
}

/// "n1" is the host of "n1.example.org", and the other way round.
bool is_same_host(std::string_view a, std::string_view b) {
  return a.substr(0, a.find('.')) == b.substr(0, b.find('.'));
}

/// "... closed by remote peer node1.example.org<45074>"
bool names_host(std::string_view text, std::string_view host) {
  constexpr std::string_view kFront = "remote peer ";
  const auto at = text.find(kFront);
  if (host.empty() || at == text.npos) return false;
  const std::string_view rest = text.substr(at + kFront.size());
  return is_same_host(rest.substr(0, rest.find('<')), host);
}

std::vector<std::uint32_t> ranks_of(const Log& log, const Verdict& verdict, const Event& event) {
  std::vector<std::uint32_t> ranks(event.group_ranks.begin(), event.group_ranks.end());
  if (event.rank != kNone) ranks.push_back(event.rank);
  for (const Membership& one : log.processes[event.process].memberships)
    if (one.communicator == verdict.main) ranks.push_back(one.rank);
  return ranks;
}

/// It is told of no rank, and by no process that NCCL names.
bool is_anonymous(const Log& log, const Verdict& verdict, const Event& event) {
  return log.processes[event.process].host.empty() && ranks_of(log, verdict, event).empty();
}

/// The one that ended says it, or somebody on its host.
bool is_its(const Log& log, const Verdict& verdict, const Event& event, const RankEnd& end) {
  const auto is_there = [&](std::uint32_t process) {
    return process != kNone && is_same_host(log.processes[process].host, end.host);
  };
  const auto ranks = ranks_of(log, verdict, event);
  if (end.rank != kNone) return std::find(ranks.begin(), ranks.end(), end.rank) != ranks.end();
  return is_there(event.process) ||
         std::any_of(verdict.seen.begin(), verdict.seen.end(), [&](const Rank& rank) {
           return is_there(rank.process) &&
                  std::find(ranks.begin(), ranks.end(), rank.rank) != ranks.end();
         });
}

}  // namespace

std::optional<std::uint32_t> early_end(const Log& log, const std::vector<Cause>& causes,
                                       const std::vector<std::uint32_t>& events) {
  std::uint32_t first_wait = kNone;
  std::optional<std::uint32_t> ended;
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (event.cause == kNone || event.retried) return {};
    const Cause& cause = causes[event.cause];
    if (cause.tier == Cause::Tier::symptom) {
      if (event.clock == 0) return {};
      first_wait = std::min(first_wait, event.clock);
    } else if (cause.tier != Cause::Tier::echo) {
      return {};
    } else if (cause.ends && event.clock != 0 && !ranks_began_after(log, event)) {
      if (!ended || event.clock < log.events[*ended].clock) ended = i;
    }
  }
  if (!ended || first_wait == kNone) return {};
  constexpr std::uint32_t kMonth = 100000000;  // no year is known
  const std::uint32_t clock = log.events[*ended].clock;
  return clock < first_wait && first_wait - clock < kMonth ? ended : std::nullopt;
}

std::optional<std::uint32_t> lone_end(const Log& log, const std::vector<Cause>& causes,
                                      const Verdict& verdict,
                                      const std::vector<std::uint32_t>& events) {
  // A time-out may have come first: early_end() looks at the times.
  if (has_timeout(log) || log.more_events != 0 || log.ended.size() > 1) return {};
  std::optional<std::uint32_t> found;
  RankEnd end;
  std::set<std::string_view> known;
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (!is_anonymous(log, verdict, event)) known.insert(event.text);
    if (found || event.cause == kNone || !causes[event.cause].ends || ranks_began_after(log, event))
      continue;
    end = {event.ended, event.ended == kNone ? host_of_task(event.text) : std::string_view()};
    if (end.rank != kNone || !end.host.empty()) found = i;
  }
  if (!found) return {};
  std::optional<std::uint32_t> exception;
  bool has_consequence = false;
  bool is_named = false;
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (i == *found) continue;
    if (event.cause == kNone || event.retried) return {};
    const Cause& cause = causes[event.cause];
    const bool is_nobodys = is_anonymous(log, verdict, event);
    // A launcher or the shell says that others ended: that does not say why.
    if (cause.ends && is_nobodys) continue;
    // PyTorch quotes NCCL's warning once more, without a name in front.
    if (is_nobodys && !known.contains(event.text)) return {};
    if (is_nobodys) continue;
    const bool is_own = is_its(log, verdict, event, end);
    if (cause.tier == Cause::Tier::exception && is_own) {
      if (!exception) exception = i;
      continue;
    }
    if (is_own || (cause.tier != Cause::Tier::symptom && cause.tier != Cause::Tier::echo))
      return {};
    has_consequence = true;
    is_named = is_named || names_host(event.text, end.host);
  }
  if (!has_consequence) return {};
  if (exception && end.rank != kNone) return exception;
  const bool is_there =
      std::any_of(verdict.seen.begin(), verdict.seen.end(),
                  [&](const Rank& rank) { return rank.rank == end.rank && rank.process != kNone; });
  return !exception && (is_there || is_named) ? found : std::nullopt;
}

}  // namespace nettune::tools::nccl::log::judge
