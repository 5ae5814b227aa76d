// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/waits.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/judge/dumps.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// Ranks count their sends and receives each for itself.
bool is_counted(const Wait& wait) {
  return wait.operation.empty() || is_counted_alike(wait.operation);
}

/// Waits of one process group, as far as lines say which one it is.
struct Group {
  std::map<std::pair<std::uint64_t, std::string>, std::vector<const Wait*>> calls;
  std::map<std::pair<bool, std::uint32_t>, std::uint64_t> first;  ///< of each rank, where it waits
  std::map<std::pair<std::uint64_t, std::string>, std::vector<const Wait*>> failed;
  bool is_certain = true;  ///< all of them say that they are of it

  void add(const Wait& wait) {
    if (wait.failed) return failed[{wait.sequence, wait.operation}].push_back(&wait);
    calls[{wait.sequence, wait.operation}].push_back(&wait);
    if (!is_counted(wait)) return;
    const auto [place, is_new] = first.try_emplace({wait.of_job, wait.rank}, wait.sequence);
    if (!is_new) place->second = std::min(place->second, wait.sequence);
  }
};

/// By name. A wait that says no group is most likely of the only one that has its sequence.
std::map<std::string, Group> groups_of(const Log& log) {
  std::map<std::string, Group> groups;
  std::map<std::uint64_t, std::set<std::string>> by_sequence;
  for (const auto& [key, wait] : log.waits)
    if (!wait.group.empty()) by_sequence[wait.sequence].insert(wait.group);
  for (const auto& [key, wait] : log.waits) {
    const auto named = by_sequence.find(wait.sequence);
    const bool is_one = named != by_sequence.end() && named->second.size() == 1;
    const bool is_open = wait.group.empty();
    Group& group = groups[is_open && is_one ? *named->second.begin() : wait.group];
    group.add(wait);
    group.is_certain = group.is_certain && !is_open;
  }
  // Ranks of which only the state of the group was said wait in what others of it wait for.
  for (auto& [name, group] : groups)
    for (auto call = group.calls.begin(); call != group.calls.end();) {
      const auto next = std::next(call);
      const bool is_bare = call->first.second.empty() && next != group.calls.end() &&
                           next->first.first == call->first.first;
      if (!is_bare) {
        ++call;
        continue;
      }
      next->second.insert(next->second.end(), call->second.begin(), call->second.end());
      call = group.calls.erase(call);
    }
  return groups;
}

std::string name_of(const std::vector<const Wait*>& waits) {
  std::set<std::uint32_t> ranks;
  for (const Wait* const wait : waits) ranks.insert(wait->rank);
  return ranks_name(ranks);
}

std::string of_group(const std::string& group) {
  return group.empty() ? std::string() : cat(", process group ", group);
}

constexpr const char* kIfOne = " (if they are in the same process group, which not all lines say)";

/// The limit, and how long it was instead where the watchdog saw it much later than that.
std::string how_long(const std::vector<const Wait*>& waits) {
  std::uint64_t timeout = 0;
  std::uint64_t ran = 0;
  for (const Wait* const wait : waits) {
    timeout = std::max(timeout, wait->timeout_ms / 1000);
    ran = std::max(ran, wait->ran_ms / 1000);
  }
  if (timeout == 0) return {};
  const bool is_late = ran > timeout + timeout / 2;
  return is_late ? cat(" after ", ran, " s (limit ", timeout, " s)")
                 : cat(" after ", timeout, " s");
}

/// Whether the process group had worked before: it numbers its collectives from 1
/// (ProcessGroupNCCL.hpp, seqCollective_), and sends and receives apart from these.
std::string what_was_before(std::uint64_t sequence, std::string_view operation,
                            const std::vector<const Wait*>& waits) {
  if (!is_counted_alike(operation)) return {};
  if (sequence == 1) return ", the first collective of its process group";
  const bool is_done = std::all_of(waits.begin(), waits.end(), [&](const Wait* wait) {
    return wait->completed && *wait->completed + 1 == sequence;
  });
  return is_done ? ", and the collectives before were finished there" : "";
}

void say_calls(const std::string& name, const Group& group, std::vector<std::string>& into) {
  constexpr std::size_t kMostCalls = 12;
  std::size_t said = 0;
  for (const auto& [call, waits] : group.calls) {
    if (said++ == kMostCalls) {
      into.push_back(cat("and ", group.calls.size() - kMostCalls, " more calls"));
      break;
    }
    const auto& [sequence, operation] = call;
    into.push_back(cat(name_of(waits), ": ", operation.empty() ? "a collective" : operation,
                       " not finished", how_long(waits), ", SeqNum ", sequence, of_group(name),
                       name.empty() || group.is_certain ? "" : " as far as the lines show",
                       what_was_before(sequence, operation, waits)));
  }
}

/// The call is the oldest one that the watchdog does not know to be finished: it may be.
void say_failures(const std::string& name, const Group& group, std::vector<std::string>& into) {
  constexpr std::size_t kMostCalls = 12;
  std::size_t said = 0;
  for (const auto& [call, waits] : group.failed) {
    if (said++ == kMostCalls) break;
    into.push_back(cat(name_of(waits),
                       ": NCCL reported an error (not a time-out), which PyTorch noted for ",
                       call.second.empty() ? "a collective" : call.second, ", SeqNum ", call.first,
                       of_group(name)));
  }
}

/// True: somebody is.
bool say_who_is_behind(const Group& group, std::vector<std::string>& into) {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const auto& [rank, sequence] : group.first) {
    least = std::min(least, sequence);
    most = std::max(most, sequence);
  }
  if (least >= most) return false;
  // Those ahead may wait for more than one.
  for (const auto& [call, waits] : group.calls)
    for (const Wait* const wait : waits)
      if (const auto own = group.first.find({wait->of_job, wait->rank});
          own != group.first.end() && own->second != least && is_counted(*wait))
        most = std::max(most, call.first);
  // Lines that say a rank of the job, if there are any: others may be of the same ranks.
  std::set<std::uint32_t> behind;
  for (const bool of_job : {true, false}) {
    if (!behind.empty()) break;
    for (const auto& [rank, sequence] : group.first)
      if (sequence == least && rank.first == of_job) behind.insert(rank.second);
  }
  into.push_back(cat(ranks_name(behind), behind.size() == 1 ? " is" : " are", " behind: at SeqNum ",
                     least, ", others up to ", most, group.is_certain ? "" : kIfOne));
  return true;
}

void say_other_calls(const Group& group, std::vector<std::string>& into) {
  for (auto call = group.calls.begin(); call != group.calls.end(); ++call) {
    const auto next = std::next(call);
    if (next == group.calls.end() || next->first.first != call->first.first) continue;
    if (call->first.second.empty() || next->first.second.empty()) continue;
    into.push_back(cat("at SeqNum ", call->first.first, " ", name_of(call->second), " made ",
                       call->first.second, " and ", name_of(next->second), " ", next->first.second,
                       ": the ranks do not make the same calls", group.is_certain ? "" : kIfOne));
    return;
  }
}

/// Of which all ranks give as much.
bool is_of_one_size(std::string_view operation) {
  static constexpr std::string_view kAll[] = {"ALLREDUCE", "BROADCAST", "REDUCE", "_ALLGATHER_BASE",
                                              "_REDUCE_SCATTER_BASE"};
  return std::find(std::begin(kAll), std::end(kAll), operation) != std::end(kAll);
}

void say_other_sizes(const Group& group, std::vector<std::string>& into) {
  for (const auto& [call, waits] : group.calls) {
    if (!is_of_one_size(call.second)) continue;
    std::map<std::uint64_t, std::vector<const Wait*>> sizes;
    for (const Wait* const wait : waits)
      if (wait->elements != 0) sizes[wait->elements].push_back(wait);
    if (sizes.size() < 2) continue;
    const auto& [least, few] = *sizes.begin();
    const auto& [most, many] = *sizes.rbegin();
    into.push_back(cat("at SeqNum ", call.first, " ", name_of(few), " gave ", least,
                       " elements to ", call.second, " and ", name_of(many), " ", most,
                       ": the ranks do not make the same calls", group.is_certain ? "" : kIfOne));
    return;
  }
}

/// The log goes on behind what the watchdog says until a launcher or the scheduler reports the end.
bool shows_the_end(const Log& log) {
  using Kind = Timeline::Kind;
  const auto waits = [](const Timeline& one) { return one.last(Kind::watchdog) != 0; };
  return std::ranges::any_of(log.timelines, waits) &&
         std::ranges::all_of(log.timelines, [&](const Timeline& one) {
           return !waits(one) || one.last(Kind::launcher) > one.last(Kind::watchdog);
         });
}

/// Somebody waited for a rank, or lost it: one that says nothing may be that rank.
bool misses_a_rank(const Log& log, const std::vector<Cause>& causes) {
  return has_timeout(log) ||
         std::any_of(log.events.begin(), log.events.end(), [&](const Event& event) {
           return event.cause != kNone && causes[event.cause].means == Means::lost_rank;
         });
}

/// Which rank failed first is known, by the first cause or by torchrun: one that says nothing is
/// then nobody to check first. `ended`: ranks that torchrun reports, and that do not wait
/// themselves.
bool knows_who_failed(const Log& log, const std::vector<Cause>& causes, const Verdict& verdict,
                      const std::set<std::uint32_t>& ended) {
  // A rank that torchrun reports may have ended long after a time-out.
  if (!has_timeout(log) && !ended.empty()) return true;
  if (!verdict.first) return false;
  const Event& event = log.events[*verdict.first];
  if (event.cause == kNone) return false;
  const Cause& cause = causes[event.cause];
  const bool is_own = cause.tier == Cause::Tier::origin || cause.tier == Cause::Tier::local ||
                      cause.tier == Cause::Tier::exception ||
                      (cause.tier == Cause::Tier::either && cause.ends);
  return is_own && (event.rank != kNone || event.group_rank != kNone || !ended.empty() ||
                    !log.processes[event.process].host.empty());
}

/// Ranks of the only process group of which somebody waits: all-gather gives each of them what all
/// give. 0 where no line says it.
std::uint32_t ranks_of_group(const Log& log) {
  std::set<std::uint64_t> sizes;
  std::uint32_t last = 0;
  std::set<std::string_view> groups;
  for (const auto& [key, wait] : log.waits) {
    last = std::max(last, wait.rank);
    groups.insert(wait.group);
    if (wait.of_job && wait.group.find("(default_pg)") == std::string::npos) return 0;
    const bool is_gather = wait.operation == "_ALLGATHER_BASE" || wait.operation == "ALLGATHER";
    if (is_gather && wait.elements != 0 && wait.gathered % wait.elements == 0)
      sizes.insert(wait.gathered / wait.elements);
  }
  const bool is_one = groups.size() == 1 && sizes.size() == 1 && *sizes.begin() > last;
  return is_one && *sizes.begin() <= UINT32_MAX ? static_cast<std::uint32_t>(*sizes.begin()) : 0;
}

std::string says_nothing(const std::set<std::uint32_t>& ranks) {
  return cat(ranks_name(ranks), ranks.size() == 1 ? " says" : " say", " nothing about it");
}

/// Ranks that the job has, and that say nothing of a collective that others wait for. Where the end
/// of the job is there and other lines of the rank, its silence is a fact; otherwise the log may
/// lack what it said. Where a rank is behind, that one is to be checked first.
void say_who_is_silent(const Log& log, const std::vector<Cause>& causes, const Verdict& verdict,
                       bool is_behind, std::vector<std::string>& into) {
  std::set<std::uint32_t> said(log.spoke);
  said.insert(verdict.left.begin(), verdict.left.end());
  for (const auto& [key, wait] : log.waits) said.insert(wait.rank);
  for (const auto& [rank, dump] : log.dumps)
    if (dump.timed_out != kNone) said.insert(dump.timed_out);
  for (const Event& event : log.events)
    if (event.rank != kNone) said.insert(event.rank);
  std::set<std::uint32_t> ended;
  for (const std::uint32_t rank : log.ended)
    if (!said.contains(rank)) ended.insert(rank);
  if (!ended.empty()) {
    into.push_back(cat("torchrun reports that ", ranks_name(ended), " failed"));
    said.insert(ended.begin(), ended.end());
  }
  if (knows_who_failed(log, causes, verdict, ended) || !misses_a_rank(log, causes)) return;
  if (ended.empty() && log.stopped.empty() && said.size() == 1 && log.heard.size() <= 1 &&
      verdict.seen.size() <= 1) {
    into.push_back(cat("no line of NCCL or PyTorch shows a rank other than ", *said.begin(),
                       ": the other ranks' logs show ",
                       has_timeout(log) ? "whether one is missing" : "who failed first"));
    return;
  }
  std::set<std::uint32_t> stopped;
  for (const std::uint32_t rank : log.stopped)
    if (!said.contains(rank)) stopped.insert(rank);
  if (!stopped.empty())
    into.push_back(cat(says_nothing(stopped), "; ", stopped.size() == 1 ? "it" : "they",
                       " still ran when SIGTERM ended ", stopped.size() == 1 ? "it" : "them",
                       " (exitcode -15), and may not have made the call"));
  said.insert(stopped.begin(), stopped.end());
  std::uint32_t ranks = std::max(verdict.ranks, ranks_of_group(log));
  if (ranks == 0 && log.world_sizes.size() == 1) ranks = *log.world_sizes.begin();
  if (!log.heard.empty()) ranks = std::max(ranks, *log.heard.rbegin() + 1);
  ranks = std::max(ranks, *said.rbegin() + 1);
  constexpr std::uint32_t kMostRanks = 1U << 20U;
  const bool is_to_the_end = shows_the_end(log);
  std::set<std::uint32_t> silent;
  std::set<std::uint32_t> unknown;
  for (std::uint32_t rank = 0; rank < std::min(ranks, kMostRanks); ++rank)
    if (!said.contains(rank))
      (is_to_the_end && log.heard.contains(rank) ? silent : unknown).insert(rank);
  if (!silent.empty())
    into.push_back(
        cat(says_nothing(silent), ", but the log has other lines of ",
            silent.size() == 1 ? "it" : "them",
            ", and the end of the job: check first a silent rank of that process group"));
  if (!unknown.empty())
    into.push_back(says_nothing(unknown) +
                   (is_behind ? " (lines may be missing)"
                              : cat(": check ", unknown.size() == 1 ? "it" : "them",
                                    " first (unless lines are missing, or the process group is "
                                    "another one)")));
}

}  // namespace

bool has_timeout(const Log& log) {
  return std::any_of(log.waits.begin(), log.waits.end(),
                     [](const auto& wait) { return !wait.second.failed; });
}

bool is_counted_alike(std::string_view operation) {
  return !operation.empty() && operation != "SEND" && operation != "RECV" &&
         operation != "COALESCED";
}

std::vector<std::string> explain_waits(const Log& log, const std::vector<Cause>& causes,
                                       const Verdict& verdict, std::string& follows_from) {
  std::vector<std::string> said;
  std::string missing;
  say_dumps(log, said, missing);
  if (log.waits.empty()) return said;
  bool is_behind = false;
  const std::map<std::string, Group> groups = groups_of(log);
  for (const auto& [name, group] : groups) {
    say_calls(name, group, said);
    say_failures(name, group, said);
    std::size_t before = said.size();
    const bool is_one_behind = say_who_is_behind(group, said);
    const std::string behind = is_one_behind ? said[before] : std::string();
    is_behind = is_one_behind && group.is_certain && groups.size() == 1;
    before = said.size();
    say_other_calls(group, said);
    say_other_sizes(group, said);
    if (follows_from.empty()) follows_from = said.size() > before ? said[before] : behind;
  }
  if (follows_from.empty()) follows_from = missing;
  say_who_is_silent(log, causes, verdict, is_behind, said);
  return said;
}

}  // namespace nettune::tools::nccl::log::judge
