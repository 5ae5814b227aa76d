// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Puts the events in order, and takes the first cause among them: what can only be where it began
/// comes first, then what can also follow from a peer that died and warnings that nobody
/// catalogued, then what follows from something else, then what NCCL tried again; among equals what
/// came earlier, by NCCL's time where both have one, else by place in the same file. Between files
/// without times nothing is earlier. What somebody did who ended the job is the first cause where
/// nothing was wrong before. A warning after which the process went on is none at all.
void order_events(const Log& log, const std::vector<Cause>& causes, Verdict& verdict);

/// The processes at the address that an event names as its peer ("peer 10.0.0.2<41234>"), where a
/// bootstrap line has that address.
std::vector<std::uint32_t> peers_named(const Log& log, const Event& event);

}  // namespace nettune::tools::nccl::log::judge
