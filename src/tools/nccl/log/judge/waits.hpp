// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Who timed out in what, who is behind, and who says nothing. A rank is behind another one only in
/// the same process group, and the lines do not always say which one it is.
/// `follows_from` gets what a time-out follows from, where that was found: ranks that did not make
/// the same calls, or that had not made one.
std::vector<std::string> explain_waits(const Log& log, const std::vector<Cause>& causes,
                                       const Verdict& verdict, std::string& follows_from);

/// The watchdog says of a collective that it did not finish in time.
bool has_timeout(const Log& log);

/// Sends and receives have numbers of their own (ProcessGroupNCCL.hpp, seqP2P_).
bool is_counted_alike(std::string_view operation);

}  // namespace nettune::tools::nccl::log::judge
