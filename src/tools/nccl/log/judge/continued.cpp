// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/continued.hpp"

#include <algorithm>

namespace nettune::tools::nccl::log::judge {

bool went_on(const Log& log, const Event& event) {
  return !event.caller_failed && log.processes[event.process].progress > event.progress;
}

bool has_other_network(const Log& log, const Event& event) {
  if (event.caller_failed || event.progress != 0 || !event.text.starts_with("NET/OFI"))
    return false;
  // Of its own networks NCCL tries InfiniBand first.
  const Process& process = log.processes[event.process];
  return !process.ib.empty() || std::ranges::any_of(process.reasons, [&](std::uint32_t id) {
    return log.names.text(id).starts_with("NET/IB : ");
  });
}

bool is_above_tests(const Log& log, const Event& event) {
  return event.line < timeline_of(log, event.file).next(Timeline::Kind::tests_begin, 0);
}

std::optional<Place> good_end(const Log& log, const std::vector<Cause>& causes,
                              const Event& event) {
  // What ended, or failed, before nccl-tests listed its ranks was something else.
  const Cause* const cause = event.cause == kNone ? nullptr : &causes[event.cause];
  const bool may_be_other =
      event.failed || event.caller_failed || (cause != nullptr && (cause->ends || cause->starts));
  if (may_be_other && is_above_tests(log, event)) return {};
  if (event.caller_failed && !(event.failed && log.tests.ranks.twice.empty())) return {};
  const std::uint64_t end = good_end_of(timeline_of(log, event.file), event.line);
  return end == 0 ? std::nullopt : std::optional(Place(event.file, end));
}

bool is_of_plugin(const Log& log, const Event& event) {
  return event.cause != kNone && event.progress == 0 && event.text.starts_with("NET/OFI") &&
         !log.processes[event.process].host.empty();
}

}  // namespace nettune::tools::nccl::log::judge
