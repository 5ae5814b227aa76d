// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "firewall/walk/packets.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::walk {

/// Whether the connection is looked up before that chain; nothing if that depends on load order.
std::optional<bool> is_tracked_in(const kernel::NfChain& base);

/// The "ct state" of packets in a base chain; 0 if it is not known.
std::uint32_t connection_state(const Packets& packets, const Shape& shape,
                               const kernel::NfChain& base);
bool has_connection(std::uint32_t state);

}  // namespace nettune::firewall::walk
