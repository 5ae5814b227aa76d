// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/streams.hpp"
#include "tools/measure/net/token.hpp"
#include "tools/measure/samples.hpp"

namespace nettune::tools::measure::net {

/// A remote DataServer, and how to reach it.
struct Target {
  SocketAddress address;
  std::optional<SocketAddress> from;  ///< the local address, if it matters
  Tokens tokens;
  std::string device = {};  ///< the interface that the packets must use; "": the routes choose
};

/// Connects, sends the token and checks the peer's. Errc::conflict: another program answers there.
Result<UniqueFd> call(const Target& target, const std::string& order);
/// Sends one question, by any interface if the target's does not reach it; returns the answer in
/// JSON.
Result<std::string> ask(const Target& target, const std::string& order, double patience_s);

/// Measures `count` round trips of 64 bytes one after the other, in seconds; fewer if `longest_s`
/// ends first.
Result<std::vector<double>> round_trips(const Target& target, std::size_t count, double longest_s,
                                        const Cancelled& cancelled);

/// Measures what arrives at the peer (`to_peer`), or here.
Result<StreamResult> bandwidth(const Target& target, const StreamPlan& plan, bool to_peer,
                               const Cancelled& cancelled);

}  // namespace nettune::tools::measure::net
