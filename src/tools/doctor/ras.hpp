// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::tools::doctor {

/// What NCCL's RAS subsystem reports of a job.
struct RasVerdict {
  std::vector<std::string> troubles;   ///< ranks that are missing, dead, or do not advance
  std::vector<std::string> undecided;  ///< ranks behind others, of which there was one look
};

/// Judges an answer to STATUS, and the one to the same question some seconds later. Reads RAS's
/// JSON (NCCL 2.28.7 and newer) or its text (2.24 and newer).
RasVerdict judge_ras(std::string_view answer, std::optional<std::string_view> later = std::nullopt);

}  // namespace nettune::tools::doctor
