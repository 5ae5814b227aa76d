// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/net/socket.hpp"
#include "measure/net/streams.hpp"
#include "measure/net/token.hpp"
#include "measure/samples.hpp"

namespace nettune::measure {

/// A DataServer somewhere, and how to get there.
struct Target {
  SocketAddress address;
  std::optional<SocketAddress> from;  ///< the local address, where it matters
  Tokens tokens;
};

/// Connects, shows the token and looks at the peer's. Errc::conflict: somebody else answers there.
Result<UniqueFd> call(const Target& target, const std::string& order);
/// One question, one answer in JSON.
Result<std::string> ask(const Target& target, const std::string& order, double patience_s);

/// Round trips of 64 bytes, one after the other, in seconds: `count` of them, or fewer where
/// `longest_s` is over before.
Result<std::vector<double>> round_trips(const Target& target, std::size_t count, double longest_s,
                                        const Cancelled& cancelled);

/// What arrives at the peer (`to_peer`), or here.
Result<StreamResult> bandwidth(const Target& target, const StreamPlan& plan, bool to_peer,
                               const Cancelled& cancelled);

}  // namespace nettune::measure
