// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/events.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/details.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log {

namespace {

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

/// ", retrying (3/34)", ", retrying 3/34 after 100 msec", ", retrying": but not the last time. Of
/// PyTorch's sockets: "has timed out, will retry", "network addresses of (n1, 29500) cannot be
/// retrieved (gai error: -2 - Name or service not known)".
bool is_tried_again(std::string_view message) {
  if (message.find("has timed out, will retry") != message.npos) return true;
  // It goes on with the next address, and then begins again: "[W socket.cpp:764] [c10d] The client
  // socket has failed to connect to [n1]:29500 (errno: 111 - Connection refused)."
  if (message.find("The client socket has failed to connect to [") != message.npos)
    return message.find("[::ffff:0.") == message.npos;  // nobody ever has 0.104.99.143
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

std::string quoted(std::string_view message, const Cause* cause) {
  constexpr std::size_t kLongestText = 400;
  return quote_of(trim(message), cause, kLongestText);
}

}  // namespace

std::uint32_t Events::cause_of(Cause::By by, std::string_view message,
                               std::string_view place) const {
  return find_cause(causes_, by, message, place);
}

std::uint32_t Events::cause_of(const Recogniser& recogniser) const {
  return find_recognised(causes_, recogniser.name);
}

const Cause* Events::cause(std::uint32_t index) const {
  return index == kNone ? nullptr : &causes_[index];
}

bool Events::is_of_another_run(const Event& event, const Cause* cause) const {
  if (cause != nullptr && cause->tier == Cause::Tier::exception) return was_caught(log_, event);
  if (cause != nullptr && cause->starts && ranks_began_after(log_, event)) return true;
  const Timeline& timeline = timeline_of(log_, event.file);
  const std::uint64_t good_end = good_end_of(timeline, event.line);
  const Timeline& now = timeline_of(log_, position_.file());
  return good_end != 0 && (timeline.last(Timeline::Kind::tests_begin) > good_end ||
                           (&now != &timeline && now.last(Timeline::Kind::tests_begin) != 0));
}

std::uint32_t Events::take(const Said& said, std::uint32_t cause) {
  constexpr std::size_t kMostEvents = 8192;
  const std::uint32_t process = said.process == kNone ? processes_.unnamed() : said.process;
  if (process >= last_.size()) last_.resize(log_.processes.size(), kNone);
  const Cause* const known_cause = this->cause(cause);
  // A call that fails behind a hint does not fail because of it.
  const bool is_note = known_cause != nullptr && known_cause->tier == Cause::Tier::note;
  const bool retried = is_tried_again(said.message);
  const bool is_of_program = known_cause != nullptr && known_cause->tier == Cause::Tier::exception;
  const bool by_text = known_cause == nullptr || is_of_program;
  const std::tuple key(process, said.rank, cause, retried,
                       by_text ? hash_of_words(said.message) : 0);
  const std::uint32_t progress = log_.processes[process].progress;
  const std::uint64_t line = said.line == 0 ? position_.line() : said.line;
  const auto known = known_.find(key);
  if (known != known_.end() && !is_of_another_run(log_.events[known->second], known_cause)) {
    Event& event = log_.events[known->second];
    ++event.count;
    event.progress = progress;
    // c10d does not always know the name of the address; a later line has it with its port.
    if (event.text.find("?UNKNOWN?") != event.text.npos &&
        said.message.find("?UNKNOWN?") == said.message.npos)
      std::tie(event.text, event.line) = std::pair(quoted(said.message, known_cause), line);
    take_details(event, said);
    if (!is_note) last_[process] = known->second;
    return known->second;
  }
  if (log_.events.size() >= kMostEvents &&
      (by_text || said.rank != kNone || known != known_.end())) {
    ++log_.more_events;
    return kNone;
  }
  const auto index = static_cast<std::uint32_t>(log_.events.size());
  if (!is_note) last_[process] = index;
  known_[key] = index;
  Event event;
  event.process = process;
  event.rank = said.rank;
  event.cause = cause;
  event.retried = retried;
  event.progress = progress;
  event.text = quoted(said.message, known_cause);
  event.time = said.time;
  event.device = said.device;
  event.place = said.place;
  event.file = position_.file();
  event.line = line;
  event.count = 1;
  take_details(event, said);
  log_.events.push_back(std::move(event));
  return index;
}

std::uint32_t Events::take_in(std::string_view line, std::string_view message, std::uint32_t cause,
                              std::uint64_t at) {
  return take({kNone, rank_in_front(line).value_or(kNone), {}, message, at, line}, cause);
}

std::uint32_t Events::take_known(std::string_view line, std::uint64_t at) {
  const std::uint32_t cause = cause_of(Cause::By::job, line);
  return cause == kNone ? kNone : take_in(line, line, cause, at);
}

std::uint32_t Events::last_of(std::uint32_t process) const {
  return process < last_.size() ? last_[process] : kNone;
}

void Events::close(std::uint32_t event) {
  std::erase_if(known_, [&](const auto& known) { return known.second == event; });
}

void Events::take_details(Event& event, const Said& said) {
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
  if (event.count == 1) add_detail(event, memory_use_in(said.message));
}

}  // namespace nettune::tools::nccl::log
