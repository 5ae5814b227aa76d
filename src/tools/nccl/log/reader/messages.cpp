// SPDX-License-Identifier: Apache-2.0
//
// What the reader does with one message of NCCL, once it stands alone.
#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/communicator_lines.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/evidence.hpp"
#include "tools/nccl/log/job/libraries.hpp"
#include "tools/nccl/log/lines.hpp"
#include "tools/nccl/log/reader/reader.hpp"

namespace nettune::tools::nccl::log::reader {

namespace {

/// Takes "[repeated 15x across cluster]" off: by default Ray prints the first of lines that are
/// alike, and one for all others, of which this is the number.
std::uint32_t take_repeated(std::string_view& message) {
  const std::string_view text = trim(message);
  if (!text.ends_with(']') && !text.ends_with(')')) return 0;
  const auto at = text.find("[repeated ");
  if (at == std::string_view::npos) return 0;
  Cursor behind(text.substr(at + 10));
  const auto times = behind.number();
  if (!times || !behind.skip("x across cluster]")) return 0;
  message = text.substr(0, at);
  return *times;
}

/// Lines about a connection that is being made: errors where it says so.
bool is_connect(std::string_view message) {
  return begins(message, "Call to ") || begins(message, "socket");
}

}  // namespace

bool Reader::take_quickly(std::string_view text, std::size_t nccl) {
  constexpr std::string_view kInfo = "NCCL INFO ";
  if (!begins(text.substr(nccl), "NCCL INFO ")) return false;
  const Speaker speaker = processes_.speaker_of(text, nccl);
  // Of "[repeated 3x across cluster]" and of JSON the slow way takes care.
  if (speaker.process == kNone || text.ends_with(']') || text.ends_with(')') || text.ends_with('}'))
    return false;
  const std::string_view message = text.substr(nccl + kInfo.size());
  Connection connection;
  switch (parse_connection(message, connection)) {
    case Parsed::damaged:
      return false;
    case Parsed::found:
      take_connection(speaker, connection);
      break;
    case Parsed::other:
      if (is_connect(message) || FailedCalls::is_one(message)) return false;
      take_info(speaker, message, true);
  }
  ++log_.messages;
  return true;
}

void Reader::take_message(const Prefix& prefix, std::uint32_t process, std::string_view message,
                          bool whole, std::string_view rest) {
  ++log_.messages;
  if (log_.processes[process].host.empty())
    ++log_.unnamed;
  else
    processes_.take_device(process, prefix);
  if (const std::uint32_t times = take_repeated(message); times != 0) log_.repeated += times - 1;
  if (prefix.level == Level::warn) {
    take_info({process, prefix.tid}, message, whole);
    // Why a kernel cannot start NCCL says long before, as an INFO.
    std::string longer;
    const std::uint32_t shared_memory = log_.processes[process].shared_memory;
    if (shared_memory != kNone && prefix.place.find("enqueue.c") != prefix.place.npos &&
        message.find("invalid argument") != message.npos)
      message = longer = cat(trim(message), "; earlier: ", log_.names.text(shared_memory));
    const std::uint32_t cause = events_.cause_of(Cause::By::nccl, message, prefix.place);
    const std::uint32_t event = events_.take(
        {process, kNone, prefix.time, message, 0, {}, prefix.device, prefix.place}, cause);
    calls_.expect_bare(log_.processes[process].host.empty());
    constexpr std::size_t kSaysNothing = 20;
    if (cause == kNone && (!whole || position_.is_last()) && trim(message).size() < kSaysNothing &&
        event + 1 == log_.events.size() && log_.events.back().count == 1)
      log_.events.back().cut = true;
    return;
  }
  if (prefix.level != Level::info) return;
  Connection connection;
  std::string longer;
  switch (parse_connection(message, connection)) {
    case Parsed::found: {
      const bool may_lack_its_end =
          !whole && !connection.gdr &&
          (connection.transport == Transport::net || connection.transport == Transport::collnet);
      if (!may_lack_its_end) return take_connection({process, prefix.tid}, connection);
      break;
    }
    case Parsed::damaged:
      if (const std::size_t more =
              whole ? Wrapped::join_connection(message, rest, longer, connection) : 0;
          more != 0) {
        joined_ = more;
        return take_connection({process, prefix.tid}, connection);
      }
      break;
    case Parsed::other:
      take_info({process, prefix.tid}, message, whole);
      if (FailedCalls::is_one(message)) return calls_.take({process, prefix.tid}, message);
      if (!is_connect(message)) return;
      if (const auto cause = events_.cause_of(Cause::By::nccl, message); cause != kNone)
        events_.take({process, kNone, prefix.time, message, 0, {}, prefix.device}, cause);
      return;
  }
  ++log_.damaged;
  ++log_.processes[process].damaged;
}

void Reader::take_connection(Speaker speaker, const Connection& connection) {
  ++log_.connections[static_cast<std::size_t>(connection.transport)];
  log_.gdr_connections += connection.gdr ? 1U : 0U;
  Edge edge;
  edge.process = speaker.process;
  edge.own = connection.own();
  edge.communicator = connection.behind.empty() ? kNone : communicator_named(speaker, connection);
  if (edge.communicator == kNone) edge.communicator = communicator_of(speaker, edge.own);
  edge.peer = connection.peer();
  edge.channel = connection.channel;
  edge.index = static_cast<std::uint8_t>(std::min(connection.index, 255U));
  auto& [detail, id] = last_detail_[static_cast<std::size_t>(connection.transport)];
  if (detail != connection.detail) {
    detail = connection.detail;
    id = log_.names.id(detail);
  }
  edge.detail = id;
  edge.device = connection.device;
  edge.proxy = connection.proxy;
  edge.transport = connection.transport;
  edge.side = connection.side;
  edge.gdr = connection.gdr;
  const bool is_early = edge.communicator == kNone && !begins_communicators(speaker.process);
  (is_early ? early_[{speaker.process, speaker.thread}] : log_.edges).add(edge);
}

void Reader::settle_early(Speaker speaker, std::uint32_t communicator) {
  const auto found = early_.find({speaker.process, speaker.thread});
  if (found == early_.end()) return;
  for (Edge edge : found->second.all()) {
    edge.communicator = communicator;
    log_.edges.add(edge);
  }
  early_.erase(found);
}

void Reader::take_info(Speaker speaker, std::string_view message, bool whole) {
  if (message.starts_with("RCCL version")) job::take_versions(log_, position_, message);
  if (whole) rings_.take(message);
  const std::uint32_t completed = log_.processes[speaker.process].completed;
  take_evidence(log_, speaker.process, speaker.thread, message, whole);
  Process& process = log_.processes[speaker.process];
  if (process.last_destroyed != kNone)
    process.memberships[std::exchange(process.last_destroyed, kNone)].destroyed = {
        position_.file(), position_.line()};
  if (!log_.reuses.empty() && log_.reuses.back().line == 0)
    std::tie(log_.reuses.back().file, log_.reuses.back().line) =
        std::pair(position_.file(), position_.line());
  // From 2.21 on the line begins with the name of the call, and connections may come later.
  if (process.completed != completed) {
    log_.timelines[position_.file()].add(Timeline::Kind::complete, position_.line());
    process.completed_at = {position_.file(), position_.line()};
    settle_early(speaker, message.starts_with("comm ") ? process.last : kNone);
  }
  const auto& open = process.open;
  if (speaker.process >= setups_.size()) setups_.resize(log_.processes.size());
  Setup& setup = setups_[speaker.process];
  setup = {};
  setup.begins = process.begins;
  if (!open.empty()) std::tie(setup.thread, setup.communicator) = open.front();
  setup.several = open.size() > 1;
  if (process.begins && shows_its_start(process) && process.memberships.size() == 1 &&
      process.memberships.front().complete)
    std::tie(setup.only, setup.rank) =
        std::pair(process.memberships.front().communicator, process.memberships.front().rank);
}

std::uint32_t Reader::communicator_named(Speaker speaker, const Connection& connection) const {
  const std::uint64_t address = address_in(connection.behind);
  const Process& process = log_.processes[speaker.process];
  const auto known = address == 0 ? process.addresses.end() : process.addresses.find(address);
  return known == process.addresses.end() ? kNone : process.memberships[known->second].communicator;
}

std::uint32_t Reader::communicator_of(Speaker speaker, std::uint32_t rank) const {
  if (speaker.process >= setups_.size()) return kNone;
  const Setup& setup = setups_[speaker.process];
  // From 2.22 on a communicator is connected after initialisation, with the first collective.
  if (setup.rank == rank) return setup.only;
  if (setup.several) return open_communicator(log_.processes[speaker.process], speaker.thread);
  return setup.thread == speaker.thread ? setup.communicator : kNone;
}

bool Reader::begins_communicators(std::uint32_t process) const {
  return process < setups_.size() && setups_[process].begins;
}

}  // namespace nettune::tools::nccl::log::reader
