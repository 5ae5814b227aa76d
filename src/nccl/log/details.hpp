// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::nccl_log {

/// The task and node that a line of srun names ("node7: task 0", "node7: tasks 0-3"), or the node
/// on which it could not start one, or whose slurmd it could not reach; "" for none.
std::string detail_of(std::string_view line);

/// Who holds the memory of a GPU of which PyTorch did not get any, by the numbers in its message
/// (c10/cuda/CUDACachingAllocator.cpp); "" where they do not tell.
std::string memory_use_in(std::string_view line);

/// What an exit code that a launcher names in `text` usually means, "" where it says no more than
/// that the process failed: shells make 128 + N of a process that signal N ended.
std::string exit_code_in(std::string_view text);

}  // namespace nettune::nccl_log
