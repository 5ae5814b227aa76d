// SPDX-License-Identifier: Apache-2.0
//
// torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp of PyTorch 1.8 to 2.9, WorkNCCL::checkTimeout
// and ProcessGroupNCCL::watchdogHandler:
//
//     [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580,
//     OpType=ALLREDUCE,
//         NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.
//     Work WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, ...) timed out in blocking wait.
//     [Rank 3] Collective WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, ...) raised the following async
//         exception: NCCL error: remote process exited or there was a network error, ...
//     [PG ID 1 PG GUID 1 Rank 3] Exception (either an error or timeout) detected by watchdog at
//     work:
//         1580, last enqueued NCCL work: 1582, last completed NCCL work: 1579.
//     [PG ID 1 PG GUID 1 Rank 3]  failure detected by watchdog at work sequence id: 1580 PG status:
//         last enqueued work: 1582, last completed work: 1579
//     [PG ID 0 PG GUID 0(default_pg) Rank 6] Received a dump signal due to a collective timeout
//         from  rank 7 and we will try our best to dump the debug info. Last enqueued NCCL work:
//         1582, last completed NCCL work: 1582.
#include "tools/nccl/log/job/watchdog.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log::job {

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
  if (const auto own = of_job ? followed_number(line, "Rank ") : std::nullopt)
    wait.group_rank = *own;
  wait.sequence = sequence;
  if (const auto group = group_of(line); !group.empty()) wait.group = group;
  return &wait;
}

/// "ALLREDUCE, NumelIn=1": false where it is cut in the name.
bool take_operation(Wait& wait, std::string_view operation) {
  constexpr std::size_t kLongest = 40;
  const auto end = operation.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  if (end == operation.npos) return false;
  // A terminal may have written over it: "_ALLGATHER_BA[451/1919]" (modelscope/ms-swift issue
  // 5409).
  if (operation[end] == ',' || operation[end] == ')')
    wait.operation = operation.substr(0, std::min(end, kLongest));
  return true;
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
  if (!take_operation(*wait, work.substr(type + 7))) return true;
  wait->failed = false;
  wait->timeout_ms = followed_number(work, "Timeout(ms)=").value_or(0);
  wait->ran_ms =
      std::max<std::uint64_t>(followed_number(work, ") ran for ").value_or(0), wait->ran_ms);
  wait->elements = followed_number(work, "NumelIn=").value_or(0);
  wait->gathered = followed_number(work, "NumelOut=").value_or(0);
  return true;
}

/// An error of NCCL, which PyTorch notes for the call that it looks at. No time-out, whatever limit
/// the line names.
bool take_error(Log& log, std::string_view line) {
  const auto call = line.find("Collective WorkNCCL(");
  if (call == line.npos || line.find(" raised the following async exception", call) == line.npos)
    return false;
  const std::string_view work = line.substr(call);
  const auto sequence = followed_number(work, "SeqNum=");
  const auto type = work.find("OpType=");
  if (!sequence || type == work.npos) return false;
  Wait* const wait = wait_of(log, line, *sequence);
  if (wait == nullptr || wait->timeout_ms != 0) return true;
  wait->failed = true;
  take_operation(*wait, work.substr(type + 7));
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

}  // namespace

bool take_watchdog(Log& log, std::string_view line) {
  if (take_timeout(log, line) || take_error(log, line) || take_status(log, line) ||
      take_dump(log, line))
    return true;
  take_other_error(log, line);
  return false;
}

void drop_repeated_waits(Log& log) {
  std::set<std::tuple<std::uint32_t, std::uint64_t, std::string>> said;
  for (const auto& [key, wait] : log.waits)
    if (wait.of_job && wait.group_rank != kNone)
      said.emplace(wait.group_rank, wait.sequence, wait.operation);
  std::erase_if(log.waits, [&](const auto& entry) {
    const Wait& wait = entry.second;
    return !wait.of_job && said.contains({wait.rank, wait.sequence, wait.operation});
  });
}

}  // namespace nettune::tools::nccl::log::job
