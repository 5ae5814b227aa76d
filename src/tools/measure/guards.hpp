// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nettune::tools::measure {

/// The state of everything that could spoil a comparison, at one moment.
struct GuardReading {
  /// Counters that rise when something broke: "eth1.carrier_changes", "cpu.throttled",
  /// "kernel.xid".
  std::map<std::string, std::int64_t> counters;
  std::vector<std::string> jobs;  ///< "GPU process 4711: python"
  double clock_ahead_s = 0;       ///< the time of day minus a clock that nobody sets
  double slept_s = 0;             ///< since boot: suspended, or a guest that was stopped
};

/// The disturbances during a half, as sentences; none is good.
std::vector<std::string> guard_findings(const GuardReading& before, const GuardReading& after);
/// The jobs that run now, and did not when the comparison began.
std::vector<std::string> foreign_jobs(const GuardReading& first, const GuardReading& now);

}  // namespace nettune::tools::measure
