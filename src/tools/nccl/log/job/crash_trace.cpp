// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/crash_trace.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr std::size_t kMostTraces = 16;
constexpr unsigned kMostOthers = 8;
constexpr std::size_t kLongestFrame = 200;

/// A frame: its number, and the names of its function, and of its library or file.
struct Frame {
  std::uint32_t number = 0;
  std::string_view function;
  std::string_view path;
};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// " 1] /usr/lib/libnccl.so.2(ncclSend+0x7e0d9)[0x7f81]", "1  /usr/lib/libucs.so.0(+0x2dc) [0x7f]".
bool parse_library(std::string_view text, Frame& into) {
  if (!text.starts_with('/')) return false;
  const auto end = text.find_first_of("([ ");
  into.path = text.substr(0, end);
  if (end == text.npos || text[end] != '(') return end != text.npos;
  const std::string_view inner = text.substr(end + 1);
  into.function = inner.substr(0, inner.find_first_of("+)"));
  return true;
}

/// "0x000000000006a920 SaveProxy()  /build/nccl/src/proxy.cc:518"
bool parse_source(std::string_view text, Frame& into) {
  if (!text.starts_with("0x")) return false;
  const auto blank = text.find(' ');
  const auto end = blank == text.npos ? blank : text.find("()", blank);
  if (end == text.npos) return false;
  into.function = trim(text.substr(blank, end - blank));
  into.path = trim(text.substr(end + 2));
  return true;
}

std::optional<Frame> parse_frame(std::string_view text) {
  Frame frame;
  text = trim(text);
  const bool has_bracket = text.starts_with('[');
  if (has_bracket) text = trim(text.substr(1));
  Cursor at(text);
  const auto number = at.number();
  if (!number || (has_bracket && !at.skip("]")) || !at.skip(" ")) return {};
  frame.number = *number;
  const std::string_view rest = trim(at.rest());
  if (!parse_library(rest, frame) && (has_bracket || !parse_source(rest, frame))) return {};
  return frame;
}

/// "MPI_Wait() in libmpi.so.40", "libmpi.so.40"
std::string short_name(const Frame& frame) {
  const std::string_view file = base_name(frame.path).substr(0, kLongestFrame);
  if (frame.function.empty()) return std::string(file);
  const std::string_view function = frame.function.substr(0, kLongestFrame);
  return file.starts_with("??") ? cat(function, "()") : cat(function, "() in ", file);
}

template <std::size_t N>
bool starts_with_any(std::string_view text, const std::string_view (&all)[N]) {
  return std::any_of(std::begin(all), std::end(all),
                     [&](std::string_view one) { return text.starts_with(one); });
}

/// What catches the signal, and the C library, which everybody calls.
bool is_of_the_signal(const Frame& frame) {
  static constexpr std::string_view kLibraries[] = {
      "libc.so", "libc-", "libpthread", "libucs.so", "ld-linux", "libopen-pal", "libuct.so"};
  static constexpr std::string_view kFunctions[] = {"__sigaction", "__restore_rt", "ucs_", "killpg",
                                                    "funlockfile"};
  return starts_with_any(base_name(frame.path), kLibraries) ||
         (frame.path.starts_with("??") && starts_with_any(frame.function, kFunctions));
}

/// By its library, by the file of its sources, or by its name where a program contains NCCL.
bool is_of_nccl(const Frame& frame) {
  static constexpr std::string_view kLibraries[] = {"libnccl.so", "librccl.so"};
  if (starts_with_any(base_name(frame.path), kLibraries)) return true;
  const bool is_source = frame.path.find("/src/") != frame.path.npos &&
                         frame.path.find(".cc:") != frame.path.npos &&
                         (frame.path.find("/nccl/") != frame.path.npos ||
                          frame.path.find("/rccl/") != frame.path.npos);
  std::string_view name = frame.function;
  if (name.starts_with("_Z"))
    name.remove_prefix(std::min(name.find_first_not_of("0123456789", 2), name.size()));
  return is_source ||
         (name.starts_with("nccl") && name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z');
}

/// Libraries that NCCL calls: of RDMA devices, of networks, of CUDA.
bool may_be_below(const Frame& frame) {
  static constexpr std::string_view kLibraries[] = {
      "libibverbs", "libmlx4",   "libmlx5",     "libefa",   "libbnxt",    "libirdma",
      "libfabric",  "librdmacm", "libnccl-net", "libcuda.", "libcudart.", "libnvidia-"};
  return starts_with_any(base_name(frame.path), kLibraries);
}

}  // namespace

std::optional<CrashTraces::Found> CrashTraces::take(std::string_view line, std::uint64_t at) {
  for (const std::string_view begin : {"*** Process received signal ***", "==== backtrace ("}) {
    const auto found = line.find(begin);
    if (found == line.npos) continue;
    const std::string_view front = line.substr(0, found);
    std::erase_if(open_, [&](const Open& one) { return one.front == front; });
    if (open_.size() == kMostTraces) return {};
    Open& open = open_.emplace_back();
    open.front = front;
    open.line = at;
    return {};
  }
  auto open = open_.end();  // the one with the longest front that fits
  for (auto one = open_.begin(); one != open_.end(); ++one)
    if (line.starts_with(one->front) &&
        (open == open_.end() || one->front.size() > open->front.size()))
      open = one;
  if (open == open_.end()) {
    // Lines of others may be in between, but not for ever.
    std::erase_if(open_, [](Open& one) { return ++one.others > kMostOthers; });
    return {};
  }
  const auto frame = parse_frame(line.substr(open->front.size()));
  if (!frame) {
    if (++open->others > kMostOthers) open_.erase(open);
    return {};
  }
  const bool is_next = open->started ? frame->number == open->next : frame->number <= 1;
  open->started = true;
  open->next = frame->number + 1;
  if (is_next && is_of_the_signal(*frame)) return {};
  const std::string text(trim(line.substr(open->front.size())).substr(0, kLongestFrame));
  if (is_next && may_be_below(*frame)) {
    if (open->top.empty()) open->top = text;
    return {};
  }
  Found found{is_of_nccl(*frame), !open->top.empty(), open->line,
              open->top.empty() ? text : open->top};
  if (!found.of_nccl && !found.below) found.frame = short_name(*frame);
  open_.erase(open);
  return is_next ? std::optional(found) : std::nullopt;
}

}  // namespace nettune::tools::nccl::log::job
