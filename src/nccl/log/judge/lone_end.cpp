// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/judge/lone_end.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

namespace {

struct RankEnd {
  std::uint32_t rank = kNone;
  std::string_view host = {};  ///< "" where the launcher does not name it
};

/// "srun: error: node1: task 3: Exited with exit code 1"; tasks of Slurm are numbered as ranks are.
RankEnd end_by_slurm(std::string_view text) {
  constexpr std::string_view kFront = "srun: error: ";
  const auto at = text.find(kFront);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + kFront.size());
  const auto colon = rest.find(": ");
  if (colon == rest.npos) return {};
  Cursor behind(rest.substr(colon + 2));
  const auto task = behind.skip("task ") ? behind.number() : std::nullopt;
  return task ? RankEnd{*task, rest.substr(0, colon)} : RankEnd();
}

RankEnd end_of(const Event& event) {
  return event.ended != kNone ? RankEnd{event.ended} : end_by_slurm(event.text);
}

/// "... closed by remote peer node1.example.org<45074>"
bool names_host(std::string_view text, std::string_view host) {
  constexpr std::string_view kFront = "remote peer ";
  const auto at = text.find(kFront);
  if (host.empty() || at == text.npos) return false;
  const std::string_view rest = text.substr(at + kFront.size());
  return rest.starts_with(host) && (rest.substr(host.size()).find_first_of(".<") == 0);
}

bool has_rank(const Log& log, const Verdict& verdict, std::uint32_t process, std::uint32_t rank) {
  const auto& all = log.processes[process].memberships;
  return std::any_of(all.begin(), all.end(), [&](const Membership& one) {
    return one.communicator == verdict.main && one.rank == rank;
  });
}

/// No rank is known to say it.
bool is_of_no_rank(const Log& log, const Event& event) {
  return event.rank == kNone && event.group_ranks.empty() &&
         log.processes[event.process].memberships.empty();
}

bool is_anonymous(const Log& log, const Event& event) {
  return is_of_no_rank(log, event) && log.processes[event.process].host.empty();
}

bool is_said_by(const Log& log, const Verdict& verdict, const Event& event, std::uint32_t rank) {
  return event.rank == rank || event.group_ranks.contains(rank) ||
         has_rank(log, verdict, event.process, rank);
}

}  // namespace

std::optional<std::uint32_t> lone_end(const Log& log, const std::vector<Cause>& causes,
                                      const Verdict& verdict,
                                      const std::vector<std::uint32_t>& events) {
  std::optional<std::uint32_t> found;
  RankEnd end;
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (event.cause == kNone || !causes[event.cause].ends || found) continue;
    end = end_of(event);
    if (end.rank != kNone) found = i;
  }
  if (!found) return {};
  std::set<std::string_view> known;
  for (const std::uint32_t i : events)
    if (!is_anonymous(log, log.events[i])) known.insert(log.events[i].text);
  std::optional<std::uint32_t> exception;
  bool has_consequence = false;
  bool is_named = false;
  for (const std::uint32_t i : events) {
    const Event& event = log.events[i];
    if (i == *found) continue;
    if (event.cause == kNone || event.retried) return {};
    const Cause& cause = causes[event.cause];
    // What a launcher or the shell says of other ends: that they ended is no reason.
    if (cause.ends && is_of_no_rank(log, event)) continue;
    const bool is_its = is_said_by(log, verdict, event, end.rank);
    if (cause.role == Cause::Role::program && is_its) {
      if (!exception) exception = i;
      continue;
    }
    if (cause.role != Cause::Role::symptom && cause.role != Cause::Role::echo) return {};
    if (is_anonymous(log, event)) {
      // PyTorch quotes NCCL's warning once more, without a name in front.
      if (!known.contains(event.text)) return {};
      continue;
    }
    if (is_its) return {};
    has_consequence = true;
    is_named = is_named || names_host(event.text, end.host);
  }
  const bool is_there =
      std::any_of(verdict.seen.begin(), verdict.seen.end(),
                  [&](const Rank& rank) { return rank.rank == end.rank && rank.process != kNone; });
  if (!has_consequence) return {};
  if (exception) return exception;
  return is_there || is_named ? found : std::nullopt;
}

}  // namespace nettune::nccl_log
