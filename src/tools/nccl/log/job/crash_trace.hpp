// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::tools::nccl::log::job {

/// Finds out where a process crashed, and whether NCCL had a part in it, from the trace that Open
/// MPI or UCX prints:
///
///     [node1:77] *** Process received signal ***
///     [node1:77] Signal: Segmentation fault (11)
///     [node1:77] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x42520)[0x7f81fb0d1520]
///     [node1:77] [ 1] /usr/lib/x86_64-linux-gnu/libnccl.so.2(+0x7e0d9)[0x7f81fb6490d9]
///
///     ==== backtrace (tid:  77) ====
///      0 0x0000000000042520 __sigaction()  ???:0
///      1 0x000000000006a920 SaveProxy()  /build/nccl/src/proxy.cc:518
///
/// A trace of which the first frames are missing says nothing.
class CrashTraces {
 public:
  struct Found {
    bool of_nccl = true;
    bool below = false;      ///< in a library that NCCL had called
    std::uint64_t line = 0;  ///< of the file, where the trace begins
    std::string frame;       ///< the frame at the top
  };

  /// Nothing where `line`, which is line `at` of its file, does not show it.
  std::optional<Found> take(std::string_view line, std::uint64_t at);
  /// A trace has begun.
  bool waits() const { return !open_.empty(); }
  void clear() { open_.clear(); }

 private:
  struct Open {
    std::string front;  ///< what stands before the text of each of its lines
    std::uint64_t line = 0;
    std::uint32_t next = 0;  ///< the number of the frame that comes next
    bool started = false;    ///< a frame was there
    unsigned others = 0;     ///< lines of it that are no frames
    std::string top;         ///< a frame of a library that NCCL may have called; "" for none yet
  };
  std::vector<Open> open_;
};

}  // namespace nettune::tools::nccl::log::job
