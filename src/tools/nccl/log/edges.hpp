// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tools/nccl/log/connection.hpp"

namespace nettune::tools::nccl::log {

/// A connection as one process told it. A line that comes twice is one.
struct Edge {
  std::uint32_t process = 0;
  std::uint32_t communicator = 0;  ///< that its thread was setting up; kNone where that is unknown
  std::uint32_t own = 0;
  std::uint32_t peer = 0;
  std::uint32_t channel = 0;
  std::uint32_t detail = 0;  ///< of Log::names
  std::int32_t device = -1;
  std::int32_t proxy = -1;
  std::uint8_t index = 0;
  Transport transport = Transport::p2p;
  Side side = Side::sender;
  bool gdr = false;

  bool operator==(const Edge&) const = default;
};

/// A set of edges: open addressing over 64 bit fingerprints, since one look-up a line is what
/// reading a log costs. That two of a million edges share one is less likely than 1 in 10^7.
class Edges {
 public:
  void add(const Edge& edge);
  const std::vector<Edge>& all() const { return edges_; }

 private:
  void grow();

  std::vector<Edge> edges_;
  std::vector<std::uint64_t> slots_;  ///< fingerprints; 0 for a free one
};

}  // namespace nettune::tools::nccl::log
