// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/reach.hpp"

namespace nettune::cli {

/// A question whose answer shows that the node still works: what --probe takes.
struct Probe {
  enum class Kind {
    path,     ///< path:PEER[%INTERFACE]: packets as large as the MTU arrive there and come back
    gateway,  ///< gateway: the default gateway answers
    tcp,      ///< tcp:HOST:PORT: a connection can be made
    command,  ///< command:/PATH [WORD...]: it exits with 0
  };
  Kind kind = Kind::gateway;
  std::string text;  ///< as it was typed
  kernel::Peer peer;
  std::uint16_t port = 0;
  std::vector<std::string> words;
};

/// Checks the form only. The error names what is wrong with it.
Result<Probe> parse_probe(const std::string& text);

/// Names become addresses, once: afterwards there may be nobody to ask.
Result<> resolve_names(Probe& probe);

/// The interface that the packets of a path probe leave by, as far as the routes say; "" for none.
std::string device_of(const Probe& probe);

/// One try. What was seen, as a sentence: "10.0.0.2 answered a packet of 9000 bytes (eth1)".
Result<std::string> try_probe(const Probe& probe, int timeout_ms);

}  // namespace nettune::cli
