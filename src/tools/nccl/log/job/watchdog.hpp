// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::job {

/// Reads what the watchdog of PyTorch's process groups says: which rank waits for which collective,
/// and how far its process group came. A launcher may break the line of a timeout before the call
/// (mila-iqia/milabench pull request 269), and a terminal anywhere (HKUDS/GraphGPT issue 44).
class Watchdog {
 public:
  explicit Watchdog(Log& log) : log_(log) {}

  /// True: some rank says that it waits.
  bool take(std::string_view line);
  /// A broken line goes on in the next one.
  bool waits() const { return !broken_.empty(); }
  void end_file();

 private:
  bool take_whole(std::string_view line);

  Log& log_;
  std::string broken_;
};

/// Takes away the waits of lines that say only the rank in a process group, where a line with the
/// rank of the job says the same: a process repeats it as it ends ("what(): [PG ID 4 Rank 1] ...").
void drop_repeated_waits(Log& log);

}  // namespace nettune::tools::nccl::log::job
