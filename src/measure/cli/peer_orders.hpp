// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/net/data_server.hpp"
#include "measure/net/socket.hpp"

/// What `nettune doctor --peer` asks of both nodes: each does the same for itself.
namespace nettune::measure {

/// The addresses that a name resolves to here, in order; none where it does not.
std::vector<std::string> resolve_here(const std::string& name);

/// What became of a connection.
struct Reach {
  std::string state;  ///< "reachable", "refused", "dropped", "no route", "failed"
  std::string text;
};
Reach reach(const std::string& address, int port);

/// The index of the RoCE v2 GID with an IPv4 address that a port has first: "mlx5_0/1" to 3.
std::map<std::string, int> gid_indices();

/// Holds one port for as long as somebody tries to reach it. `state` is "listening", "held" where
/// a program has it, or why not.
class Holder {
 public:
  std::string hold(int port);
  void release();

 private:
  std::mutex mutex_;
  UniqueFd socket_;
};

/// The orders "resolve", "hold", "release", "reach" and "gids" beside those of answers().
DataServer::Answer answers_of_peer();

}  // namespace nettune::measure
