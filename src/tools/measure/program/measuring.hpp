// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "tools/measure/measurement.hpp"
#include "tools/measure/net/streams.hpp"
#include "tools/measure/program/peer_session.hpp"

namespace nettune::tools::measure::program {

struct MeasureRequest {
  net::StreamPlan plan;
  std::size_t round_trips = 2000;
  bool with_mtu = true;
  bool tcp = true;
  bool rdma = false;
  bool gpu = false;      ///< RDMA also from and to GPU memory
  bool referee = false;  ///< also by iperf3 and perftest
  bool only_rdma() const { return rdma && !tcp; }
};

/// The state of one end when the measurement began, without its counters.
Side side_of(const End& end, const NodeView& view);

/// What the peer says now, with the bytes of the interfaces beside the measured one; empty where it
/// does not answer.
Counters counters_of_peer(const Path& path);

/// Latency, path MTU and bandwidth of a path, both ways, by TCP and by RDMA as far as it is asked
/// for and both ends have it; what does not end is a measurement with an
/// error. `begin` hears what comes next, `done` each result.
void measure_path(const Path& path, const NodeView& ours, const NodeView& theirs,
                  const MeasureRequest& request, const net::Cancelled& cancelled,
                  const std::function<void(const std::string&)>& begin,
                  const std::function<void(const Measurement&)>& done);

}  // namespace nettune::tools::measure::program
