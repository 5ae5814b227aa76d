// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nettune::doctor {

/// What NCCL's RAS subsystem reports of a job as wrong: ranks that are missing, dead, or behind. Of
/// its JSON (NCCL 2.28.7 and newer) or of its text (2.24 and newer).
std::vector<std::string> ras_troubles(std::string_view answer);

}  // namespace nettune::doctor
