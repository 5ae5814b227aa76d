// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/net/data_server.hpp"

/// Other tools that check our results: iperf3, and ib_write_bw and ib_send_lat of perftest.
namespace nettune::tools::measure::program {

/// Repeats the measurement `one` with another tool, the same streams and the same time. Nothing if
/// no tool measures that.
std::optional<Referee> ask_referee(const Measurement& one, const net::Target& target,
                                   const net::Cancelled& cancelled);

/// The peer's side: for an order "do": "referee", runs the tool's server until the connection ends.
void serve_referee(const std::string& order, const net::PortRange& ports, int socket,
                   const net::Cancelled& cancelled);

}  // namespace nettune::tools::measure::program
