// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::log {

/// The rank in front of a line that NCCL did not write: "[rank3]:" of PyTorch, "[1,3]<stdout>" of
/// mpirun, "3: " of srun --label.
std::optional<std::uint32_t> rank_in_front(std::string_view line);

/// The rank in its process group that PyTorch's ProcessGroupNCCL puts into a line of its own:
/// "[Rank 3]", "[PG ID 1 PG GUID 1 Rank 3]", or what a broken line leaves of that; and "[3] is
/// setting up NCCL communicator".
std::optional<std::uint32_t> rank_in_group(std::string_view line);

/// The line without "3: " of srun --label in front of it.
std::string_view without_plain_label(std::string_view line);

/// The same, and without "[rank3]: " of PyTorch.
std::string_view without_label(std::string_view line);

/// How a line names the process that it is of, in its own words: "VllmWorkerProcess pid=204" of Ray
/// and vLLM, "node1:77" of Open MPI and UCX, "local_rank 0, pid 30" of torchrun, "PID 30". "" where
/// it does not.
std::string speaker_in(std::string_view line);

/// What tells the lines of one process from those of others where many write into one file: its
/// rank, or the pid that Ray puts in front. 0: nothing does.
std::uint64_t voice_of(std::string_view line);

/// The line without what stands in front of the text, where `front` stood there on the line above:
/// digits may be others.
std::string_view without_front(std::string_view line, std::string_view front);

}  // namespace nettune::tools::nccl::log
