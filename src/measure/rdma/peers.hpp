// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/net/data_client.hpp"
#include "measure/rdma/endpoint.hpp"

/// RDMA between two sides that talk over a connection of the data server: the caller orders, both
/// make an endpoint and tell each other its address, and one of them sends.
namespace nettune::measure {

/// Both ends of a measurement.
struct RdmaPair {
  RdmaPlan ours;
  RdmaPlan theirs;
};

struct RdmaLatency {
  std::vector<double> round_trips_s;
  int mtu = 0;  ///< bytes of a packet's payload
};
Result<RdmaLatency> rdma_latency(const Target& target, const RdmaPair& pair, std::size_t count,
                                 double longest_s, const Cancelled& cancelled);

struct RdmaRate {
  StreamResult result;
  int mtu = 0;
};
/// What RC writes with `plan.streams` queue pairs bring to the peer's memory, or here.
Result<RdmaRate> rdma_bandwidth(const Target& target, const RdmaPair& pair, const StreamPlan& plan,
                                bool to_peer, const Cancelled& cancelled);

/// The side that is called: carries out one order of "do": "rdma" over this connection.
void serve_rdma(const std::string& order, int socket, const Cancelled& cancelled);

}  // namespace nettune::measure
