// SPDX-License-Identifier: Apache-2.0
//
// torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp of PyTorch 1.8 to 2.9, WorkNCCL::checkTimeout
// and ProcessGroupNCCL::watchdogHandler:
//
//     [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580,
//     OpType=ALLREDUCE,
//         NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
//     Work WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, ...) timed out in blocking wait.
//     [PG ID 1 PG GUID 1 Rank 3] Exception (either an error or timeout) detected by watchdog at
//     work:
//         1580, last enqueued NCCL work: 1582, last completed NCCL work: 1579.
//     [PG ID 1 PG GUID 1 Rank 3]  failure detected by watchdog at work sequence id: 1580 PG status:
//         last enqueued work: 1582, last completed work: 1579
//     [PG ID 0 PG GUID 0(default_pg) Rank 6] Received a dump signal due to a collective timeout
//         from  rank 7 and we will try our best to dump the debug info. Last enqueued NCCL work:
//         1582, last completed NCCL work: 1582.
#include "nccl/log/watchdog.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"
#include "nccl/log/voice.hpp"

namespace nettune::nccl_log {

namespace {

constexpr std::size_t kMostWaits = std::size_t{1} << 16U;

/// Something follows each number of these lines: one at the end of a line is cut.
std::optional<std::uint32_t> followed_number(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  Cursor behind(text.substr(at + word.size()));
  const auto number = behind.number();
  return behind.at_end() ? std::nullopt : number;
}

/// "1 PG GUID 1" of "[PG ID 1 PG GUID 1 Rank 3]", "0 (default_pg)" of "[PG 0 (default_pg) Rank 3]".
std::string_view group_of(std::string_view line) {
  const auto begin = line.find("[PG ");
  const auto end = begin == line.npos ? begin : line.find(" Rank ", begin);
  constexpr std::size_t kLongest = 80;
  if (end == line.npos || end - begin > kLongest) return {};
  std::string_view group = line.substr(begin + 4, end - begin - 4);
  if (group.starts_with("ID ")) group.remove_prefix(3);
  return group;
}

/// The wait of the line's rank for this collective, made where there is none yet.
Wait* wait_of(Log& log, std::string_view line, std::uint32_t sequence) {
  const auto of_job = rank_in_front(line);
  const auto rank = of_job ? of_job : followed_number(line, "Rank ");
  if (!rank) return nullptr;
  const std::tuple key(of_job.has_value(), *rank, sequence);
  if (log.waits.size() >= kMostWaits && !log.waits.contains(key)) return nullptr;
  Wait& wait = log.waits[key];
  wait.of_job = of_job.has_value();
  wait.rank = *rank;
  wait.sequence = sequence;
  if (const auto group = group_of(line); !group.empty()) wait.group = group;
  return &wait;
}

bool take_timeout(Log& log, std::string_view line) {
  auto caught = line.find("Watchdog caught collective operation timeout: ");
  if (caught == line.npos && line.find(" timed out in blocking wait") != line.npos)
    caught = line.find("Work WorkNCCL(");
  if (caught == line.npos) return false;
  const std::string_view work = line.substr(caught);
  const auto sequence = followed_number(work, "SeqNum=");
  const auto type = work.find("OpType=");
  if (!sequence) return false;
  Wait* const wait = wait_of(log, line, *sequence);
  if (wait == nullptr || type == work.npos) return true;  // a terminal cut the line before
  constexpr std::size_t kLongest = 40;
  const std::string_view operation = work.substr(type + 7);
  const auto end = operation.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  if (end == operation.npos) return true;  // cut in the name
  // A terminal may have written over it: "_ALLGATHER_BA[451/1919]" (modelscope/ms-swift issue
  // 5409).
  if (operation[end] == ',' || operation[end] == ')')
    wait->operation = operation.substr(0, std::min(end, kLongest));
  wait->timeout_ms = followed_number(work, "Timeout(ms)=").value_or(0);
  wait->ran_ms =
      std::max<std::uint64_t>(followed_number(work, ") ran for ").value_or(0), wait->ran_ms);
  wait->elements = followed_number(work, "NumelIn=").value_or(0);
  return true;
}

bool take_status(Log& log, std::string_view line) {
  auto sequence = followed_number(line, "detected by watchdog at work: ");
  if (!sequence) sequence = followed_number(line, "detected by watchdog at work sequence id: ");
  if (!sequence) sequence = followed_number(line, "Timeout at NCCL work: ");
  if (!sequence) return false;
  if (Wait* const wait = wait_of(log, line, *sequence)) {
    wait->enqueued = followed_number(line, "last enqueued NCCL work: ");
    if (!wait->enqueued) wait->enqueued = followed_number(line, "last enqueued work: ");
    const auto completed = followed_number(line, "last completed NCCL work: ");
    wait->completed = completed ? completed : followed_number(line, "last completed work: ");
  }
  return true;
}

/// That a rank timed out ("from  rank 7", "from this local rank"), said by any rank.
bool take_dump(Log& log, std::string_view line) {
  static constexpr std::string_view kSignal =
      "Received a dump signal due to a collective timeout from ";
  const auto at = line.find(kSignal);
  if (at == line.npos) return false;
  const auto of_job = rank_in_front(line);
  const auto rank = of_job ? of_job : followed_number(line, "Rank ");
  if (!rank || log.dumps.size() >= kMostWaits) return true;
  const auto [place, is_new] = log.dumps.try_emplace(*rank);
  if (!is_new) return true;
  Dump& dump = place->second;
  dump.rank = *rank;
  dump.group = group_of(line);
  const std::string_view from = trim(line.substr(at + kSignal.size()));
  if (from.starts_with("this local rank")) dump.timed_out = *rank;
  dump.timed_out = followed_number(from, "rank ").value_or(dump.timed_out);
  dump.enqueued = followed_number(line, "Last enqueued NCCL work: ");
  dump.completed = followed_number(line, "last completed NCCL work: ");
  dump.none_completed = line.find("last completed NCCL work: -1") != line.npos;
  return true;
}

/// "[rank6]:[E419 10:42:28.887728774 ProcessGroupNCCL.cpp:616] ...": an error that says nothing of
/// a call, or that is cut before it does.
void take_other_error(Log& log, std::string_view line) {
  const auto file = line.find("ProcessGroupNCCL.cpp");
  const auto level = file == line.npos ? file : line.substr(0, file).rfind('[');
  if (level == line.npos || !line.substr(level).starts_with("[E")) return;
  const auto of_job = rank_in_front(line);
  const auto rank = of_job ? of_job : followed_number(line, "Rank ");
  if (rank && log.spoke.size() < kMostWaits) log.spoke.insert(*rank);
}

/// Waits of one process group, as far as lines say which one it is.
struct Group {
  std::map<std::pair<std::uint64_t, std::string>, std::vector<const Wait*>> calls;
  std::map<std::pair<bool, std::uint32_t>, std::uint64_t> first;  ///< of each rank, where it waits
  bool is_certain = true;  ///< all of them say that they are of it

  void add(const Wait& wait) {
    calls[{wait.sequence, wait.operation}].push_back(&wait);
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

std::string name_of(const std::set<std::uint32_t>& ranks) {
  return cat(ranks.size() == 1 ? "rank " : "ranks ", ranges({ranks.begin(), ranks.end()}));
}

std::string name_of(const std::vector<const Wait*>& waits) {
  std::set<std::uint32_t> ranks;
  for (const Wait* const wait : waits) ranks.insert(wait->rank);
  return name_of(ranks);
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
  if (operation.empty() || operation == "SEND" || operation == "RECV" || operation == "COALESCED")
    return {};
  if (sequence == 1) return ", the first call of its process group";
  const bool is_done = std::all_of(waits.begin(), waits.end(), [&](const Wait* wait) {
    return wait->completed && *wait->completed + 1 == sequence;
  });
  return is_done ? ", and all calls before were finished" : "";
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

void say_who_is_behind(const Group& group, std::vector<std::string>& into) {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const auto& [rank, sequence] : group.first) {
    least = std::min(least, sequence);
    most = std::max(most, sequence);
  }
  if (least >= most) return;
  // Those ahead may wait for more than one.
  for (const auto& [call, waits] : group.calls)
    for (const Wait* const wait : waits)
      if (group.first.at({wait->of_job, wait->rank}) != least) most = std::max(most, call.first);
  std::vector<std::uint32_t> behind;
  for (const auto& [rank, sequence] : group.first)
    if (sequence == least) behind.push_back(rank.second);
  into.push_back(cat(behind.size() == 1 ? "rank " : "ranks ", ranges(behind),
                     behind.size() == 1 ? " is" : " are", " behind: at SeqNum ", least,
                     ", others up to ", most, group.is_certain ? "" : kIfOne));
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

/// What is known only since other ranks, or the rank itself, wrote down their state.
void say_dumps(const Log& log, std::vector<std::string>& into) {
  std::set<std::uint32_t> told;
  for (const auto& [key, wait] : log.waits) told.insert(wait.rank);
  std::map<std::uint32_t, std::set<std::uint32_t>> heard;  // by who timed out
  using State = std::tuple<std::string, std::uint64_t, std::optional<std::uint64_t>, bool>;
  std::map<State, std::set<std::uint32_t>> states;
  for (const auto& [rank, dump] : log.dumps) {
    if (dump.timed_out != kNone && !told.contains(dump.timed_out))
      heard[dump.timed_out].insert(rank);
    if (dump.enqueued && !told.contains(rank))
      states[{dump.group, *dump.enqueued, dump.completed, dump.none_completed}].insert(rank);
  }
  // A rank of which the call is known, too, is named where others say the same.
  for (const auto& [rank, dump] : log.dumps)
    if (dump.enqueued && told.contains(rank))
      if (const auto same =
              states.find({dump.group, *dump.enqueued, dump.completed, dump.none_completed});
          same != states.end())
        same->second.insert(rank);
  for (const auto& [rank, by] : heard)
    into.push_back(cat("rank ", rank, " timed out in a collective",
                       by.contains(rank) ? std::string() : cat(", as ", name_of(by), " heard")));
  for (const auto& [state, ranks] : states) {
    const auto& [group, enqueued, completed, none] = state;
    std::string text = cat(name_of(ranks), " began work ", enqueued, of_group(group));
    if (!completed) {
      if (none) text += ", and none of this group was ever finished";
    } else if (*completed < enqueued) {
      text += cat(", and finished ", *completed);
    } else {
      text += ", and finished it: the call that timed out is of another process group, or ";
      text += ranks.size() == 1 ? "this rank did not make it" : "these ranks did not make it";
    }
    into.push_back(std::move(text));
  }
}

/// The log goes on behind what the watchdog says until a launcher or the scheduler reports the end.
bool shows_the_end(const Log& log) {
  return !log.last_waits.empty() &&
         std::all_of(log.last_waits.begin(), log.last_waits.end(), [&](const auto& last) {
           const auto end = log.launcher_ends.find(last.first);
           return end != log.launcher_ends.end() && end->second > last.second;
         });
}

/// Ranks that the job has, and that say nothing of a collective that others wait for. Where the end
/// of the job is there and other lines of the rank, its silence is a fact; otherwise the log may
/// lack what it said.
void say_who_is_silent(const Log& log, const Verdict& verdict, std::vector<std::string>& into) {
  std::set<std::uint32_t> said(log.spoke);
  for (const auto& [key, wait] : log.waits) said.insert(wait.rank);
  for (const auto& [rank, dump] : log.dumps)
    if (dump.timed_out != kNone) said.insert(dump.timed_out);
  for (const Event& event : log.events)
    if (event.rank != kNone) said.insert(event.rank);
  std::set<std::uint32_t> ended;
  for (const std::uint32_t rank : log.ended)
    if (!said.contains(rank)) ended.insert(rank);
  if (!ended.empty()) {
    into.push_back(cat("torchrun reports that ", name_of(ended), " failed"));
    said.insert(ended.begin(), ended.end());
  } else if (said.size() == 1 && log.heard.size() <= 1 && verdict.seen.size() <= 1) {
    into.push_back(cat("no line read here shows a rank other than ", *said.begin(),
                       ": the other ranks' logs show who is missing"));
    return;
  }
  std::uint32_t ranks = verdict.ranks;
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
    into.push_back(cat(
        "of ", name_of(silent), " the log has other lines, and the end of the job, but nothing ",
        "about it: a silent rank of the same process group is the one to check first"));
  if (!unknown.empty())
    into.push_back(cat("of ", name_of(unknown),
                       " no line about it was read; lines may be missing. In the same process "
                       "group, a rank whose own log is silent is the one to check first"));
}

}  // namespace

bool Watchdog::take_whole(std::string_view line) {
  if (take_timeout(log_, line) || take_status(log_, line) || take_dump(log_, line)) return true;
  take_other_error(log_, line);
  return false;
}

bool Watchdog::take(std::string_view line) {
  constexpr std::size_t kLongest = 600;
  std::string text(line);
  bool waits = false;
  if (!broken_.empty()) {
    const bool goes_on = line.find("[Rank ") == line.npos && line.find("[PG ") == line.npos;
    const auto call = line.find("WorkNCCL(SeqNum=");
    if (goes_on)
      text = cat(broken_, broken_.ends_with(':') ? " " : "",
                 call == line.npos ? trim(line) : line.substr(call));
    else
      waits = take_whole(broken_);
    broken_.clear();
  }
  const auto caught = text.find("Watchdog caught collective operation timeout:");
  if (caught != text.npos && text.size() < kLongest && text.find(" ran for", caught) == text.npos)
    broken_ = trim(text);
  else
    waits = take_whole(text) || waits;
  return waits;
}

void Watchdog::end_file() {
  take_whole(broken_);
  broken_.clear();
}

std::vector<std::string> explain_waits(const Log& log, const Verdict& verdict,
                                       std::string& mismatch) {
  std::vector<std::string> said;
  say_dumps(log, said);
  if (log.waits.empty()) return said;
  for (const auto& [name, group] : groups_of(log)) {
    say_calls(name, group, said);
    say_who_is_behind(group, said);
    const std::size_t before = said.size();
    say_other_calls(group, said);
    say_other_sizes(group, said);
    if (mismatch.empty() && said.size() > before) mismatch = said[before];
  }
  say_who_is_silent(log, verdict, said);
  return said;
}

}  // namespace nettune::nccl_log
