// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/dumps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "tools/nccl/log/judge/leavers.hpp"
#include "tools/nccl/log/judge/waits.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// Whether the name of a process group is the same on all ranks. "[PG 1 Rank 3]" has a number that
/// each process has its own count (ProcessGroupNCCL.cpp of PyTorch 2.2).
bool is_name_of_all(std::string_view group) {
  return group.find("PG GUID ") != group.npos || group.find("(default_pg)") != group.npos;
}

/// The calls that time-outs are of: the first of them, where all are collectives of one process
/// group that is named.
struct Waited {
  std::string group;
  std::uint64_t first = UINT64_MAX;
  bool is_clear = true;

  void add(const std::string& of, std::uint64_t sequence, bool clear) {
    is_clear = is_clear && clear && (first == UINT64_MAX || of == group);
    group = of;
    first = std::min(first, sequence);
  }
};

/// The time-outs that a rank may have heard of when it wrote down its state: where it says whose,
/// those of that rank, and those of which only the rank in its process group is known.
class TimeoutsHeard {
 public:
  explicit TimeoutsHeard(const Log& log) {
    for (const auto& [key, wait] : log.waits) {
      if (wait.failed) continue;
      const bool is_clear = is_name_of_all(wait.group) && is_counted_alike(wait.operation);
      all_.add(wait.group, wait.sequence, is_clear);
      (wait.of_job ? by_rank_[wait.rank] : others_).add(wait.group, wait.sequence, is_clear);
    }
  }
  /// The first call of its process group that was waited for; nothing where that is not certain.
  std::optional<std::uint64_t> call_for(const Dump& dump) const {
    Waited heard = all_;
    if (dump.timed_out != kNone) {
      heard = others_;
      if (const auto of_rank = by_rank_.find(dump.timed_out); of_rank != by_rank_.end())
        heard.add(of_rank->second.group, of_rank->second.first, of_rank->second.is_clear);
    }
    const bool is_its = heard.first != UINT64_MAX && heard.is_clear && heard.group == dump.group;
    return is_its ? std::optional(heard.first) : std::nullopt;
  }

 private:
  Waited all_;
  Waited others_;
  std::map<std::uint32_t, Waited> by_rank_;
};

/// How far a rank was in a process group when it wrote down its state, and the call that others
/// waited for there.
struct State {
  std::string group;
  std::uint64_t enqueued = 0;
  std::optional<std::uint64_t> completed;
  bool none_completed = false;
  std::optional<std::uint64_t> waited_for;

  State(const TimeoutsHeard& timeouts, const Dump& dump)
      : group(dump.group),
        enqueued(*dump.enqueued),
        completed(dump.completed),
        none_completed(dump.none_completed),
        waited_for(timeouts.call_for(dump)) {}
  auto operator<=>(const State&) const = default;
  /// These ranks had not made it, by their own numbers.
  bool lacks_it() const { return waited_for && enqueued < *waited_for; }
};

std::string who_lacks_it(const std::set<std::uint32_t>& ranks, const State& state) {
  return cat(ranks_name(ranks), " had not made the call at SeqNum ", *state.waited_for, " when ",
             ranks.size() == 1 ? "it" : "they", " heard of the time-out");
}

std::string how_far(const std::set<std::uint32_t>& ranks, const State& state) {
  const bool is_one = ranks.size() == 1;
  if (state.lacks_it()) {
    std::string text = cat(
        who_lacks_it(ranks, state), is_one ? ", so its process was" : ", so their processes were",
        " alive then: the last work begun in process group ", state.group, " is ", state.enqueued);
    if (state.completed == state.enqueued)
      text += ", which is finished";
    else if (state.completed)
      text += cat(", the last one finished ", *state.completed);
    // ProcessGroupNCCL.cpp: workEnqueue() takes the number of either kind.
    text += " (PyTorch counts sends and receives by themselves)";
    return text;
  }
  std::string text = cat(ranks_name(ranks), " began work ", state.enqueued,
                         state.group.empty() ? "" : ", process group ", state.group);
  if (!state.completed) {
    if (state.none_completed) text += ", and none of this group was ever finished";
  } else if (*state.completed < state.enqueued) {
    text += cat(", and finished ", *state.completed);
  } else {
    text += ", and finished it";
    if (!state.waited_for)
      text += cat(": the call that timed out is of another process group, or ",
                  is_one ? "this rank did not make it" : "these ranks did not make it");
  }
  return text;
}

}  // namespace

void say_dumps(const Log& log, std::vector<std::string>& into, std::string& missing) {
  const TimeoutsHeard timeouts(log);
  std::set<std::uint32_t> told;
  for (const auto& [key, wait] : log.waits) told.insert(wait.rank);
  std::map<std::uint32_t, std::set<std::uint32_t>> heard;  // by who timed out
  std::map<State, std::set<std::uint32_t>> states;
  for (const auto& [rank, dump] : log.dumps) {
    if (dump.timed_out != kNone && !told.contains(dump.timed_out))
      heard[dump.timed_out].insert(rank);
    if (dump.enqueued && !told.contains(rank)) states[State(timeouts, dump)].insert(rank);
  }
  // A rank of which the call is known, too, is named where others say the same.
  for (const auto& [rank, dump] : log.dumps) {
    if (!dump.enqueued || !told.contains(rank)) continue;
    State state(timeouts, dump);
    auto same = states.find(state);
    state.waited_for.reset();
    if (same == states.end()) same = states.find(state);
    if (same != states.end()) same->second.insert(rank);
  }
  for (const auto& [rank, by] : heard)
    into.push_back(cat("a collective of rank ", rank, " timed out or failed",
                       by.contains(rank) ? std::string() : cat(", as ", ranks_name(by), " heard")));
  for (const auto& [state, ranks] : states) {
    into.push_back(how_far(ranks, state));
    if (missing.empty() && state.lacks_it()) missing = who_lacks_it(ranks, state);
  }
}

}  // namespace nettune::tools::nccl::log::judge
