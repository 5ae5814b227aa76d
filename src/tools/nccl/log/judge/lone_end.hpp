// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Of a process that ended when no time-out of PyTorch's watchdog was seen yet, and of which
/// nothing says why it ended: ranks that wait for it follow from that. Only where all of them say
/// their time (pytorch/pytorch issue 134006).
std::optional<std::uint32_t> early_end(const Log& log, const std::vector<Cause>& causes,
                                       const std::vector<std::uint32_t>& events);

/// The end of a rank, as a launcher tells it, from which all else can follow: others lost their
/// connection to that rank or waited for it, and it shows no error of its own but an exception of
/// the program, which then is meant. Its own lines are in the log, or a lost connection names its
/// host. `events` are those of Log::events that may be a first cause.
std::optional<std::uint32_t> lone_end(const Log& log, const std::vector<Cause>& causes,
                                      const Verdict& verdict,
                                      const std::vector<std::uint32_t>& events);

}  // namespace nettune::tools::nccl::log::judge
