// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/rdma/endpoint.hpp"

/// RDMA between two sides that talk over a connection of the data server: the caller sends an
/// order, both create an endpoint and exchange addresses, and one of them sends.
namespace nettune::tools::measure::rdma {

/// Both ends of a measurement.
struct RdmaPair {
  RdmaPlan ours;
  RdmaPlan theirs;
};

struct RdmaLatency {
  std::vector<double> round_trips_s;
  int mtu = 0;  ///< bytes of a packet's payload
};
Result<RdmaLatency> rdma_latency(const net::Target& target, const RdmaPair& pair, std::size_t count,
                                 double longest_s, const net::Cancelled& cancelled);

struct RdmaRate {
  net::StreamResult result;
  int mtu = 0;
};
/// The rate of RC writes with `plan.streams` queue pairs into the peer's memory, or into this
/// one's.
Result<RdmaRate> rdma_bandwidth(const net::Target& target, const RdmaPair& pair,
                                const net::StreamPlan& plan, bool to_peer,
                                const net::Cancelled& cancelled);

/// The called side: carries out one order "do": "rdma" over this connection.
void serve_rdma(const std::string& order, int socket, const net::Cancelled& cancelled);

}  // namespace nettune::tools::measure::rdma
