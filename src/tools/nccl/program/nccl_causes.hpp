// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tools/nccl/log/causes.hpp"

namespace nettune::tools::nccl::program {

/// catalog/nccl-causes.toml as it was when the program was built.
Result<std::vector<log::Cause>> built_in_causes();

/// A catalogue out of its text; errors say in which line what is wrong.
Result<std::vector<log::Cause>> parse_causes(std::string_view text);

}  // namespace nettune::tools::nccl::program
