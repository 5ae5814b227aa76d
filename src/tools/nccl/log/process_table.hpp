// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace nettune::tools::nccl::log {

/// Finds a process by "host:pid", once for every line: open addressing over 64 bit fingerprints of
/// the names. That two of a million names share one is less likely than 1 in 10^7.
class ProcessTable {
 public:
  /// Its index; UINT32_MAX where it is not known.
  std::uint32_t find(std::string_view key) const;
  void add(std::string_view key, std::uint32_t index);

 private:
  struct Slot {
    std::uint64_t fingerprint = 0;  ///< 0 for a free one
    std::uint32_t index = 0;
  };
  void put(const Slot& slot);

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace nettune::tools::nccl::log
