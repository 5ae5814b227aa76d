// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "measure/net/data_client.hpp"
#include "measure/net/data_server.hpp"
#include "measure/result.hpp"

/// Other people's tools beside our own figures: iperf3, and of perftest ib_write_bw and
/// ib_send_lat.
namespace nettune::measure {

/// Measures once more what `one` measured, with the same streams and time. Nothing where no tool
/// measures that.
std::optional<Referee> ask_referee(const Measurement& one, const Target& target,
                                   const Cancelled& cancelled);

/// The peer side: starts the tool's server for an order of "do": "referee", until the connection
/// ends.
void serve_referee(const std::string& order, const PortRange& ports, int socket,
                   const Cancelled& cancelled);

}  // namespace nettune::measure
