// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/reader/reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/job/watchdog.hpp"
#include "tools/nccl/log/lines.hpp"
#include "tools/nccl/log/network_lines.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log::reader {

namespace {

constexpr std::size_t kLongestLine = 1U << 20U;

/// Where the line begins in which `end` stands, `from` on at least.
std::size_t begin_of_line(std::string_view lines, std::size_t from, std::size_t end) {
  if (end <= from) return from;
  const void* const newline = memrchr(lines.data() + from, '\n', end - from);
  if (newline == nullptr) return end == lines.size() ? end : from;
  return static_cast<std::size_t>(static_cast<const char*>(newline) - lines.data()) + 1;
}

std::optional<Prefix> prefix_at(std::string_view line, std::size_t at) {
  Prefix prefix;
  if (!parse_prefix(line, at, prefix)) return {};
  return prefix;
}

/// "n0:1:2 [0] NCCL W": whose line it is stands there.
void complete_level(std::string& line) {
  const auto nccl = line.rfind(kNccl);
  if (nccl == line.npos || line.size() < nccl + kNccl.size() + 2) return;
  const std::string_view rest = std::string_view(line).substr(nccl + kNccl.size());
  for (const std::string_view level : {" INFO ", " WARN "}) {
    if (!level.starts_with(rest)) continue;
    const std::string whole = cat(line, level.substr(rest.size()));
    const auto prefix = prefix_at(whole, nccl);
    if (prefix && !prefix->process.empty()) line = whole;
    return;
  }
}

}  // namespace

void Reader::begin_file(std::string name) {
  end_file();
  log_.files.push_back(std::move(name));
  log_.timelines.emplace_back();
  position_.begin_file(static_cast<std::uint32_t>(log_.files.size() - 1));
  job_.begin_file();
}

void Reader::take_last_line() {
  if (const auto end = tail_.find('\n'); end + 1 < tail_.size() && end != tail_.npos) {
    const std::string_view lines = tail_;
    std::string joined;
    if (wrapped_.join(lines.substr(0, end), lines.substr(end + 1), joined) + end + 1 ==
        tail_.size()) {
      tail_ = cat(joined, tail_.ends_with('\n') ? "\n" : "");
    } else {
      const std::string before(lines.substr(0, lines.rfind('\n', lines.size() - 2) + 1));
      tail_.erase(0, before.size());
      take_lines(before);
    }
  }
  take_ending();
  // A newline is no proof that the line is whole: an editor, or a collector, may have put it there.
  // What is a whole name of its kind is taken for one, though.
  const bool newline = tail_.ends_with('\n');
  if (newline) tail_.pop_back();
  if (tail_.ends_with('\r')) tail_.pop_back();
  if (tail_.empty()) return;
  position_.begin_last_line(newline);
  complete_level(tail_);
  const auto nccl = find_nccl(tail_, 0);
  if (nccl != std::string::npos) {
    Prefix prefix;
    const bool whole = newline && parse_prefix(tail_, nccl, prefix) &&
                       ends_with_network(std::string_view(tail_).substr(prefix.end));
    take_line(tail_, nccl, whole);
  } else {
    take_others(tail_, 0, tail_.size());
  }
  tail_.clear();
  position_.end_last_line();
}

bool Reader::take_ending_in(std::string_view line, Position at) {
  constexpr std::size_t kLongest = 400;
  const ShownText shown = shown_text(line);
  if (shown.text.empty()) return false;
  for (std::size_t i = 0; i < shown.returns; ++i) at.take_return();
  log_.endings.push_back({at.file(), at.line(), begin_of(shown.text, kLongest)});
  return true;
}

void Reader::take_ending() {
  Position at = position_;
  if (take_ending_in(tail_, at)) return;
  for (std::string_view before = position_.before(); !before.empty();) {
    if (before.ends_with('\n')) before.remove_suffix(1);
    const auto newline = before.rfind('\n');
    const std::size_t begin = newline == before.npos ? 0 : newline + 1;
    at.step_back();
    if (take_ending_in(before.substr(begin), at)) return;
    before = before.substr(0, begin);
  }
}

void Reader::end_file() {
  take_last_line();
  job_.end_file();
  processes_.end_file();
  rings_.clear();
  calls_.expect_bare(false);
}

bool Reader::waits() const { return job_.waits() || rings_.waits() || calls_.waits(); }

void Reader::take_reuses() {
  // Then all of them have the same id. Not each process says the variable.
  const bool has_fixed_id = std::ranges::any_of(log_.processes, [](const Process& process) {
    return process.environment.contains("NCCL_COMM_ID");
  });
  for (const Reuse& one : log_.reuses) {
    if (has_fixed_id || log_.processes[one.process].host.empty()) continue;
    const std::uint32_t index =
        events_.take({one.process, kNone, {}, one.text, one.line}, events_.cause_of(kStaleId));
    if (index == kNone || log_.events[index].count != 1) continue;
    log_.events[index].file = one.file;
    log_.events[index].progress = one.progress;
  }
}

Log Reader::finish() {
  end_file();
  take_reuses();
  while (!early_.empty()) {
    const auto [process, thread] = early_.begin()->first;
    settle_early({process, thread}, kNone);
  }
  processes_.finish();
  job::drop_repeated_waits(log_);
  return std::move(log_);
}

void Reader::feed(std::string_view bytes) {
  while (!tail_.empty() && !bytes.empty()) {
    if (tail_.ends_with('\n') && !may_go_on(tail_)) {
      const std::string line = std::move(tail_);
      tail_.clear();
      take_lines(line);
      break;
    }
    const auto newline = bytes.find('\n');
    if (newline != bytes.npos) position_.has_newlines();
    tail_ += bytes.substr(0, newline == bytes.npos ? bytes.npos : newline + 1);
    if (newline != bytes.npos) {
      bytes.remove_prefix(newline + 1);
      continue;
    }
    if (tail_.size() < kLongestLine) return;
    std::string line = std::move(tail_);
    tail_.clear();
    // Of a file without newlines, a whole line at least where a carriage return ends them.
    if (const auto end = line.rfind('\r'); end != line.npos) {
      tail_.assign(line, end + 1);
      line.resize(end + 1);
    }
    return take_lines(line);
  }
  if (bytes.empty()) return;
  const auto last = bytes.rfind('\n');
  if (last != bytes.npos) position_.has_newlines();
  std::size_t whole = last == bytes.npos ? 0 : last + 1;
  // What ends the file may be cut, also before a newline: it waits for what follows.
  if (whole == bytes.size()) whole = last == 0 ? 0 : bytes.rfind('\n', last - 1) + 1;
  // So does what may go on in it.
  std::size_t begin = whole;
  for (unsigned back = 0; back < Wrapped::kMostLines && begin != 0; ++back) {
    const std::size_t end = begin - 1;
    begin = end == 0 ? 0 : bytes.rfind('\n', end - 1) + 1;
    if (wrapped_.is_unfinished(bytes.substr(begin, end - begin))) whole = begin;
  }
  take_lines(bytes.substr(0, whole));
  tail_.assign(bytes.substr(whole));
}

bool Reader::may_go_on(std::string_view lines) const {
  return count_lines(lines.data(), lines.data() + lines.size()) <= Wrapped::kMostLines &&
         wrapped_.is_unfinished(lines.substr(0, lines.find('\n')));
}

void Reader::take_lines(std::string_view lines) {
  position_.begin_lines(lines);
  std::size_t at = 0;  // what is before it is done
  std::size_t hit = find_nccl(lines, 0);
  const bool plain = hit != lines.npos && !contains(lines, '\x1b') && !contains(lines, '\r');
  for (;;) {
    const std::size_t begin = begin_of_line(lines, at, std::min(hit, lines.size()));
    if (at < begin) at = take_others(lines, at, begin);
    if (hit < at) {
      hit = find_nccl(lines, at);
      continue;
    }
    if (hit == lines.npos) break;
    at = begin;
    const std::size_t newline = lines.find('\n', hit);
    const std::size_t end = std::min(newline, lines.size());
    const bool info = begins(lines.substr(hit + kNccl.size()), " INFO ");
    std::size_t next = find_nccl(lines, hit + kNccl.size() + (info ? 6 : 0));
    // No level follows the name of a variable: "NCCL INFO NCCL_IB_TC set by environment to 106".
    while (next < end && begins(lines.substr(next + kNccl.size()), "_"))
      next = find_nccl(lines, next + kNccl.size());
    const bool alone = next >= end && newline != lines.npos;
    position_.set_behind(lines.substr(0, begin));
    if (!plain || !alone || !take_quickly(lines.substr(at, end - at), hit - at)) {
      rest_ = lines.substr(std::min(end + 1, lines.size()));
      take_line(lines.substr(begin, end - begin), hit - begin, newline != lines.npos);
      const std::size_t joined = std::exchange(joined_, 0);
      if (next < end + joined) next = find_nccl(lines, end + joined);
      at = end + 1 + joined;
      rest_ = {};
    } else {
      at = end + 1;
    }
    hit = next;
  }
  position_.end_lines(lines);
}

void Reader::take_line(std::string_view line, std::size_t nccl, bool whole) {
  if (!unpack_json(line, nccl, unpacked_)) return take_text(line, nccl, whole);
  rest_ = {};
  for (const std::string_view text : split(unpacked_, '\n')) take_any(text, true);
}

void Reader::take_any(std::string_view text, bool whole) {
  if (const auto at = find_nccl(text, 0); at != text.npos)
    take_text(text, at, whole);
  else if (waits() || marks_.find_line(text, 0) != text.npos)
    take_bare(without_colours(text));
}

/// Valid up to the next call.
std::string_view Reader::without_colours(std::string_view text) {
  if (!contains(text, '\x1b')) return text;
  strip_colours(text, scratch_);
  return scratch_;
}

template <typename Take>
void Reader::take_each(std::string_view line, const Take& take) {
  if (const auto text = text_in_json(line);
      text != line.npos && unpack_json(line, text, unpacked_)) {
    rest_ = {};
    for (const std::string_view part : split(unpacked_, '\n'))
      if (!part.empty()) take(without_colours(part));
    return;
  }
  for (const std::string_view part : split(line, '\r')) {
    if (!part.empty()) take(without_colours(part));
    position_.take_return();
  }
}

std::size_t Reader::take_others(std::string_view all, std::size_t begin, std::size_t end) {
  const std::string_view lines = all.substr(0, end);
  std::size_t marked = begin;  // no mark is before it
  for (std::size_t at = begin; at < end;) {
    // A block goes on in lines that have no mark, and so does a traceback.
    if (marked <= at) marked = std::min(marks_.find_line(lines, at), end);
    if (!waits() && !job_.tracebacks().waits()) at = marked;
    if (at == end) return end;
    const std::size_t stop = std::min(lines.find('\n', at), end);
    const std::string_view line = lines.substr(at, stop - at);
    const bool whole = waits() || at == marked;
    position_.set_behind(all.substr(0, at));
    rest_ = all.substr(std::min(stop + 1, all.size()));
    if (line.empty() || line == "\r") job_.blank();
    if (whole || contains(line, '\r') || !job_.tracebacks().passes(line))
      take_each(line, [&](std::string_view part) {
        whole ? take_bare(part) : job_.tracebacks().take(part);
      });
    at = stop + 1 + std::exchange(joined_, 0);
    rest_ = {};
    if (at >= end) return at;
  }
  return end;
}

void Reader::take_text(std::string_view line, std::size_t nccl, bool whole) {
  if (contains(line, '\x1b')) {
    line = without_colours(line);
    nccl = find_nccl(line, 0);
    if (nccl == line.npos) return;
  }
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
    whole = true;
  }
  if (!contains(line, '\r')) return take_segments(line, nccl, whole);
  const std::vector<std::string_view> pieces = split(line, '\r');
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    take_any(pieces[i], whole || i + 1 < pieces.size());
    position_.take_return();
  }
}

void Reader::take_bare(std::string_view line) {
  // "2: " of srun at the begin of a file may be the rest of "12: ".
  if (position_.line() == 1) line = without_plain_label(line);
  std::string whole;
  if (const std::size_t more = wrapped_.join(line, rest_, whole); more != 0) {
    joined_ = more;
    line = whole;
  }
  if (calls_.waits() && calls_.take_bare(line, processes_.unnamed())) return;
  if (rings_.waits()) rings_.take_next(line);
  job_.take(line);
}

void Reader::take_segments(std::string_view line, std::size_t nccl, bool whole) {
  std::optional<Prefix> prefix = prefix_at(line, nccl);
  // A line of which the part before NCCL stands on the line above.
  std::string joined;
  if (prefix && prefix->process.empty() && nccl == 0) {
    joined = cat(trim(last_line(position_.before())), " ", line);
    const auto at = joined.size() - line.size();
    if (const auto whole_prefix = prefix_at(joined, at); !whole_prefix->process.empty()) {
      prefix = whole_prefix;
      line = joined;
      nccl = at;
    }
  }
  if (!prefix) {
    take_bare(line);
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
    const std::uint32_t process =
        processes_.process_of(*prefix, first ? line.substr(0, prefix->begin) : before, first);
    take_message(*prefix, process, message, complete, next ? std::string_view() : rest_);
    before = message;
    first = false;
    prefix = next;
  }
}

}  // namespace nettune::tools::nccl::log::reader
