// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::log::job {

/// The rank in mpirun's name of a process, as FieldsBelow has it: 1 of "process name
/// [[34415,1],1]".
std::optional<std::uint32_t> mpi_rank_in(std::string_view field);

/// Finds what the lines below one of a launcher name. Open MPI's help texts and mpirun:
///
///     An MPI communication peer process has unexpectedly disconnected.  This
///       Local host: node1
///       Local PID:  7720
///       Peer host:  node2
///
/// MPICH: "=   PID 9665 RUNNING AT node1", "=   EXIT CODE: 9".
class FieldsBelow {
 public:
  /// A line of which the cause is known. `event` is what take() is of.
  void begin(std::string_view line, std::uint32_t event);
  /// What a line behind it names.
  std::string take(std::string_view line);
  std::uint32_t event() const { return event_; }
  bool waits() const { return left_ != 0; }
  void clear() { *this = {}; }

 private:
  unsigned left_ = 0;  ///< lines that may still be of it
  std::uint32_t event_ = 0;
};

}  // namespace nettune::tools::nccl::log::job
