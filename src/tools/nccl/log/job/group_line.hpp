// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::log::job {

/// When a line "[rank6]:[E429 13:55:49 ProcessGroupNCCL.cpp:1743] ..." was printed, as
/// Event::clock; 0 where it has no time.
std::uint32_t clock_of_group_line(std::string_view line);

/// In what two ranks differ that make the same call as the same one in the order: "rank 1:
/// TensorShape=[4, 2]; rank 2: TensorShape=[4, 3]". "" where it is not the same call, or not shown.
std::string same_call_difference(std::string_view line);

}  // namespace nettune::tools::nccl::log::job
