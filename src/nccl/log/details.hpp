// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nettune::nccl_log {

/// The task and node that a line of srun names ("node7: task 0", "node7: tasks 0-3"), or the node
/// on which it could not start one; "" for none.
std::string detail_of(std::string_view line);

/// Finds pid and address of the process that died where Ray says so:
///
///     ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
///             class_name: WorkerDict
///             pid: 87687
///             ip: 10.0.0.5
///
/// or, in one line, "... Worker IP address: 10.0.0.5 Worker port: 10003 Worker PID: 87687 ...".
class DeadWorker {
 public:
  /// A line of which the cause is known.
  std::optional<std::string> begin(std::string_view line);
  /// The lines behind it.
  std::optional<std::string> take(std::string_view line);
  bool waits() const { return left_ != 0; }
  void clear() { left_ = 0; }

 private:
  unsigned left_ = 0;  ///< lines that may still be of it
  std::string pid_;
};

}  // namespace nettune::nccl_log
