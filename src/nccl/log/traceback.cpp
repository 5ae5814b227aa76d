// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/traceback.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "nccl/log/lines.hpp"
#include "nccl/log/voice.hpp"

namespace nettune::nccl_log {

namespace {

constexpr std::string_view kBegin = "Traceback (most recent call last)";
constexpr std::size_t kMostTracebacks = 64;
constexpr unsigned kMostBetween = 4096;  ///< lines of all ranks, until nobody waits any more

/// Those of launchers, and of who talked to a process that ended: they say that another one failed.
bool is_of_a_bystander(std::string_view name) {
  static constexpr std::string_view kNames[] = {"ChildFailedError",
                                                "CalledProcessError",
                                                "SignalException",
                                                "ProcessRaisedException",
                                                "ProcessExitedException",
                                                "DistBackendError",
                                                "DistNetworkError",
                                                "DistStoreError",
                                                "ActorDiedError",
                                                "RayActorError",
                                                "RayTaskError",
                                                "WorkerCrashedError",
                                                "EngineDeadError",
                                                "BrokenPipeError",
                                                "ConnectionResetError",
                                                "ConnectionAbortedError",
                                                "ConnectionRefusedError",
                                                "EOFError",
                                                "RemoteDisconnectedError",
                                                "IncompleteReadError",
                                                "CancelledError",
                                                "HorovodInternalError",
                                                "MultiprocessingException"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// "torch.cuda.SomeError: text", or without a text; not of launchers, or of who talked to a process
/// that ended.
bool is_exception(std::string_view line) {
  const auto end =
      line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  const std::string_view path = line.substr(0, end);
  const std::string_view rest = end == line.npos ? std::string_view() : line.substr(end);
  if (!rest.empty() && rest.front() != ':' && !trim(rest).empty()) return false;
  const std::string_view name = path.substr(path.rfind('.') + 1);
  if (!name.ends_with("Error") && !name.ends_with("Exception")) return false;
  // torch.multiprocessing.spawn() puts what failed on the lines behind a bare "Exception: ".
  const bool says_something = name != "Exception" || rest.size() > 2;
  // vLLM: "Engine core initialization failed. See root cause above."
  return says_something && !is_of_a_bystander(name) && rest.find("root cause") == rest.npos;
}

}  // namespace

bool Tracebacks::passes(std::string_view line) {
  if (line.find("Error") != line.npos || line.find("Exception") != line.npos) return false;
  if (++waited_ > kMostBetween) open_.clear();
  return true;
}

void Tracebacks::take(std::string_view line) {
  if (line.find(kBegin) != line.npos) {
    // "Exception ignored in: <function Pool.__del__>": it ended nothing.
    if (last_line(position_.before()).find("Exception ignored in") != line.npos) return;
  }
  const std::string_view exception = exception_in(line);
  if (!exception.empty()) take_exception(line, exception, 0);
}

std::string_view Tracebacks::exception_in(std::string_view line) {
  const auto begin = line.find(kBegin);
  if (begin == line.npos && ++waited_ > kMostBetween) open_.clear();
  if (begin == line.npos && open_.empty()) return {};
  const std::uint64_t voice = voice_of(line);
  const auto open =
      std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.voice == voice; });
  if (begin != line.npos) {
    waited_ = 0;
    if (open != open_.end())
      open->front = line.substr(0, begin);
    else if (open_.size() < kMostTracebacks)
      open_.push_back({voice, std::string(line.substr(0, begin))});
    return {};
  }
  if (open == open_.end()) return {};
  const std::string_view text = without_front(line, open->front);
  if (!is_exception(text)) return {};
  open_.erase(open);
  return text;
}

void Tracebacks::take_above() {
  constexpr unsigned kClose = 4;
  constexpr unsigned kMost = 64;  // with what torchrun says to the others
  const bool is_known =
      std::any_of(log_.events.begin(), log_.events.end(), [&](const Event& event) {
        const Cause* const cause = events_.cause(event.cause);
        return event.file == position_.file() && cause != nullptr &&
               cause->role == Cause::Role::program;
      });
  if (is_known) return;
  std::string_view before = position_.before();
  unsigned others = 0;
  for (unsigned back = 1; back <= kMost && others < kClose && !before.empty(); ++back) {
    if (before.ends_with('\n')) before.remove_suffix(1);
    const auto newline = before.rfind('\n');
    const std::string_view line = before.substr(newline == before.npos ? 0 : newline + 1);
    before = before.substr(0, newline == before.npos ? 0 : newline + 1);
    if (line.find(" closing signal ") == line.npos) ++others;
    std::string_view exception = without_plain_label(trim(line));
    if (const auto end = exception.find("]: ");
        exception.starts_with("[rank") && end != exception.npos)
      exception.remove_prefix(end + 3);
    if (!is_exception(exception)) continue;
    take_exception(line, exception, position_.line() - back);
    return;
  }
}

void Tracebacks::take_exception(std::string_view line, std::string_view exception,
                                std::uint64_t at) {
  const std::uint32_t cause = events_.cause_of(Cause::By::job, exception, "traceback");
  if (cause != kNone && events_.cause(cause)->role == Cause::Role::program)
    events_.take_in(line, exception, cause, at);
}

}  // namespace nettune::nccl_log
