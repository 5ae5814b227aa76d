// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/communicator_lines.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/message_values.hpp"

namespace nettune::tools::nccl::log {

namespace {

constexpr std::size_t kMostOpen = 64;  ///< communicators that threads are setting up

/// By commId; where NCCL prints none (before 2.16, and of a split), by what its ranks have in
/// common. Two communicators can then look like one: `several` says so.
std::uint32_t communicator_of(Log& log, std::string_view message, std::uint32_t ranks) {
  const std::string_view said = word_behind(message, "commId ");
  // Ranks of one communicator mostly speak of it one after the other.
  if (!log.communicators.empty() && log.communicators.back().ranks == ranks &&
      log.communicators.back().id == said)
    return static_cast<std::uint32_t>(log.communicators.size() - 1);
  std::string id(said);
  if (id.empty()) {
    const std::string_view color = word_behind(message, "color ");
    id = color.empty() ? cat("of ", ranks, " ranks")
                       : cat("split of ", ranks, " ranks, color ", color);
  }
  const auto [at, is_new] = log.communicator_ids.try_emplace(
      std::pair(ranks, id), static_cast<std::uint32_t>(log.communicators.size()));
  if (!is_new) return at->second;
  Communicator& added = log.communicators.emplace_back();
  added.id = std::move(id);
  added.ranks = ranks;
  return at->second;
}

/// Before 2.21 the line does not name the call, and the id of a split is made from its parent's.
void take_reuse(Log& log, std::uint32_t index, const Membership& membership, bool complete,
                std::string_view message) {
  constexpr std::size_t kMostReuses = 64;
  const Process& process = log.processes[index];
  if (complete)
    std::erase_if(log.reuses, [&](const Reuse& one) {
      return one.process == index && one.communicator == membership.communicator &&
             one.rank == membership.rank;
    });
  else if (membership.destroyed.second != 0 && message.starts_with("ncclCommInitRank") &&
           !process.host.empty() && log.reuses.size() < kMostReuses)
    log.reuses.push_back({index, membership.communicator, membership.rank, process.progress,
                          std::string(message), 0, 0});
}

/// "comm 0x... rank 3 nranks 16 cudaDev 3 ... commId 0x... - Init START" and "... Init COMPLETE".
void take_communicator(Log& log, std::uint32_t index, std::uint32_t thread,
                       std::string_view message, bool complete) {
  const auto rank = number_behind(message, " rank ");
  const auto ranks = number_behind(message, " nranks ");
  if (!rank || !ranks || *rank >= *ranks || *ranks > kMostRanks) return;
  const std::uint32_t id = communicator_of(log, message, *ranks);
  auto& members = log.communicators[id].members;
  const auto member = members.try_emplace(*rank, index).first;
  // The name in front of a line may be torn: the rank and the communicator say whose it is.
  if (log.processes[index].host.empty()) index = member->second;
  if (log.processes[member->second].host.empty()) member->second = index;
  Process& process = log.processes[index];
  auto& open = process.open;
  std::erase_if(open, [&](const auto& entry) { return entry.first == thread; });
  if (!complete && open.size() < kMostOpen) open.emplace_back(thread, id);
  if (member->second != index) log.communicators[id].several = true;
  process.begins = process.begins || !complete;
  if (complete) {
    ++process.completed;
    ++process.progress;
    process.last = id;
  }
  auto& memberships = process.memberships;
  const auto [place, is_new] = process.places.try_emplace(std::pair(id, *rank), memberships.size());
  if (is_new) memberships.push_back({id, *rank});
  Membership& membership = memberships[place->second];
  take_reuse(log, index, membership, complete, message);
  membership.complete = membership.complete || complete;
  membership.destroyed = {};
  if (const std::uint64_t address = address_in(message); address != 0)
    process.addresses[address] = place->second;
}

/// "comm 0x1fc96400 rank 1 nranks 2 cudaDev 0 busId 60 - Destroy COMPLETE" (src/init.cc, commFree;
/// of one that was given up after an error it is "Abort COMPLETE").
void take_destroyed(const Log& log, Process& process, std::string_view message) {
  ++process.progress;
  process.last_destroyed = kNone;
  const auto known = process.addresses.find(address_in(message));
  if (known == process.addresses.end()) return;
  const Membership& membership = process.memberships[known->second];
  if (number_behind(message, " rank ") == membership.rank &&
      number_behind(message, " nranks ") == log.communicators[membership.communicator].ranks)
    process.last_destroyed = static_cast<std::uint32_t>(known->second);
}

void say(Process& process, std::uint32_t rank, std::uint32_t ranks) {
  constexpr std::size_t kMost = 64;
  const std::pair said(rank, ranks);
  auto& all = process.said;
  if (all.size() < kMost && std::find(all.begin(), all.end(), said) == all.end())
    all.push_back(said);
}

/// "comm 0x... rank 3 nRanks 16 nNodes 2 localRanks 8 ..." (2.20.3 and later)
void take_nodes(Log& log, std::uint32_t index, std::uint32_t thread, std::string_view message) {
  const auto nodes = whole_number_behind(message, " nNodes ");
  const auto rank = whole_number_behind(message, " rank ");
  const auto ranks = whole_number_behind(message, " nRanks ");
  const std::uint32_t id = open_communicator(log.processes[index], thread);
  if (nodes && id != kNone && ranks == log.communicators[id].ranks)
    log.communicators[id].nodes = *nodes;
  if (rank && ranks) say(log.processes[index], *rank, *ranks);
}

/// "... rank 31 nranks 32 cudaDev 7 ..." of a line about a communicator that is cut before it says
/// more. A number at the end may be cut itself.
void take_said(Process& process, std::string_view message) {
  const auto at = find_word(message, " nranks ");
  if (at == message.npos) return;
  Cursor behind(message.substr(at + 8));
  const auto ranks = behind.number();
  const auto rank = number_behind(message, " rank ");
  if (rank && ranks && behind.skip(" ") && *rank < *ranks && *ranks <= kMostRanks)
    say(process, *rank, *ranks);
}

/// "Bootstrap Root : rank 1 of 8 ranks has already checked in", "Bootstrap Root : mismatch in info
/// from procs, nranks 16 vs 16, nroots 1 vs 1, ..."
bool take_checked_in(Log& log, std::string_view message) {
  Cursor at(message);
  if (!at.skip("Bootstrap Root : ")) return false;
  std::optional<std::uint32_t> ranks;
  if (at.skip("rank ")) {
    ranks = at.number() && at.skip(" of ") ? at.number() : std::nullopt;
    if (!at.skip(" ranks ")) ranks.reset();
  } else if (at.skip("mismatch in info from procs, nranks ")) {
    ranks = at.number();
    if (!at.skip(" vs ") || at.number() != ranks) ranks.reset();
  }
  if (ranks) add_size(log, *ranks);
  return true;
}

/// "AllReduce: opCount 0 sendbuff 0x7f ... comm 0x55 [nranks=4] stream 0x56" of the subsystem COLL
/// (src/enqueue.cc)
bool take_call(Log& log, std::string_view message) {
  constexpr std::string_view kRanks = " [nranks=";
  if (message.find(": opCount ") == message.npos) return false;
  const auto at = message.find(kRanks);
  if (at == message.npos) return true;
  Cursor behind(message.substr(at + kRanks.size()));
  const auto ranks = behind.number();
  if (ranks && behind.skip("]")) add_size(log, *ranks);
  return true;
}

/// What these lines begin with. True where it is one of them.
bool take_by_begin(Log& log, std::uint32_t index, std::string_view message) {
  Process& process = log.processes[index];
  Cursor at(message);
  switch (message.empty() ? '\0' : message.front()) {
    case 'A':  // AllReduce, AllGather, AlltoAll
    case 'G':
    case 'R':
    case 'S':
      return take_call(log, message);
    case 'B':
      return take_checked_in(log, message) || take_call(log, message);
    case 'I': {  // 2.22 and later
      if (!at.skip("Init timings")) return false;
      const auto rank = whole_number_behind(message, " rank ");
      const auto ranks = whole_number_behind(message, " nranks ");
      if (rank && ranks) say(process, *rank, *ranks);
      return true;
    }
    case 'T':
      if (!at.skip("Trees ")) return false;
      take_size(log, message);
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint64_t address_in(std::string_view message) {
  const std::string_view text = word_behind(message, "comm 0x");
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address, 16);
  return error == std::errc() && end == text.data() + text.size() ? address : 0;
}

std::uint32_t open_communicator(const Process& process, std::uint32_t thread) {
  for (const auto& [open_thread, communicator] : process.open)
    if (open_thread == thread) return communicator;
  return kNone;
}

void add_size(Log& log, std::uint32_t ranks) {
  constexpr std::size_t kMostSizes = 64;
  if (ranks != 0 && ranks <= kMostRanks && log.sizes.size() < kMostSizes) log.sizes.insert(ranks);
}

void take_size(Log& log, std::string_view message) {
  const auto at = message.rfind(" nRanks ");
  if (at == message.npos) return;
  Cursor behind(message.substr(at + 8));
  const auto ranks = behind.number();
  if (ranks && behind.skip(" ")) add_size(log, *ranks);
}

bool take_communicator_line(Log& log, std::uint32_t index, std::uint32_t thread,
                            std::string_view message) {
  // Mostly one of these; the line may go on behind it.
  if (const bool complete = message.ends_with(" - Init COMPLETE");
      complete || message.ends_with(" - Init START")) {
    take_communicator(log, index, thread, message, complete);
    return true;
  }
  if (take_by_begin(log, index, message)) return true;
  Process& process = log.processes[index];
  if (find_word(message, "Destroy COMPLETE") != message.npos) take_destroyed(log, process, message);
  if (find_word(message, " Init ") != message.npos) {
    const bool complete = find_word(message, "Init COMPLETE") != message.npos;
    if (complete || find_word(message, "Init START") != message.npos)
      take_communicator(log, index, thread, message, complete);
    else
      take_said(process, message);
    return true;
  }
  if (find_word(message, " nNodes ") != message.npos) {
    take_nodes(log, index, thread, message);
    return true;
  }
  if (!message.starts_with("comm 0x") && !message.starts_with("ncclComm")) return false;
  take_said(process, message);
  return true;
}

}  // namespace nettune::tools::nccl::log
