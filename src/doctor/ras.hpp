// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nettune::doctor {

/// The problems of a job that NCCL's RAS subsystem reports: ranks that are missing, dead, or
/// behind. Reads its JSON (NCCL 2.28.7 and newer) or its text (2.24 and newer).
std::vector<std::string> ras_troubles(std::string_view answer);

}  // namespace nettune::doctor
