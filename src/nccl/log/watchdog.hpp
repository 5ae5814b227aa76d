// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nccl/log/verdict.hpp"

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

/// Who timed out in what, who is behind, and who says nothing. A rank is behind another one only in
/// the same process group, and the lines do not always say which one it is.
/// `mismatch` gets the one that says that ranks did not make the same calls.
std::vector<std::string> explain_waits(const Log& log, const Verdict& verdict,
                                       std::string& mismatch);

}  // namespace nettune::nccl_log
