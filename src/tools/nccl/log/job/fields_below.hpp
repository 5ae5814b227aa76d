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
/// MPICH: "=   PID 9665 RUNNING AT node1", "=   EXIT CODE: 9". `ray status`: "0.0/1.0 GPU". Ray, of
/// a process that died:
///
///     ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
///             class_name: WorkerDict
///             pid: 87687
///             ip: 10.0.0.5
///
/// or, in one line, "... Worker IP address: 10.0.0.5 Worker port: 10003 Worker PID: 87687 ...".
/// Rust, of a thread that gave up ("thread 'main' panicked at src/main.rs:4:5:"): the next line.
class FieldsBelow {
 public:
  /// A line of which the cause is known, and what it names itself. `event` is what take() is of.
  std::string begin(std::string_view line, std::uint32_t event);
  /// What a line behind it names.
  std::string take(std::string_view line);
  std::uint32_t event() const { return event_; }
  bool waits() const { return left_ != 0; }
  void clear() { *this = {}; }

 private:
  enum class Kind { help_text, ray_status, dead_worker, panic };
  std::string take_dead_worker(std::string_view line);

  Kind kind_ = Kind::help_text;
  unsigned left_ = 0;  ///< lines that may still be of it
  std::uint32_t event_ = 0;
  std::string pid_;  ///< of a dead worker
};

}  // namespace nettune::tools::nccl::log::job
