// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/judge/fate.hpp"

/// Whether the job went on after something that went wrong.
namespace nettune::tools::nccl::log::judge {

/// The process of the event said later that it went on, and NCCL does not say that a call failed
/// without which it cannot.
bool went_on(const Log& log, const Event& event);

/// A plugin that could not be used, in a process that went on to NCCL's own networks.
bool has_other_network(const Log& log, const Event& event);

/// Above the first list of ranks that nccl-tests prints in its file.
bool is_above_tests(const Log& log, const Event& event);

/// Where the run ended well, as nccl-tests says for all of its ranks: a call that failed for one of
/// them is then one of NCCL's helper threads, as with a connection that a port scanner made.
std::optional<Place> good_end(const Log& log, const std::vector<Cause>& causes, const Event& event);

/// A plugin that could not be used before its process said anything else.
bool is_of_plugin(const Log& log, const Event& event);

}  // namespace nettune::tools::nccl::log::judge
