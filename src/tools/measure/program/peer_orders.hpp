// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/ceiling.hpp"
#include "tools/measure/net/data_server.hpp"
#include "tools/measure/net/socket.hpp"

/// The orders of `nettune doctor --peer`: both nodes carry out the same ones.
namespace nettune::tools::measure::program {

/// The addresses that a name resolves to here, in order; none if it does not resolve.
std::vector<std::string> resolve_here(const std::string& name);

/// The result of a connection attempt.
struct Reach {
  std::string state;  ///< "reachable", "refused", "dropped", "no route", "failed"
  std::string text;
};
Reach reach(const std::string& address, int port);

/// The index of each port's first RoCE v2 GID with an IPv4 address: "mlx5_0/1" to 3.
std::map<std::string, int> gid_indices();

/// Listens on one port while the peer tries to reach it. `state` is "listening", "held" if another
/// program has the port, or the reason of a failure.
class Holder {
 public:
  std::string hold(int port);
  void release();

 private:
  std::mutex mutex_;
  UniqueFd socket_;
};

/// The orders "resolve", "hold", "release", "reach" and "gids", and those of answers().
net::DataServer::Answer answers_of_peer(std::vector<End> ends);

}  // namespace nettune::tools::measure::program
