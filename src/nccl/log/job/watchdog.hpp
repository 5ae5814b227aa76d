// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "nccl/log/log.hpp"

namespace nettune::nccl_log {

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

}  // namespace nettune::nccl_log
