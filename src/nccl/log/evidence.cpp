// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/evidence.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

namespace {

constexpr std::size_t kLongest = 300;  ///< of a text that is kept
constexpr std::size_t kMostOpen = 64;  ///< communicators that threads are setting up
constexpr std::size_t kMostValues = 256;
constexpr std::uint32_t kMostRanks = 1U << 22U;

/// What stands behind `word`, up to the next blank.
template <std::size_t N>
std::string_view word_behind(std::string_view message, const char (&word)[N]) {
  const auto at = find_word(message, word);
  if (at == message.npos) return {};
  const std::string_view rest = message.substr(at + N - 1);
  return rest.substr(0, rest.find(' '));
}

template <std::size_t N>
std::optional<std::uint32_t> number_behind(std::string_view message, const char (&word)[N]) {
  return Cursor(word_behind(message, word)).number();
}

/// The same, where more of the line follows: a number at the end of a line may be a part of one.
template <std::size_t N>
std::optional<std::uint32_t> whole_number_behind(std::string_view message, const char (&word)[N]) {
  const auto at = find_word(message, word);
  if (at == message.npos) return {};
  Cursor behind(message.substr(at + N - 1));
  const auto number = behind.number();
  return behind.at_end() ? std::nullopt : number;
}

/// Without a last word that has no `end` in it: it is a part of one.
std::string_view without_part(std::string_view text, char end) {
  text = trim(text);
  const auto last = text.rfind(' ');
  const auto word = last == text.npos ? text : text.substr(last + 1);
  if (word.find(end) != word.npos) return text;
  return last == text.npos ? std::string_view() : trim(text.substr(0, last));
}

/// A long text ends with a whole word, and says that it goes on.
std::uint32_t name(Log& log, std::string_view text) {
  text = trim(text);
  if (text.size() <= kLongest) return log.names.id(text);
  return log.names.id(cat(trim(text.substr(0, text.rfind(' ', kLongest))), " ..."));
}

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

/// "comm 0x... rank 3 nranks 16 cudaDev 3 ... commId 0x... - Init START" and "... Init COMPLETE";
/// up to 2.3 "comm 0x... rank 3 nranks 16" and "comm 0x... rank 3 nranks 16 - COMPLETE".
void take_communicator(Log& log, std::uint32_t index, std::uint32_t thread,
                       std::string_view message) {
  const bool complete =
      find_word(message, "Init COMPLETE") != message.npos || trim(message).ends_with(" - COMPLETE");
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

/// "rank 0 nranks 8" (init.cu of 2.3)
bool take_old_rank(Process& process, std::string_view message) {
  Cursor at(message);
  const auto rank = at.skip("rank ") ? at.number() : std::nullopt;
  const auto ranks = rank && at.skip(" nranks ") ? at.number() : std::nullopt;
  if (!ranks || !trim(at.rest()).empty() || *rank >= *ranks || *ranks > kMostRanks) return false;
  say(process, *rank, *ranks);
  return true;
}

/// "Trees [0] 17/24/-1->16->0 ... comm 0x5609976f9470 nRanks 32 busId 17000" of RCCL.
void take_size(Log& log, std::string_view message) {
  constexpr std::size_t kMostSizes = 64;
  const auto at = message.rfind(" nRanks ");
  if (at == message.npos) return;
  Cursor behind(message.substr(at + 8));
  const auto ranks = behind.number();
  if (ranks && behind.skip(" ") && *ranks <= kMostRanks && log.sizes.size() < kMostSizes)
    log.sizes.insert(*ranks);
}

/// "NCCL_IB_TC set by environment to 106." and "NCCL_IB_HCA set to mlx5".
bool take_environment(Process& process, std::string_view message, bool whole) {
  const auto blank = message.find(' ');
  if (blank > 64) return false;  // npos is, too
  Cursor at(message.substr(blank));
  if (!at.skip(" set by environment to ") && !at.skip(" set from environment to ") &&
      !at.skip(" set to "))
    return false;
  std::string_view value = trim(at.rest()).substr(0, kLongest);
  if (value.ends_with('.'))
    value.remove_suffix(1);
  else if (!whole)
    return true;
  const std::string_view variable = message.substr(0, blank);
  if (process.environment.size() < kMostValues && !process.environment.contains(variable))
    process.environment.emplace(variable, value);
  return true;
}

/// "comm 0x7f132405ad20 rank 1 nranks 8", and " - COMPLETE" behind it (init.cu of 2.3).
bool is_old_communicator(std::string_view message, bool whole) {
  Cursor at(message);
  if (!at.skip("comm 0x")) return false;
  const auto ranks = find_word(message, " nranks ");
  if (ranks == message.npos) return false;
  at = Cursor(message.substr(ranks + 8));
  if (!at.number()) return false;
  return trim(at.rest()) == "- COMPLETE" || (whole && trim(at.rest()).empty());
}

/// " [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>"
void take_ib_devices(Log& log, Process& process, std::string_view text) {
  const auto oob = find_word(text, "; OOB ");
  if (oob == std::string_view::npos) return;
  std::string_view devices = trim(text.substr(0, oob));
  if (devices.ends_with("[RO]")) devices.remove_suffix(4);
  // From 2.26 on the line comes without a device, too.
  if (trim(devices).empty()) return;
  add_once(process.ib, name(log, devices));
  if (const auto own = without_part(text.substr(oob + 6), '>'); !own.empty())
    add_once(process.oob, name(log, own));
}

/// "NET/IB: Dev 0 Port 1 qpn 137 mtu 5 GID 3 (80FE/...)" and its later forms.
void take_gid(Process& process, std::string_view message) {
  auto device = number_behind(message, "IbDev ");
  if (!device) device = number_behind(message, "Dev ");
  const auto port = number_behind(message, "Port ");
  const auto gid = find_word(message, " GID ");
  if (!device || !port || gid == message.npos || process.gids.size() >= kMostValues) return;
  const auto index = whole_number_behind(message, " GID ");
  if (index) process.gids.insert(cat("device ", *device, " port ", *port, " index ", *index));
}

void take_network(Log& log, Process& process, std::string_view message, bool whole) {
  Cursor at(message);
  if (at.skip("NET/IB : Using")) return take_ib_devices(log, process, at.rest());
  if (at.skip("NET/Socket : Using [")) {
    const auto all = without_part(message.substr(message.find('[')), '>');
    if (!all.empty()) add_once(process.sockets, name(log, all));
    return;
  }
  const bool is_off =
      message.starts_with("NET/OFI ") && (message.find("disabling GDR") != message.npos ||
                                          message.find("GDR not supported") != message.npos);
  if (is_off || find_word(message, "GPU Direct RDMA") != message.npos) {
    if (whole) add_once(process.gdr, name(log, message));
    return;
  }
  if (at.skip("NET/IB: [")) {  // "[0] mlx5_0:1/IB ", up to 2.3
    // "[0] mlx5_0:uverbs0:1/IB provider=Mlx5 ... pciPath=...", before "NET/IB : Using" (2.18)
    if (at.rest().find(" provider=") != std::string_view::npos) return;
    process.ib_by_line = true;
    if (!whole) return;
    if (const auto end = find_word(at.rest(), "] ");
        end <= 3 && process.ib_listed.size() < kLongest)
      process.ib_listed +=
          cat(" [", at.rest().substr(0, end), "]", trim(at.rest().substr(end + 2)));
    return;
  }
  if (at.skip("NET/IB: ")) return take_gid(process, at.rest());
  // "NET/OFI Tuner init: comm with 8 ranks and 1 nodes." (aws/aws-ofi-nccl)
  if (message.find(" ranks and ") != message.npos)
    if (const auto ranks = number_behind(message, ": comm with ")) {
      if (*ranks <= kMostRanks) log.sizes.insert(*ranks);
      return;
    }
  // Of a connection: google/nccl-fastsocket net_fastsocket.cc.
  if (at.skip("NET/FastSocket : Connected") || at.skip("NET/FastSocket : Accepted data"))
    return add_once(process.networks, log.names.id("FastSocket"));
  if (at.skip("NET/IB : No device found"))
    return add_once(process.reasons, name(log, "NET/IB : No device found."));
  // aws/aws-ofi-nccl src/nccl_ofi_rdma.cpp: why its plugin is not used.
  if (at.skip("NET/OFI No eligible providers"))
    return add_once(process.reasons, name(log, "NET/OFI No eligible providers were found"));
  if (whole &&
      (at.skip("NET/IB : Unable to open device") || at.skip("NET/IB : SHARP coll init error") ||
       at.skip("NET/Plugin") || at.skip("NET/OFI Selected")))
    add_once(process.reasons, name(log, message));
}

/// "Connected all rings, use ring PXN 1 GDR 1": over all ranks of the communicator (2.24.3+).
void take_connected(Process& process, std::string_view message) {
  if (const auto gdr = number_behind(message, "use ring PXN "); gdr) {
    const auto used = number_behind(message, " GDR ");
    if (used) process.ring_gdr = *used == 0 ? Answer::no : process.ring_gdr;
    if (used && process.ring_gdr == Answer::unknown) process.ring_gdr = Answer::yes;
  }
  ++process.progress;
  if (message.starts_with("Connected all rings")) process.rings = true;
  if (message.starts_with("Connected NVLS tree")) process.nvls = Answer::yes;
}

/// "24 coll channels, 0 collnet channels, 16 nvls channels, 32 p2p channels, ..."
void take_channels(Process& process, std::string_view message) {
  const auto at = find_word(message, " nvls channels");
  if (at == message.npos || find_word(message, " coll channels") == message.npos) return;
  const auto begin = message.find_last_not_of("0123456789", at - 1);
  const auto count = Cursor(message.substr(begin == message.npos ? 0 : begin + 1)).number();
  if (!count) return;
  if (*count > 0) process.nvls = Answer::yes;
  if (*count == 0 && process.nvls == Answer::unknown) process.nvls = Answer::no;
}

bool is_reason(std::string_view message) {
  static constexpr std::string_view kStarts[] = {"Failed to open libibverbs",
                                                 "Count not open",
                                                 "Could not open libib",  // of RCCL
                                                 "Failed to initialize NET plugin",
                                                 "Plugin Path",
                                                 "P2P plugin",
                                                 "Successfully loaded external",
                                                 "Plugin name set by env to ",
                                                 "External network plugin",
                                                 "P2P is disabled between",
                                                 "Could not enable P2P between",
                                                 "SHARP group create",
                                                 "Cannot initialize CollNet",
                                                 "Net/IB: call to devices() returned 0 devices",
                                                 "Disabling external plugins"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return message.starts_with(start); });
}

}  // namespace

std::uint64_t address_in(std::string_view message) {
  const std::string_view text = word_behind(message, "comm 0x");
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address, 16);
  return error == std::errc() && end == text.data() + text.size() ? address : 0;
}

bool is_whole_version(std::string_view version, bool newline) {
  version = trim(version);
  const auto cuda = find_word(version, "+cuda");
  if (cuda == version.npos) {
    Cursor at(version);
    if (!at.number() || !at.skip(".") || !at.number() || !at.skip(".")) return false;
    const std::string_view third = at.rest();
    return third.size() == 1 && is_digit(third[0]) && (newline || third[0] != '1');
  }
  Cursor at(version.substr(cuda + 5));
  return at.number() && at.skip(".") && at.rest().size() == 1 && at.number();
}

/// Another line may have torn it. In "AWS Libfabric" each word begins with a capital letter.
bool may_be_network(std::string_view name) {
  const auto all = words(name);
  const auto is_capital = [](std::string_view word) { return word[0] >= 'A' && word[0] <= 'Z'; };
  if (all.size() == 1) {
    const char begin = all[0][0];
    return is_capital(all[0]) || (begin >= 'a' && begin <= 'z') || is_digit(begin);
  }
  return !all.empty() && name.find(',') == name.npos && std::ranges::all_of(all, is_capital);
}

bool ends_with_network(std::string_view message) {
  static constexpr std::string_view kNames[] = {"IB", "Socket", "AWS Libfabric", "FastSocket"};
  constexpr std::string_view kUsing = "Using network ";
  message = trim(message);
  if (message.starts_with(kUsing))
    return std::find(std::begin(kNames), std::end(kNames), message.substr(kUsing.size())) !=
           std::end(kNames);
  Connection connection;
  return parse_connection(message, connection) == Parsed::found &&
         connection.transport == Transport::net && connection.detail == "Socket";
}

void take_forced_merge(Process& process, std::string_view text) {
  constexpr std::string_view kVariable = "NCCL_NET_FORCE_MERGE";
  constexpr std::string_view kFront = "TOPO/NET : Force-fusing NICs using ";
  const auto at = text.find(kFront);
  if (at == text.npos) return;
  const std::string_view said = text.substr(at + kFront.size());
  if (!said.starts_with(kVariable) || !said.substr(kVariable.size()).starts_with('=')) return;
  process.environment.emplace(kVariable,
                              trim(said.substr(kVariable.size() + 1)).substr(0, kLongest));
}

std::uint32_t open_communicator(const Process& process, std::uint32_t thread) {
  for (const auto& [open_thread, communicator] : process.open)
    if (open_thread == thread) return communicator;
  return kNone;
}

void take_evidence(Log& log, std::uint32_t index, std::uint32_t thread, std::string_view message,
                   bool whole) {
  Process& process = log.processes[index];
  Cursor at(message);
  // By the first letter: this is asked for every line that is not about a connection.
  switch (message.empty() ? '\0' : message.front()) {
    case 'N':
      if (at.skip("NET/")) return take_network(log, process, message, whole);
      if (at.skip("NET : Using interface ")) {  // up to 2.3; the first is that of the bootstrap
        if (const auto used = without_part(at.rest(), '>');
            process.bootstrap.empty() && !used.empty())
          add_once(process.bootstrap, name(log, used));
        return;
      }
      if (at.skip("NCCL version ")) {
        if (whole || is_whole_version(at.rest(), false))
          add_once(process.versions, name(log, at.rest()));
        return;
      }
      if (at.skip("NCCL_") && take_environment(process, message, whole)) return;
      if (at.skip("NVLS multicast support is not available")) {
        if (process.nvls == Answer::unknown) process.nvls = Answer::no;
        return;
      }
      break;
    case 'U':
      if (at.skip("Using network ") || at.skip("Using internal Network ")) {  // the latter of 2.3
        ++process.progress;
        if (!process.ib_listed.empty()) add_once(process.ib, name(log, process.ib_listed));
        process.ib_listed.clear();
        if (const std::string_view network = trim(at.rest()); whole && may_be_network(network))
          add_once(process.networks, name(log, network));
        return;
      }
      break;
    case 'B':
      if (at.skip("Bootstrap Root : rank ")) {  // "... 1 of 8 ranks has already checked in"
        const auto ranks = at.number() && at.skip(" of ") ? at.number() : std::nullopt;
        if (ranks && at.skip(" ranks ") && *ranks <= kMostRanks) log.sizes.insert(*ranks);
        return;
      }
      if (at.skip("Bootstrap : Using") || at.skip("Bootstrap: Using")) {
        if (const auto used = without_part(at.rest(), '>'); !used.empty())
          add_once(process.bootstrap, name(log, used));
        return;
      }
      break;
    case 'C':
      if (at.skip("Connected ")) return take_connected(process, message);
      break;
    case 'I':
      if (at.skip("Init timings")) {  // 2.22 and later
        const auto rank = whole_number_behind(message, " rank ");
        const auto ranks = whole_number_behind(message, " nranks ");
        if (rank && ranks) say(process, *rank, *ranks);
        return;
      }
      break;
    case 'n':
      if (whole && at.skip("ncclMaxSharedMem ")) {
        process.shared_memory = name(log, message);
        return;
      }
      break;
    case 'G':
      if (at.skip("GPU Direct RDMA")) {
        if (whole) add_once(process.gdr, name(log, message));
        return;
      }
      break;
    case 'T':
      if (at.skip("Trees ")) return take_size(log, message);
      if (whole) take_forced_merge(process, message);
      break;
    case 'r':
      if (whole && take_old_rank(process, message)) return;
      break;
    case 'c':
      if (is_old_communicator(message, whole))
        return take_communicator(log, index, thread, message);
      if (at.skip("cudaDriverVersion ")) {
        const auto number = at.number();
        if (number && *number >= 1000 && (whole || !at.at_end())) process.cuda_driver = *number;
        return;
      }
      break;
    default:
      break;
  }
  if (find_word(message, "Destroy COMPLETE") != message.npos) take_destroyed(log, process, message);
  if (find_word(message, " Init ") != message.npos) {
    const bool is_of_it = find_word(message, "Init COMPLETE") != message.npos ||
                          find_word(message, "Init START") != message.npos;
    if (is_of_it) return take_communicator(log, index, thread, message);
    return take_said(process, message);
  }
  if (find_word(message, " nNodes ") != message.npos)
    return take_nodes(log, index, thread, message);
  if (message.starts_with("comm 0x") || message.starts_with("ncclComm"))
    return take_said(process, message);
  if (find_word(message, " channels") != message.npos) return take_channels(process, message);
  if (whole && is_reason(message)) add_once(process.reasons, name(log, message));
}

}  // namespace nettune::nccl_log
