// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/failed_calls.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

bool FailedCalls::is_one(std::string_view message) {
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

void FailedCalls::take(std::uint32_t process, std::string_view message) {
  const std::uint32_t last = events_.last_of(process);
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
    events_.take({.process = process, .message = message},
                 events_.cause_of(Cause::By::nccl, message));
}

bool FailedCalls::take_bare(std::string_view line, std::uint32_t unnamed) {
  line = trim(line);
  if (line.empty()) return true;
  bare_ = is_one(line);
  if (!bare_) return false;
  ++log_.messages;
  ++log_.unnamed;
  take(unnamed, line);
  return true;
}

}  // namespace nettune::nccl_log
