// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/doctor/program/doctor_site.hpp"

namespace nettune::tools::doctor::program {

/// Whether a node takes no more jobs, and why; or what was seen and does not decide that.
struct Drain {
  std::string reason;                ///< "": the job may start
  std::vector<std::string> notes{};  ///< faults that do not drain, and why not
  std::string rule = {};             ///< of the reason
  std::string device = {};           ///< "" for the whole node
};

/// What the rules found that may drain the node.
struct LookedAt {
  std::string rule;
  std::string device;   ///< "" for the whole node
  std::string verdict;  ///< "good", "fault", "unknown" ... or "ignored"
};
std::vector<LookedAt> looked_at(const Judged& judged, const std::vector<std::string>& drain);

/// The answer of --prolog for programs; with an `error` it says nothing of the node.
std::string prolog_json(const Drain& drain, const std::vector<LookedAt>& rules,
                        const std::string& error);

/// Judges the node once more.
using LookAgain = std::function<Result<Judged>()>;

/// A fault that lasts drains at once. One that may pass (Rule::passing) drains if the node is up
/// for longer than it needs to settle, and a second look finds it again. One that only the
/// siblings of a device suggest never drains. Without `look_again` there is no second look.
Drain drain_of(const Judged& first, const DoctorSite& site, std::optional<std::int64_t> uptime_s,
               const LookAgain& look_again);

}  // namespace nettune::tools::doctor::program
