// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/first_cause.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::nccl_log {

namespace {

/// Known causes, then what nobody catalogued, then what follows from something else, then what was
/// tried again.
int order_of(const Event& event, const std::vector<Cause>& causes) {
  if (event.retried) return 3;
  if (event.cause == kNone) return 1;
  return causes[event.cause].role == Cause::Role::cause ? 0 : 2;
}

bool earlier(const Event& a, const Event& b) {
  if (!a.time.empty() && !b.time.empty() && a.time != b.time) return a.time < b.time;
  return a.file == b.file ? a.line < b.line : a.file < b.file;
}

/// The address between `word` and "<port>".
std::string_view address_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  const auto end = rest.find('<');
  return end > 64 ? std::string_view() : rest.substr(0, end);  // npos is, too
}

}  // namespace

void order_events(const Log& log, const std::vector<Cause>& causes, Verdict& verdict) {
  for (std::uint32_t i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    // A process that says later that its communicator stands got over it.
    if (event.retried && log.processes[event.process].completed > event.completed) continue;
    if (event.cause == kNone || causes[event.cause].role != Cause::Role::note)
      verdict.events.push_back(i);
  }
  // Times are of some lines only, so that `earlier` is no order of all: the least is looked for.
  std::stable_sort(verdict.events.begin(), verdict.events.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return order_of(log.events[a], causes) < order_of(log.events[b], causes);
                   });
  if (verdict.events.empty()) return;
  const int best = order_of(log.events[verdict.events.front()], causes);
  std::uint32_t first = verdict.events.front();
  for (const std::uint32_t i : verdict.events)
    if (order_of(log.events[i], causes) == best && earlier(log.events[i], log.events[first]))
      first = i;
  verdict.first = first;
}

std::vector<std::uint32_t> peers_named(const Log& log, const Event& event) {
  std::vector<std::uint32_t> found;
  std::string_view address = address_behind(event.text, "peer ");
  if (address.empty()) address = address_behind(event.text, "connect to ");
  if (address.empty()) address = address_behind(event.text, "Connect to ");
  if (address.empty()) return found;
  const std::string wanted = cat(":", address, "<");
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    const Process& process = log.processes[i];
    const auto names_it = [&](std::uint32_t id) {
      return log.names.text(id).find(wanted) != std::string::npos;
    };
    if (process.host == address ||
        std::any_of(process.bootstrap.begin(), process.bootstrap.end(), names_it) ||
        std::any_of(process.oob.begin(), process.oob.end(), names_it))
      found.push_back(i);
  }
  return found;
}

}  // namespace nettune::nccl_log
