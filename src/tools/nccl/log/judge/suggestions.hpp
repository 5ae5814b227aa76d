// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// What the log shows of the job as a whole: not whether a communicator stood, which depends on the
/// line. `verdict` has its ranks, versions and communicators.
std::set<log::Fact> facts_of(const Log& log, const Verdict& verdict,
                             const std::vector<Cause>& causes);

/// Why the event can have happened, without the reasons that the log rules out.
std::string why_of(const Log& log, const Verdict& verdict, const Cause& cause, const Event& event);

/// What to look at, without what this log rules out; all of it where nothing would be left.
std::vector<std::string> checks_of(const Log& log, const Verdict& verdict, const Cause& cause,
                                   const Event& event);

}  // namespace nettune::tools::nccl::log::judge
