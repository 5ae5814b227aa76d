// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "facts/facts.hpp"

namespace nettune::cli {

/// What a device is like apart from settings, as texts by name: "eth0 addresses".
using DeviceState = std::map<std::string, std::string>;

/// Of the interface and its RDMA devices, and what else is on the same card: MTU, queue length,
/// carrier, state, speed, addresses, and state and GIDs of their ports. What is not known is "".
DeviceState device_state(const facts::Facts& facts, const std::string& device);

std::vector<Moved> compare_states(const DeviceState& before, const DeviceState& now);

/// True when its values are hardware addresses, addresses or GIDs: not for others to read.
bool tells_address(const Moved& moved);

}  // namespace nettune::cli
