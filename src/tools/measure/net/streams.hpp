// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "tools/measure/sender_state.hpp"

/// Sends bytes as fast as TCP can, one thread a stream. The receiver counts what arrives within a
/// time window, and ends the streams.
namespace nettune::tools::measure::net {

struct StreamPlan {
  std::size_t streams = 1;
  double warm_s = 1;           ///< not counted: slow start
  double measure_s = 5;        ///< counted
  std::size_t bytes = 131072;  ///< per write and read
};
constexpr std::size_t kMostStreams = 256;
constexpr double kLongest_s = 600;
constexpr std::size_t kMostBytes = 16 << 20;
Result<> check(const StreamPlan& plan);

struct StreamResult {
  double gbps = 0;     ///< of all streams
  double seconds = 0;  ///< that the bytes take at this rate
  std::uint64_t bytes = 0;
  SenderState sender;
};

using Cancelled = std::function<bool()>;

Result<StreamResult> receive_streams(std::vector<UniqueFd> sockets, const StreamPlan& plan,
                                     const Cancelled& cancelled);
/// Sends until the receiver ends the streams, at most for the plan's time and a few seconds.
Result<StreamResult> send_streams(std::vector<UniqueFd> sockets, const StreamPlan& plan,
                                  const Cancelled& cancelled);

}  // namespace nettune::tools::measure::net
