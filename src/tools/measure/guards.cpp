// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/guards.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace nettune::tools::measure {
namespace {

std::string sentence(const std::string& name, std::int64_t rose) {
  const auto dot = name.rfind('.');
  const std::string device = name.substr(0, dot);
  const std::string what = dot == std::string::npos ? name : name.substr(dot + 1);
  if (what == "carrier_changes") return cat("the link of ", device, " went down or came up");
  if (what == "xid") return cat("the GPU driver reported ", rose, " Xid error(s); see dmesg");
  if (what == "throttled") return cat("the CPU was thermally throttled ", rose, " time(s)");
  return cat(what, " of ", device, " rose by ", rose);
}

}  // namespace

std::vector<std::string> guard_findings(const GuardReading& before, const GuardReading& after) {
  std::vector<std::string> out;
  for (const auto& [name, now] : after.counters) {
    const auto then = before.counters.find(name);
    // A counter that restarts belongs to a device that was created again.
    if (then != before.counters.end() && now > then->second)
      out.push_back(sentence(name, now - then->second));
  }
  for (const auto& [name, then] : before.counters)
    if (name.ends_with(".carrier_changes") && !after.counters.contains(name))
      out.push_back(cat("the interface ", name.substr(0, name.rfind('.')), " is gone"));
  // Slewing moves the clock by at most 0.05 % (adjtimex(2)): 0.3 s in ten minutes.
  constexpr double kJump_s = 1;
  if (const double jump = after.clock_ahead_s - before.clock_ahead_s; std::abs(jump) > kJump_s)
    out.push_back(cat("the clock was set ", jump > 0 ? "forward" : "back", " by ",
                      std::lround(std::abs(jump)), " s"));
  if (const double slept = after.slept_s - before.slept_s; slept > kJump_s)
    out.push_back(cat("the node slept for ", std::lround(slept), " s"));
  return out;
}

std::vector<std::string> foreign_jobs(const GuardReading& first, const GuardReading& now) {
  std::vector<std::string> out;
  for (const std::string& job : now.jobs)
    if (std::ranges::find(first.jobs, job) == first.jobs.end())
      out.push_back(cat("another job began: ", job));
  return out;
}

}  // namespace nettune::tools::measure
