// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/packets.hpp"

namespace nettune::firewall::walk {

/// The common properties of the packets of some traffic, on one leg of its conversation.
Shape shape_of(const Traffic& traffic, Leg leg, Connection connection);

/// The field of this node's address.
Field own_field(const Shape& shape);
/// This node's addresses; if they are not known, any.
rules::Ranges own_addresses(const Traffic& traffic, const Shape& shape);

/// All packets of the traffic, before the first base chain.
Packets packets_of(const Traffic& traffic, const Shape& shape, Mark connection_mark = {});

}  // namespace nettune::firewall::walk
