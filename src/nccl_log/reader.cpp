// SPDX-License-Identifier: Apache-2.0
#include "nccl_log/reader.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/text.hpp"
#include "nccl_log/cursor.hpp"
#include "nccl_log/evidence.hpp"

namespace nettune::nccl_log {

namespace {

constexpr std::string_view kNccl = "NCCL";
constexpr std::size_t kLongestLine = 1U << 20U;

/// By its first letter, which is rare in logs: that is faster than memmem(3) here.
std::size_t find_nccl(std::string_view text, std::size_t from) { return text.find(kNccl, from); }

bool contains(std::string_view text, char c) {
  return !text.empty() && std::memchr(text.data(), c, text.size()) != nullptr;
}

/// In blocks of a fixed size, of which the compiler makes vector instructions at -O2 too.
std::uint64_t count_lines(const char* begin, const char* end) {
  constexpr std::ptrdiff_t kBlock = 128;
  std::uint64_t lines = 0;
  for (; end - begin >= kBlock; begin += kBlock) {
    std::uint8_t block = 0;
    for (std::ptrdiff_t i = 0; i < kBlock; ++i)
      block = static_cast<std::uint8_t>(block + (begin[i] == '\n' ? 1 : 0));
    lines += block;
  }
  return lines + static_cast<std::uint64_t>(std::count(begin, end, '\n'));
}

/// The end of the last line of whole lines: enough for the prefix of a message.
std::string_view last_line(std::string_view lines) {
  constexpr std::size_t kEnough = 300;
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  const auto begin = lines.rfind('\n');
  if (begin != lines.npos) lines.remove_prefix(begin + 1);
  return lines.size() > kEnough ? lines.substr(lines.size() - kEnough) : lines;
}

/// Without the sequences that colour text ("ESC [ ... letter").
void strip_colours(std::string_view text, std::string& into) {
  into.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      into += text[i];
      continue;
    }
    if (i + 1 >= text.size() || text[i + 1] != '[') continue;
    i += 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  }
}

std::optional<Prefix> prefix_at(std::string_view line, std::size_t at) {
  Prefix prefix;
  if (!parse_prefix(line, at, prefix)) return {};
  return prefix;
}

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

}  // namespace

void Reader::begin_file(std::string name) {
  end_file();
  log_.files.push_back(std::move(name));
  line_ = 0;
  last_line_.clear();
}

void Reader::end_file() {
  if (!tail_.empty()) {
    counted_ = nullptr;
    const auto nccl = find_nccl(tail_, 0);
    if (nccl == std::string::npos && !wrapped_.empty())
      join_wrapped(tail_);
    else if (flush_wrapped(); nccl != std::string::npos)
      take_line(tail_, nccl, false);
    tail_.clear();
  }
  flush_wrapped();
}

Log Reader::finish() {
  end_file();
  return std::move(log_);
}

void Reader::feed(std::string_view bytes) {
  if (!tail_.empty()) {
    const auto newline = bytes.find('\n');
    tail_ += bytes.substr(0, newline == bytes.npos ? bytes.npos : newline + 1);
    if (newline == bytes.npos && tail_.size() < kLongestLine) return;
    const std::string line = std::move(tail_);
    tail_.clear();
    take_lines(line);
    if (newline == bytes.npos) return;
    bytes.remove_prefix(newline + 1);
  }
  const auto last = bytes.rfind('\n');
  const std::size_t whole = last == bytes.npos ? 0 : last + 1;
  take_lines(bytes.substr(0, whole));
  tail_.assign(bytes.substr(whole));
}

void Reader::take_lines(std::string_view lines) {
  counted_ = lines.data();
  const bool plain = !contains(lines, '\x1b') && !contains(lines, '\r');
  std::size_t at = 0;  // what is before it is done
  std::size_t hit = find_nccl(lines, 0);
  for (;;) {
    if (!wrapped_.empty() && at < lines.size()) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      if (hit < end) {
        flush_wrapped();
      } else {
        join_wrapped(lines.substr(at, end - at));
        at = end + 1;
      }
    }
    if (hit == lines.npos) break;
    const std::size_t newline = lines.find('\n', hit);
    const std::size_t end = std::min(newline, lines.size());
    std::size_t next = find_nccl(lines, hit + kNccl.size());
    const bool alone = next >= end && newline != lines.npos;
    if (!plain || !alone || !take_quickly(lines.substr(at, end - at), hit - at)) {
      const void* const before = hit == at ? nullptr : memrchr(lines.data() + at, '\n', hit - at);
      const std::size_t begin =
          before == nullptr
              ? at
              : static_cast<std::size_t>(static_cast<const char*>(before) - lines.data()) + 1;
      previous_ = lines.substr(0, begin);
      take_line(lines.substr(begin, end - begin), hit - begin, newline != lines.npos);
      if (next < end) next = find_nccl(lines, end);
    }
    at = end + 1;
    hit = next;
  }
  line_ += count_lines(counted_, lines.data() + lines.size());
  counted_ = nullptr;
  previous_ = {};
  if (!lines.empty()) last_line_ = last_line(lines);
}

bool Reader::take_quickly(std::string_view text, std::size_t nccl) {
  Prefix prefix;
  if (!parse_prefix(text, nccl, prefix) || prefix.level != Level::info || prefix.process.empty())
    return false;
  const std::uint32_t process = processes_.find(prefix.process);
  // Of "[repeated 3x across cluster]" the slow way takes care.
  if (process == kNone || text.ends_with(']') || text.ends_with(')')) return false;
  const std::string_view message = text.substr(prefix.end);
  Connection connection;
  switch (parse_connection(message, connection)) {
    case Parsed::damaged:
      return false;
    case Parsed::found:
      take_connection(prefix, process, connection);
      break;
    case Parsed::other:
      if (message.starts_with("Call to ")) return false;
      take_info(prefix, process, message);
  }
  ++log_.messages;
  return true;
}

void Reader::take_line(std::string_view line, std::size_t nccl, bool whole) {
  if (contains(line, '\x1b')) {
    strip_colours(line, scratch_);
    line = scratch_;
    nccl = find_nccl(line, 0);
    if (nccl == line.npos) return;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!contains(line, '\r')) return take_segments(line, nccl, whole);
  for (const std::string_view piece : split(line, '\r'))
    if (const auto at = find_nccl(piece, 0); at != piece.npos) take_segments(piece, at, whole);
}

void Reader::take_segments(std::string_view line, std::size_t nccl, bool whole) {
  std::optional<Prefix> prefix = prefix_at(line, nccl);
  // A line of which the part before NCCL stands on the line above.
  std::string joined;
  if (prefix && prefix->process.empty() && nccl == 0) {
    joined = cat(trim(previous_.empty() ? last_line_ : last_line(previous_)), " ", line);
    const auto at = joined.size() - line.size();
    if (const auto whole_prefix = prefix_at(joined, at); !whole_prefix->process.empty()) {
      prefix = whole_prefix;
      line = joined;
      nccl = at;
    }
  }
  if (!prefix) {
    take_bare(line, nccl);
    // A level may still follow: "[NCCL]: host:1:2 [0] NCCL INFO ..."
    for (nccl = find_nccl(line, nccl + 4); nccl != line.npos; nccl = find_nccl(line, nccl + 4))
      if ((prefix = prefix_at(line, nccl))) break;
    if (!prefix) return;
  }
  std::string_view before;
  bool first = true;
  while (prefix) {
    std::optional<Prefix> next;
    for (std::size_t at = find_nccl(line, prefix->end); at != line.npos && !next;
         at = find_nccl(line, at + 4))
      next = prefix_at(line, at);
    const std::size_t end =
        next ? std::max(std::min(next->begin, line.size()), prefix->end) : line.size();
    const std::string_view message = line.substr(prefix->end, end - prefix->end);
    const bool complete = next ? message.ends_with(' ') : whole;
    const std::uint32_t process = segment_process(*prefix, before, first);
    may_wrap_ = !next && wrapped_.empty();
    take_message(*prefix, process, message, complete);
    before = message;
    first = false;
    prefix = next;
  }
}

std::uint32_t Reader::segment_process(const Prefix& prefix, std::string_view before, bool first) {
  if (prefix.process.empty()) return unnamed();
  if (const std::uint32_t known = processes_.find(prefix.process); known != kNone) return known;
  if (!first) {
    // What is left of another message may hang on the name: "Channel 00node7:12:34 [0] NCCL INFO".
    const auto [begin, end] = by_pid_.equal_range(prefix.pid);
    for (auto at = begin; at != end; ++at)
      if (prefix.host.ends_with(log_.processes[at->second].host)) return at->second;
    Connection connection;
    if (!before.ends_with(' ') || parse_connection(before, connection) == Parsed::damaged)
      return unnamed();
  }
  return add_process(prefix.process, prefix.host, prefix.pid);
}

void Reader::take_message(const Prefix& prefix, std::uint32_t process, std::string_view message,
                          bool whole) {
  ++log_.messages;
  if (log_.processes[process].host.empty()) ++log_.unnamed;
  if (const std::uint32_t times = take_repeated(message); times != 0) log_.repeated += times;
  if (prefix.level == Level::warn) {
    take_info(prefix, process, message);
    return take_event(process, prefix.time, message, false);
  }
  if (prefix.level != Level::info) return;
  Connection connection;
  switch (parse_connection(message, connection)) {
    case Parsed::found: {
      const bool may_lack_its_end =
          !whole && !connection.gdr &&
          (connection.transport == Transport::net || connection.transport == Transport::collnet);
      if (!may_lack_its_end) return take_connection(prefix, process, connection);
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
      take_info(prefix, process, message);
      if (message.starts_with("Call to ")) take_event(process, prefix.time, message, true);
      return;
  }
  ++log_.damaged;
  ++log_.processes[process].damaged;
}

void Reader::take_connection(const Prefix& prefix, std::uint32_t process,
                             const Connection& connection) {
  ++log_.connections[static_cast<std::size_t>(connection.transport)];
  log_.gdr_connections += connection.gdr ? 1U : 0U;
  Edge edge;
  edge.process = process;
  edge.communicator = communicator_of(process, prefix.tid);
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

void Reader::take_info(const Prefix& prefix, std::uint32_t process, std::string_view message) {
  take_evidence(log_, process, prefix.tid, message);
  const auto& open = log_.processes[process].open;
  Setup& setup = setups_[process];
  setup = {};
  if (!open.empty()) std::tie(setup.thread, setup.communicator) = open.front();
  setup.several = open.size() > 1;
}

std::uint32_t Reader::communicator_of(std::uint32_t process, std::uint32_t thread) const {
  const Setup& setup = setups_[process];
  if (setup.several) return open_communicator(log_.processes[process], thread);
  return setup.thread == thread ? setup.communicator : kNone;
}

void Reader::join_wrapped(std::string_view next) {
  const std::string begun = std::move(wrapped_);
  wrapped_.clear();
  if (next.ends_with('\r')) next.remove_suffix(1);
  for (const std::string_view between : {"", " "}) {
    const std::string text = cat(begun, between, next);
    const auto at = find_nccl(text, 0);
    const auto prefix = prefix_at(text, at);
    Connection connection;
    if (!prefix ||
        parse_connection(std::string_view(text).substr(prefix->end), connection) != Parsed::found)
      continue;
    take_segments(text, at, true);
    return;
  }
  wrapped_ = begun;
  flush_wrapped();
}

void Reader::flush_wrapped() {
  if (wrapped_.empty()) return;
  // While wrapped_ stands, nothing is wrapped anew.
  const std::string text = wrapped_;
  take_segments(text, find_nccl(text, 0), false);
  wrapped_.clear();
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
  const std::uint64_t key = (static_cast<std::uint64_t>(process) << 32U) | cause;
  if (const auto known = events_.find(key); known != events_.end()) {
    ++log_.events[known->second].count;
    return;
  }
  if (log_.events.size() >= kMostEvents) {
    ++log_.more_events;
    return;
  }
  events_.emplace(key, static_cast<std::uint32_t>(log_.events.size()));
  Event event;
  event.process = process;
  event.cause = cause;
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
  if (!host.empty()) by_pid_.emplace(pid, index);
  return index;
}

std::uint32_t Reader::unnamed() {
  if (unnamed_ == kNone) unnamed_ = add_process({}, {}, 0);
  return unnamed_;
}

}  // namespace nettune::nccl_log
