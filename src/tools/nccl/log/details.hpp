// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::tools::nccl::log {

/// That a request is one that no GPU of this size can meet, by c10/cuda/CUDACachingAllocator.cpp of
/// PyTorch; "" for other lines.
std::string detail_of(std::string_view line);

/// Who holds the memory of a GPU of which PyTorch did not get any, by the numbers in its message
/// (c10/cuda/CUDACachingAllocator.cpp); "" where they do not tell.
std::string memory_use_in(std::string_view line);

/// A barrier of PyTorch's store that more workers have joined than the group has ("world_size=2,
/// worker_count=4"): it waits until the numbers are equal (torch/distributed/distributed_c10d.py,
/// _store_based_barrier).
bool has_more_workers(std::string_view line);

/// What an exit code that a launcher names in `text` usually means, "" where it says no more than
/// that the process failed: shells make 128 + N of a process that signal N ended.
std::string exit_code_in(std::string_view text);

/// What the number is that a line of an error has in place of words: "errno 113 is EHOSTUNREACH (No
/// route to host)", "3 is ncclInternalError", "CUDA error 719 is cudaErrorLaunchFailure". "" for
/// none, or where the line has the words, too.
std::string number_in(std::string_view line);

}  // namespace nettune::tools::nccl::log
