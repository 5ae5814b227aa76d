// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"

namespace nettune::tools::nccl::log::reader {

/// Reads the lines in which rank 0 lists the ranks of a ring, "Channel 00/02 :    0   1   2   3",
/// into Log::rings: all ranks of its communicator, but no more than MAXWIDTH (20) of them up to
/// 2.26, and no more than a line of 128 letters has room for later (src/graph/rings.cc).
class RingList {
 public:
  RingList(Log& log, Position& position) : log_(log), position_(position) {}

  /// A message of NCCL.
  void take(std::string_view message);
  /// The line behind one: where that goes on in it, the ring is not whole.
  void take_next(std::string_view line);
  bool waits() const { return ranks_ != 0; }
  void clear() { ranks_ = 0; }

 private:
  Log& log_;
  Position& position_;
  std::uint32_t ranks_ = 0;  ///< of a ring that may go on in the next line; 0: none
  std::uint64_t line_ = 0;   ///< where that is in the file
};

}  // namespace nettune::tools::nccl::log::reader
