// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/traceback.hpp"

#include <algorithm>

#include "base/text.hpp"
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

}  // namespace

bool Tracebacks::is_exception(std::string_view line) {
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

bool Tracebacks::begins(std::string_view line) { return line.find(kBegin) != line.npos; }

bool Tracebacks::passes(std::string_view line) {
  if (line.find("Error") != line.npos || line.find("Exception") != line.npos) return false;
  if (++waited_ > kMostBetween) open_.clear();
  return true;
}

std::string_view Tracebacks::take(std::string_view line) {
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

}  // namespace nettune::nccl_log
