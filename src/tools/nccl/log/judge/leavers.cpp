// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/leavers.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// Who has an error of its own, or waits, by process and by rank.
struct Troubled {
  std::set<std::uint32_t> processes;
  std::set<std::uint32_t> ranks;
  std::set<std::string> pids;  ///< "pid 30" of launchers
  bool anybody = false;        ///< an exception that may be of any process

  Troubled(const Log& log, const std::vector<Cause>& causes, const Verdict& verdict)
      : ranks(log.ended) {
    for (const std::uint32_t i : verdict.events) {
      const Event& event = log.events[i];
      const bool has_process = !log.processes[event.process].host.empty();
      if (has_process) processes.insert(event.process);
      if (event.rank != kNone) ranks.insert(event.rank);
      const bool is_of_program =
          event.cause != kNone && causes[event.cause].tier == Cause::Tier::exception;
      anybody = anybody || (is_of_program && !has_process && event.rank == kNone);
      for (const std::string& who : event.speakers)
        if (const auto pid = who.find("pid "); pid != who.npos) pids.insert(who.substr(pid));
    }
    for (const auto& [key, wait] : log.waits) ranks.insert(wait.rank);
  }
  bool contains(const Log& log, std::uint32_t rank, std::uint32_t process) const {
    return processes.contains(process) || ranks.contains(rank) ||
           pids.contains(cat("pid ", log.processes[process].pid));
  }
};

}  // namespace

bool has_ranks_of_job(const Log& log, const Verdict& verdict) {
  return verdict.main != kNone && !log.communicators[verdict.main].several &&
         (log.heard.empty() || *log.heard.rbegin() < verdict.ranks);
}

std::pair<std::uint32_t, std::uint64_t> destroyed_at(const Log& log, const Verdict& verdict,
                                                     std::uint32_t rank) {
  if (!has_ranks_of_job(log, verdict)) return {};
  const auto& members = log.communicators[verdict.main].members;
  const auto member = members.find(rank);
  if (member == members.end()) return {};
  const Process& process = log.processes[member->second];
  return process.memberships[process.places.at({verdict.main, rank})].destroyed;
}

bool all_destroyed(const Log& log, const Verdict& verdict, const Event* event) {
  if (!has_ranks_of_job(log, verdict)) return false;
  const auto& members = log.communicators[verdict.main].members;
  if (members.size() != verdict.ranks) return false;
  return std::ranges::all_of(members, [&](const auto& member) {
    const auto [file, line] = destroyed_at(log, verdict, member.first);
    return line != 0 && (event == nullptr || (file == event->file && line > event->line));
  });
}

std::string place_of(const Log& log, const std::pair<std::uint32_t, std::uint64_t>& place) {
  return cat(log.files[place.first], ":", place.second);
}

std::string find_leavers(const Log& log, const std::vector<Cause>& causes, Verdict& verdict) {
  if (!verdict.first || !has_ranks_of_job(log, verdict)) return {};
  const Event& first = log.events[*verdict.first];
  const auto& members = log.communicators[verdict.main].members;
  if (first.cause == kNone || members.size() != verdict.ranks) return {};
  const Cause& cause = causes[first.cause];
  if (cause.tier != Cause::Tier::symptom && cause.tier != Cause::Tier::echo) return {};
  const bool is_timeout = cause.means == Means::timeout;
  const Troubled troubled(log, causes, verdict);
  if (troubled.anybody || log.more_events != 0) return {};
  std::set<std::uint32_t> left;
  std::set<std::uint32_t> waiting;
  bool all_ended = true;
  for (const auto& [rank, process] : members) {
    const auto [file, line] = destroyed_at(log, verdict, rank);
    const bool was_before = line != 0 && file == first.file && line < first.line;
    if (troubled.contains(log, rank, process)) {
      // In another file it may have come first.
      if (was_before || (line != 0 && file != first.file)) return {};
      waiting.insert(rank);
      all_ended = all_ended && line != 0;
    } else {
      // What closes a connection prints that it is done afterwards. A rank that ends after a
      // time-out may only have been late.
      if (line == 0 || (is_timeout && !was_before)) return {};
      left.insert(rank);
    }
  }
  const bool waits = std::any_of(log.waits.begin(), log.waits.end(), [&](const auto& wait) {
    return waiting.contains(wait.second.rank);
  });
  if (left.empty() || waiting.empty() || all_ended || !(waits || first.failed)) return {};
  const bool is_one = left.size() == 1;
  std::string text = cat(ranks_name(left), " left in good order (",
                         place_of(log, destroyed_at(log, verdict, *left.begin())),
                         ": Destroy COMPLETE; no error of ", is_one ? "it" : "them", " was read",
                         ") while ", ranks_name(waiting), waiting.size() == 1 ? " was" : " were",
                         waits ? " still in a collective" : " still at work",
                         ": the ranks do not make the same number of calls, or ",
                         is_one ? "it" : "they", " left before the others had finished");
  verdict.left = std::move(left);
  return text;
}

}  // namespace nettune::tools::nccl::log::judge
