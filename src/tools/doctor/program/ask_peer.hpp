// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "node/context.hpp"
#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor::program {

/// Starts the peer's side on `host` by ssh, or with `command`, and tests the path between the
/// nodes: the MTU of every network that they share, both ways; how each resolves the other's name;
/// the ports of torchrun, which are held during the test; the GIDs of both.
Result<doctor::Peer> ask_peer(node::Context& context, const std::string& host,
                              const std::vector<std::string>& command);

}  // namespace nettune::tools::doctor::program
