// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::tools::nccl::log::job {

/// A place in the program's code as "main() at train.py:7", of "main" and "train.py:7".
std::string frame_text(std::string_view function, std::string_view place);

/// Python and its packages brought the code along.
bool is_of_library(std::string_view place);

}  // namespace nettune::tools::nccl::log::job
