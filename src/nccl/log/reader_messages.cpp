// SPDX-License-Identifier: Apache-2.0
//
// What the reader does with one message, once it stands alone.
#include <algorithm>
#include <functional>
#include <tuple>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"
#include "nccl/log/evidence.hpp"
#include "nccl/log/lines.hpp"
#include "nccl/log/reader.hpp"

namespace nettune::nccl_log {

namespace {

/// Takes "[repeated 15x across cluster]" off: by default Ray prints one of lines that are alike.
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

/// Of a text without its numbers: the same one again has other ports, pointers and counts.
std::uint64_t hash_of_words(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_pointer = text.substr(i).starts_with("0x");
    if (is_pointer) i = std::min(text.find_first_not_of("0123456789abcdef", i + 2), text.size());
    if (i < text.size() && (text[i] < '0' || text[i] > '9')) words += text[i];
  }
  return std::hash<std::string>()(words);
}

}  // namespace

bool Reader::take_quickly(std::string_view text, std::size_t nccl) {
  constexpr std::string_view kInfo = "NCCL INFO ";
  if (!begins(text.substr(nccl), "NCCL INFO ")) return false;
  const Speaker speaker = speaker_of(text, nccl);
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
      if (message.starts_with("Call to ")) return false;
      take_info(speaker, message);
  }
  ++log_.messages;
  return true;
}

Reader::Speaker Reader::speaker_of(std::string_view line, std::size_t nccl) {
  constexpr std::size_t kMostSpeakers = std::size_t{1} << 18U;
  // From the second blank to the left on stands all that parse_prefix() looks at in an INFO.
  const auto blank_before = [&](std::size_t end) -> std::size_t {
    const void* const at = end == 0 ? nullptr : memrchr(line.data(), ' ', end);
    return at == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(at) - line.data());
  };
  const std::size_t device = blank_before(nccl == 0 ? 0 : nccl - 1);
  const std::string_view name = line.substr(blank_before(device), nccl - blank_before(device));
  if (const std::uint32_t known = speaker_names_.find(name); known != kNone)
    return speakers_[known];
  Prefix prefix;
  if (!parse_prefix(line, nccl, prefix) || prefix.process.empty()) return {};
  const Speaker speaker{processes_.find(prefix.process), prefix.tid};
  if (speaker.process == kNone || speakers_.size() == kMostSpeakers) return speaker;
  speaker_names_.add(name, static_cast<std::uint32_t>(speakers_.size()));
  speakers_.push_back(speaker);
  return speaker;
}

void Reader::take_message(const Prefix& prefix, std::uint32_t process, std::string_view message,
                          bool whole) {
  ++log_.messages;
  if (log_.processes[process].host.empty()) ++log_.unnamed;
  if (const std::uint32_t times = take_repeated(message); times != 0) log_.repeated += times;
  if (prefix.level == Level::warn) {
    take_info({process, prefix.tid}, message);
    return take_event(process, prefix.time, message, false);
  }
  if (prefix.level != Level::info) return;
  Connection connection;
  switch (parse_connection(message, connection)) {
    case Parsed::found: {
      const bool may_lack_its_end =
          !whole && !connection.gdr &&
          (connection.transport == Transport::net || connection.transport == Transport::collnet);
      if (!may_lack_its_end) return take_connection({process, prefix.tid}, connection);
      break;
    }
    case Parsed::damaged:
      if (may_wrap_ && whole) {
        const Process& said_by = log_.processes[process];
        if (said_by.host.empty())
          wrapped_ = cat(" NCCL INFO ", message);
        else
          wrapped_ =
              cat(said_by.host, ":", said_by.pid, ":", prefix.tid, " [0] NCCL INFO ", message);
        --log_.messages;
        log_.unnamed -= said_by.host.empty() ? 1U : 0U;
        return;
      }
      break;
    case Parsed::other:
      take_info({process, prefix.tid}, message);
      if (message.starts_with("Call to ")) take_event(process, prefix.time, message, true);
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
  edge.communicator = communicator_of(speaker);
  edge.own = connection.own();
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
  log_.edges.add(edge);
}

void Reader::take_info(Speaker speaker, std::string_view message) {
  take_evidence(log_, speaker.process, speaker.thread, message);
  const auto& open = log_.processes[speaker.process].open;
  Setup& setup = setups_[speaker.process];
  setup = {};
  if (!open.empty()) std::tie(setup.thread, setup.communicator) = open.front();
  setup.several = open.size() > 1;
}

std::uint32_t Reader::communicator_of(Speaker speaker) const {
  const Setup& setup = setups_[speaker.process];
  if (setup.several) return open_communicator(log_.processes[speaker.process], speaker.thread);
  return setup.thread == speaker.thread ? setup.communicator : kNone;
}

void Reader::take_bare(std::string_view line, std::size_t nccl) {
  Cursor at(line.substr(nccl));
  if (at.skip("NCCL version ") && at.number()) {
    const std::string_view text = line.substr(nccl + 13);
    add_once(log_.versions, log_.names.id(text.substr(
                                0, std::min<std::size_t>(text.find_first_of(" \t\"\\"), 60))));
    return;
  }
  take_event(kNone, {}, line, true);
}

void Reader::take_event(std::uint32_t process, std::string_view time, std::string_view message,
                        bool only_known) {
  constexpr std::size_t kMostEvents = 8192;
  constexpr std::size_t kLongestText = 400;
  const std::uint32_t cause = find_cause(causes_, message);
  if (cause == kNone && only_known) return;
  if (process == kNone) process = unnamed();
  const bool retried = message.find(", retrying") != message.npos;
  const std::tuple key(process, cause, retried, cause == kNone ? hash_of_words(message) : 0);
  const std::uint32_t completed = log_.processes[process].completed;
  if (const auto known = events_.find(key); known != events_.end()) {
    ++log_.events[known->second].count;
    log_.events[known->second].completed = completed;
    return;
  }
  if (cause == kNone && log_.events.size() >= kMostEvents) {
    ++log_.more_events;
    return;
  }
  events_.emplace(key, static_cast<std::uint32_t>(log_.events.size()));
  Event event;
  event.process = process;
  event.cause = cause;
  event.retried = retried;
  event.completed = completed;
  event.text = trim(message).substr(0, kLongestText);
  event.time = time;
  event.file = static_cast<std::uint32_t>(log_.files.empty() ? 0 : log_.files.size() - 1);
  if (counted_ != nullptr && !previous_.empty() && previous_.data() <= counted_) {
    const char* const here = previous_.data() + previous_.size();
    if (here > counted_) {
      line_ += count_lines(counted_, here);
      counted_ = here;
    }
  }
  event.line = line_ + 1;
  event.count = 1;
  log_.events.push_back(std::move(event));
}

std::uint32_t Reader::add_process(std::string_view key, std::string_view host, std::uint32_t pid) {
  const auto index = static_cast<std::uint32_t>(log_.processes.size());
  Process& process = log_.processes.emplace_back();
  process.host = host;
  process.pid = pid;
  setups_.emplace_back();
  processes_.add(key, index);
  return index;
}

std::uint32_t Reader::unnamed() {
  if (unnamed_ == kNone) unnamed_ = add_process({}, {}, 0);
  return unnamed_;
}

}  // namespace nettune::nccl_log
