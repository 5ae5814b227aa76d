// SPDX-License-Identifier: Apache-2.0
//
// What the reader does with one message, once it stands alone.
#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"
#include "nccl/log/evidence.hpp"
#include "nccl/log/lines.hpp"
#include "nccl/log/reader.hpp"
#include "nccl/log/voice.hpp"

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

/// Lines about a connection that is being made: errors where it says so.
bool is_connect(std::string_view message) {
  return begins(message, "Call to ") || begins(message, "socket");
}

/// ", retrying (3/34)", ", retrying 3/34 after 100 msec", ", retrying": but not the last time. Of
/// PyTorch's sockets: "has timed out, will retry", "network addresses of (n1, 29500) cannot be
/// retrieved (gai error: -2 - Name or service not known)".
bool is_tried_again(std::string_view message) {
  if (message.find("has timed out, will retry") != message.npos) return true;
  // A list of nodes, "(node[01,05], 29500)", will never be a name.
  if (message.find("cannot be retrieved (gai error") != message.npos)
    return message.find("], ") == message.npos;
  const auto at = message.find(", retrying");
  if (at == message.npos) return false;
  Cursor behind(message.substr(at + 10));
  behind.skip(" ");
  behind.skip("(");
  const auto time = behind.number();
  const auto times = behind.skip("/") ? behind.number() : std::nullopt;
  return !time || !times || *time < *times;
}

void take_device(Process& process, const Prefix& prefix) {
  constexpr std::size_t kMostDevices = 64;
  if (prefix.device != UINT32_MAX && process.devices.size() < kMostDevices)
    add_once(process.devices, prefix.device);
}

/// "1 -> 2 via NET/IB/0" of NCCL 2.0 to 2.2, as 2.3 words it; `longer` keeps the text.
Parsed parse_old_connection(std::string_view message, std::string& longer, Connection& into) {
  Cursor at(message);
  if (!at.number() || !at.skip_brackets() || !at.skip(" -> ")) return Parsed::other;
  if (at.rest().find(" via ") == std::string_view::npos) return Parsed::other;
  longer = cat("Ring 00 : ", message);
  const Parsed parsed = parse_connection(longer, into);
  into.old = true;
  return parsed;
}

/// "init.cc:867 -> 5", "group.cc:72 -> 3 [Async thread]"; 7 is "in progress", and no error.
bool is_failed_call(std::string_view message) {
  constexpr std::size_t kLongestName = 100;
  const auto colon = message.find(':');
  if (colon > kLongestName) return false;  // npos is, too
  const std::string_view name = message.substr(0, colon);
  if (!name.ends_with(".cc") && !name.ends_with(".cu") && !name.ends_with(".h") &&
      !name.ends_with(".c"))
    return false;
  Cursor at(message.substr(colon + 1));
  if (!at.number() || !at.skip(" -> ")) return false;
  const auto code = at.number();
  return code && *code != 0 && *code != 7;
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
      if (is_connect(message) || is_failed_call(message)) return false;
      take_info(speaker, message, true);
  }
  ++log_.messages;
  return true;
}

Reader::Speaker Reader::speaker_of(std::string_view line, std::size_t nccl) {
  constexpr std::size_t kMostSpeakers = std::size_t{1} << 18U;
  // Mostly nothing is in front of the name.
  constexpr std::size_t kMostOfName = 48;
  if (nccl <= kMostOfName)
    if (const std::uint32_t known = speaker_names_.find(line.substr(0, nccl)); known != kNone)
      return speakers_[known];
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
  if (speaker.process == kNone) return speaker;
  if (speaker.process == begun_) begun_ = kNone;
  take_device(log_.processes[speaker.process], prefix);
  if (speakers_.size() == kMostSpeakers) return speaker;
  speaker_names_.add(name, static_cast<std::uint32_t>(speakers_.size()));
  speakers_.push_back(speaker);
  return speaker;
}

void Reader::take_message(const Prefix& prefix, std::uint32_t process, std::string_view message,
                          bool whole) {
  ++log_.messages;
  if (log_.processes[process].host.empty())
    ++log_.unnamed;
  else
    take_device(log_.processes[process], prefix);
  if (const std::uint32_t times = take_repeated(message); times != 0) log_.repeated += times;
  if (prefix.level == Level::warn) {
    take_info({process, prefix.tid}, message, whole);
    // Why a kernel cannot start NCCL says long before, as an INFO.
    std::string longer;
    const std::uint32_t shared_memory = log_.processes[process].shared_memory;
    if (shared_memory != kNone && prefix.place.find("enqueue.cc") != prefix.place.npos &&
        message.find("invalid argument") != message.npos)
      message = longer = cat(trim(message), "; earlier: ", log_.names.text(shared_memory));
    const std::uint32_t cause = find_cause(causes_, Cause::By::nccl, message, prefix.place);
    take_event({process, kNone, prefix.time, message, 0, {}, prefix.device, prefix.place}, cause);
    bare_calls_ = log_.processes[process].host.empty();
    constexpr std::size_t kSaysNothing = 20;
    if (cause == kNone && (!whole || is_last_) && trim(message).size() < kSaysNothing &&
        last_events_[process] + 1 == log_.events.size() && log_.events.back().count == 1)
      log_.events.back().cut = true;
    return;
  }
  if (prefix.level != Level::info) return;
  Connection connection;
  std::string longer;
  Parsed parsed = parse_connection(message, connection);
  if (parsed == Parsed::other) parsed = parse_old_connection(message, longer, connection);
  switch (parsed) {
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
      take_info({process, prefix.tid}, message, whole);
      if (is_failed_call(message)) return take_failed_call(process, message);
      if (!is_connect(message)) return;
      if (const auto cause = find_cause(causes_, Cause::By::nccl, message); cause != kNone)
        take_event({process, kNone, prefix.time, message, 0, {}, prefix.device}, cause);
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
  edge.old = connection.old;
  if (edge.communicator == kNone && !setups_[speaker.process].begins)
    add_early(speaker, edge);
  else
    log_.edges.add(edge);
}

void Reader::add_early(Speaker speaker, const Edge& edge) {
  early_[{speaker.process, speaker.thread}].add(edge);
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
  if (message.starts_with("RCCL version")) take_versions(message);
  if (whole) take_ring(message);
  const std::uint32_t completed = log_.processes[speaker.process].completed;
  take_evidence(log_, speaker.process, speaker.thread, message, whole);
  const Process& process = log_.processes[speaker.process];
  // From 2.21 on the line begins with the name of the call, and connections may come later.
  if (process.completed != completed) {
    log_.completed[file()] = here();
    settle_early(speaker, message.starts_with("comm ") ? process.last : kNone);
  }
  const auto& open = process.open;
  Setup& setup = setups_[speaker.process];
  setup = {};
  setup.begins = process.begins;
  if (!open.empty()) std::tie(setup.thread, setup.communicator) = open.front();
  setup.several = open.size() > 1;
}

/// "Channel 00/02 :    0   1   2   3", of rank 0: all ranks of its communicator, but no more than
/// MAXWIDTH (20) of them up to 2.26, and no more than a line of 128 letters has room for later
/// (src/graph/rings.cc).
void Reader::take_ring(std::string_view message) {
  constexpr std::size_t kMostListed = 20;
  Cursor front(message);
  if (front.skip("[0]")) front.skip(" ");  // up to 2.2
  if (!front.skip("Channel ") && !front.skip("Ring ")) return;
  if (!front.number() || (front.skip("/") && !front.number()) || !front.skip(" :")) return;
  std::set<std::uint32_t> ranks;
  std::size_t count = 0;
  for (const std::string_view word : words(front.rest())) {
    Cursor at(word);
    const auto rank = at.number();
    if (!rank || !at.at_end() || ++count == kMostListed) return;
    ranks.insert(*rank);
  }
  if (count < 2 || ranks.size() != count || *ranks.rbegin() + 1 != count) return;
  log_.rings.insert(static_cast<std::uint32_t>(count));
  ring_ = static_cast<std::uint32_t>(count);
  ring_line_ = here();
}

void Reader::end_ring(std::string_view line) {
  const bool is_rest = here() == ring_line_ + 1 && !trim(line).empty() &&
                       line.find_first_not_of(" 0123456789") == line.npos;
  if (is_rest) log_.rings.erase(ring_);
  ring_ = 0;
}

std::uint32_t Reader::communicator_of(Speaker speaker) const {
  const Setup& setup = setups_[speaker.process];
  if (setup.several) return open_communicator(log_.processes[speaker.process], speaker.thread);
  return setup.thread == speaker.thread ? setup.communicator : kNone;
}

void Reader::take_event(const Said& said, std::uint32_t cause) {
  constexpr std::size_t kMostEvents = 8192;
  constexpr std::size_t kLongestText = 400;
  const std::uint32_t process = said.process == kNone ? unnamed() : said.process;
  const bool retried = is_tried_again(said.message);
  const bool is_of_program = cause != kNone && causes_[cause].role == Cause::Role::program;
  const bool by_text = cause == kNone || is_of_program;
  const std::tuple key(process, said.rank, cause, retried,
                       by_text ? hash_of_words(said.message) : 0);
  const std::uint32_t progress = log_.processes[process].progress;
  if (const auto known = events_.find(key); known != events_.end()) {
    Event& event = log_.events[known->second];
    ++event.count;
    event.progress = progress;
    // c10d does not always know the name of the address; a later line has it with its port.
    if (event.text.find("?UNKNOWN?") != event.text.npos &&
        said.message.find("?UNKNOWN?") == said.message.npos)
      std::tie(event.text, event.line) = std::pair(
          quote_of(trim(said.message), cause == kNone ? nullptr : &causes_[cause], kLongestText),
          said.line == 0 ? here() : said.line);
    take_details(event, said);
    last_events_[process] = known->second;
    // The one before was caught, or is of an attempt before.
    if ((is_of_program || (cause != kNone && causes_[cause].starts)) &&
        event.line < log_.completed[event.file])
      std::tie(event.file, event.line) = std::pair(file(), here());
    return;
  }
  if (log_.events.size() >= kMostEvents && (by_text || said.rank != kNone)) {
    ++log_.more_events;
    return;
  }
  last_events_[process] = static_cast<std::uint32_t>(log_.events.size());
  events_.emplace(key, last_events_[process]);
  Event event;
  event.process = process;
  event.rank = said.rank;
  event.cause = cause;
  event.retried = retried;
  event.progress = progress;
  event.text =
      quote_of(trim(said.message), cause == kNone ? nullptr : &causes_[cause], kLongestText);
  event.time = said.time;
  event.device = said.device;
  event.place = said.place;
  event.file = file();
  event.line = said.line == 0 ? here() : said.line;
  event.count = 1;
  take_details(event, said);
  log_.events.push_back(std::move(event));
}

void Reader::take_details(Event& event, const Said& said) {
  constexpr std::size_t kMostGroupRanks = std::size_t{1} << 16U;
  if (said.process != kNone) return;
  if (const auto rank = said.rank == kNone ? rank_in_group(said.message) : std::nullopt) {
    if (event.count == 1) event.group_rank = *rank;
    if (event.group_ranks.size() < kMostGroupRanks) event.group_ranks.insert(*rank);
    ++event.of_group;
  }
  constexpr std::size_t kMostSpeakers = 48;
  std::string who = speaker_in(said.whole.empty() ? said.message : said.whole);
  if (said.rank != kNone) {
    if (event.count == 1) add_detail(event, std::move(who));
  } else {
    if (event.count == 1) event.who = who;
    event.named += who.empty() ? 0U : 1U;
    if (!who.empty() && event.speakers.size() < kMostSpeakers)
      event.speakers.insert(std::move(who));
  }
  add_detail(event, detail_of(said.message));
}

void Reader::take_failed_call(std::uint32_t process, std::string_view message) {
  const std::uint32_t last = last_events_[process];
  if (last != kNone && log_.events[last].progress == log_.processes[process].progress) {
    log_.events[last].failed = true;
    return;
  }
  // Deep in NCCL a call may fail and be gone round: the caller's files say that it was not. A
  // connection that fails is not gone round, and 2.16 to 2.19 may not warn of it.
  static constexpr std::string_view kOfCaller[] = {
      "init.cc:", "group.cc:",   "enqueue.cc:",   "transport/net.cc:",
      "init.cu:", "misc/group.", "misc/enqueue.", "transport/net.cu:"};  // the latter up to 2.3
  const bool of_socket =
      message.starts_with("misc/socket.cc:") && message.find(" -> 2") != message.npos;
  if (of_socket || std::any_of(std::begin(kOfCaller), std::end(kOfCaller),
                               [&](std::string_view name) { return message.starts_with(name); }))
    take_event({process, kNone, {}, message}, find_cause(causes_, Cause::By::nccl, message));
}

/// "init.cc:1138 -> 1": people copy NCCL's lines without what is in front of them.
bool Reader::take_bare_call(std::string_view line) {
  line = trim(line);
  if (line.empty()) return true;
  bare_calls_ = is_failed_call(line);
  if (!bare_calls_) return false;
  ++log_.messages;
  ++log_.unnamed;
  take_failed_call(unnamed(), line);
  return true;
}

std::uint32_t Reader::file() const {
  return static_cast<std::uint32_t>(log_.files.empty() ? 0 : log_.files.size() - 1);
}

std::uint64_t Reader::here() {
  if (counted_ != nullptr && !previous_.empty() && previous_.data() <= counted_) {
    const char* const begin = previous_.data() + previous_.size();
    if (begin > counted_) {
      line_ += count_lines(counted_, begin);
      counted_ = begin;
    }
  }
  return line_ + returns_ + 1;
}

std::uint32_t Reader::add_process(std::string_view key, std::string_view host, std::uint32_t pid) {
  const auto index = static_cast<std::uint32_t>(log_.processes.size());
  Process& process = log_.processes.emplace_back();
  process.host = host;
  process.pid = pid;
  setups_.emplace_back();
  last_events_.push_back(kNone);
  processes_.add(key, index);
  return index;
}

std::uint32_t Reader::unnamed() {
  if (unnamed_ == kNone) unnamed_ = add_process({}, {}, 0);
  return unnamed_;
}

}  // namespace nettune::nccl_log
