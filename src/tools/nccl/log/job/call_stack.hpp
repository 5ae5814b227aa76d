// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::job {

/// Reads where a call was made for which a rank waits, into Wait::called. PyTorch prints it where
/// its flight recorder is on (pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp,
/// printTraceback()):
///
///     [rank1]:[E... ProcessGroupNCCL.cpp:733] Stack trace of the failed collective:
///     #0 barrier from /opt/env/lib/python3.12/site-packages/torch/distributed/c10d.py:5030
///     #1 save from /home/me/train.py:46
///
/// Where ranks write between each other, nothing is taken.
class CallStack {
 public:
  explicit CallStack(Log& log) : log_(log) {}

  /// True: the line is of a stack.
  bool take(std::string_view line);
  bool waits() const { return wait_ != nullptr || mixed_; }
  void end_file();

 private:
  Log& log_;
  Wait* wait_ = nullptr;    ///< whose stack is read
  bool mixed_ = false;      ///< several ranks began, and whose the frames are is not known
  std::uint32_t next_ = 0;  ///< number of the frame that comes next
  std::string called_;      ///< the first frame that is not of a package
};

}  // namespace nettune::tools::nccl::log::job
