// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/reach.hpp"

namespace nettune::node::confirm {

/// A test that the node still works: the value of --probe.
struct Probe {
  enum class Kind {
    path,     ///< path:PEER[%INTERFACE]: packets of the size of the MTU reach the peer and return
    gateway,  ///< gateway: the default gateway answers
    tcp,      ///< tcp:HOST:PORT: a connection succeeds
    command,  ///< command:/PATH [WORD...]: exits with 0
  };
  Kind kind = Kind::gateway;
  std::string text;  ///< as it was typed
  kernel::Peer peer;
  std::uint16_t port = 0;
  std::vector<std::string> words;
};

/// Checks only the form. The error says what is wrong with it.
Result<Probe> parse_probe(const std::string& text);

/// Resolves names to addresses, once: later there may be no resolver.
Result<> resolve_names(Probe& probe);

/// The outgoing interface of a path probe, by the routes; "" for none.
std::string device_of(const Probe& probe);

/// Tries once. Returns the result as a sentence: "10.0.0.2 answered a packet of 9000 bytes (eth1)".
Result<std::string> try_probe(const Probe& probe, int timeout_ms);

}  // namespace nettune::node::confirm
