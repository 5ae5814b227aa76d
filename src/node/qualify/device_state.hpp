// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "facts/facts.hpp"

namespace nettune::node::qualify {

/// The state of a device apart from settings, as texts by name: "eth0 addresses".
using DeviceState = std::map<std::string, std::string>;

/// The state of the interface, its RDMA devices and the rest of the card: MTU, queue length,
/// carrier, state, speed, addresses, and state and GIDs of the ports. Unknown values are "".
DeviceState device_state(const facts::Facts& facts, const std::string& device);

std::vector<Moved> compare_states(const DeviceState& before, const DeviceState& now);

/// True if its values are hardware addresses, addresses or GIDs, which are private.
bool tells_address(const Moved& moved);

}  // namespace nettune::node::qualify
