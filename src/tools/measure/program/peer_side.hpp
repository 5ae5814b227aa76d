// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/ceiling.hpp"
#include "tools/measure/net/data_server.hpp"
#include "tools/measure/program/all_reduce.hpp"

namespace nettune::tools::measure::program {

/// The data server's answers that are not measurements: counters of one of the interfaces, and the
/// bytes of those beside it, which may carry what is meant for it.
net::DataServer::Answer answers(std::vector<End> ends);
/// RDMA, near the card, in the thread of the connection; other tools, whose servers listen in
/// `ports`; and ranks of an all-reduce, with the variables that `jobs` get here.
net::DataServer::TakeOver taken_orders(net::PortRange ports = {}, Environment jobs = {});

/// `nettune test --peer-stdio`: the side that ssh starts. Reads a line with the tokens, writes a
/// line with this node's description and its port, and serves until standard input ends.
Result<node::Exit> serve_on_stdio(node::Context& context);

}  // namespace nettune::tools::measure::program
