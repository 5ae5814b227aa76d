// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::tools::nccl::log::job {

/// What the job printed last: the begin of the last of these lines that is neither blank nor of
/// Slurm's programs, as shown_text() has it; "" for none.
std::string text_above(std::string_view lines);

}  // namespace nettune::tools::nccl::log::job
