// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Finds Verdict::left, where the first error can follow from that, and returns what to say of it;
/// "" for none. Every rank of the main communicator must be accounted for: a process that died
/// would explain the error as well. A healthy job destroys its communicators, too.
std::string find_leavers(const Log& log, const std::vector<Cause>& causes, Verdict& verdict);

/// The main communicator's ranks are those of the job, as far as the log shows.
bool has_ranks_of_job(const Log& log, const Verdict& verdict);

/// File and line where the main communicator of this rank was destroyed in good order; line 0 where
/// no line says it.
std::pair<std::uint32_t, std::uint64_t> destroyed_at(const Log& log, const Verdict& verdict,
                                                     std::uint32_t rank);

/// All ranks of the main communicator destroyed it in good order, below `event` in its file where
/// one is given.
bool all_destroyed(const Log& log, const Verdict& verdict, const Event* event = nullptr);

/// "job.log:92"
std::string place_of(const Log& log, const std::pair<std::uint32_t, std::uint64_t>& place);

}  // namespace nettune::tools::nccl::log::judge
