// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "nccl/log/judge/verdict.hpp"

namespace nettune::nccl_log {

/// Who timed out in what, who is behind, and who says nothing. A rank is behind another one only in
/// the same process group, and the lines do not always say which one it is.
/// `mismatch` gets the one that says that ranks did not make the same calls.
std::vector<std::string> explain_waits(const Log& log, const Verdict& verdict,
                                       std::string& mismatch);

}  // namespace nettune::nccl_log
