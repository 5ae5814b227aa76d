// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/cli/this_node.hpp"
#include "measure/net/data_client.hpp"
#include "measure/paths.hpp"
#include "node/context.hpp"
#include "node/peer_process.hpp"

namespace nettune::measure {

/// A peer that was started, and what both nodes say of themselves.
struct Session {
  cli::PeerProcess process;
  Tokens tokens;
  NodeView ours;
  NodeView theirs;
  std::uint16_t port = 0;
  std::vector<std::string> notes;

  bool is_this_node() const { return ours.identity == theirs.identity; }
};

/// `ssh HOST nettune COMMAND --peer-stdio`.
Result<cli::PeerProcess> start_by_ssh(const std::string& host, const std::string& command);
/// The first line that is JSON, of the same version: a login may say something before.
Result<nlohmann::ordered_json> read_hello(cli::PeerProcess& process, const std::string& name);

/// Starts `nettune test --peer-stdio` at `host` by ssh, or `command` instead.
Result<Session> open_session(cli::Context& context, const std::string& host,
                             const std::vector<std::string>& command, const std::string& ports);

/// One way from here to the peer.
struct Path {
  EndPair ends;
  Target target;
};
/// The networks that both are in; else the address of `host`. With `address` only that one.
Result<std::vector<Path>> paths_to(const Session& session, const std::string& host,
                                   const std::string& address);

}  // namespace nettune::measure
