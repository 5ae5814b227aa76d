// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "node/context.hpp"
#include "node/peer_process.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/paths.hpp"
#include "tools/measure/program/this_node.hpp"

namespace nettune::tools::measure::program {

/// A started peer, and the descriptions of both nodes.
struct PeerSession {
  node::PeerProcess process;
  net::Tokens tokens;
  NodeView ours;
  NodeView theirs;
  std::uint16_t port = 0;
  std::vector<std::string> notes;

  bool is_this_node() const { return ours.identity == theirs.identity; }
};

/// `ssh HOST nettune COMMAND --peer-stdio`.
Result<node::PeerProcess> start_by_ssh(const std::string& host, const std::string& command);
/// Reads the first line of JSON, which must have the same version. A login may print text before.
Result<nlohmann::ordered_json> read_hello(node::PeerProcess& process, const std::string& name);

/// Starts `nettune test --peer-stdio` on `host` by ssh, or runs `command` instead.
Result<PeerSession> open_peer_session(node::Context& context, const std::string& host,
                                      const std::vector<std::string>& command,
                                      const std::string& ports);

/// One path from here to the peer.
struct Path {
  EndPair ends;
  net::Target target;
};
/// A path for each network that both are in; without one, the address of `host`. With `address`,
/// only that one.
Result<std::vector<Path>> paths_to(const PeerSession& session, const std::string& host,
                                   const std::string& address);

}  // namespace nettune::tools::measure::program
