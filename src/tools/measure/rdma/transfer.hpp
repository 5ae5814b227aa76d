// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/net/streams.hpp"
#include "tools/measure/rdma/endpoint.hpp"

/// The transfers of a connected endpoint in a measurement.
namespace nettune::tools::measure::rdma {

constexpr std::size_t kPingBytes = 64;

/// Writes to the other side's memory with all queue pairs, and counts what it acknowledges within
/// the plan's time window.
Result<net::StreamResult> write_all_pairs(Endpoint& endpoint, const net::StreamPlan& plan,
                                          const net::Cancelled& cancelled);

/// Measures round trips of a message and its answer one after the other, in seconds.
Result<std::vector<double>> ping(Endpoint& endpoint, std::size_t count, double longest_s,
                                 const net::Cancelled& cancelled);
/// Must be called before the other side sends.
Result<> expect_pings(Endpoint& endpoint);
/// Answers every message until `ended` returns true.
Result<> answer_pings(Endpoint& endpoint, const net::Cancelled& ended);

}  // namespace nettune::tools::measure::rdma
