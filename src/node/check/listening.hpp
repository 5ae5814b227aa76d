// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "checks/switch_half.hpp"

namespace nettune::node::check {

/// Takes a data unit from the switch of a port; returns true if nothing more is awaited. A
/// neighbour that withdraws its data (time to live 0) does not count.
bool take_unit(std::span<const std::byte> unit, checks::Heard& heard);

/// Listens for the switches of these interfaces for `time_s`; returns one entry per interface. Ends
/// early when every switch has sent its DCB data. Sends nothing; needs CAP_NET_RAW.
std::map<std::string, checks::Heard> hear_switches(const std::vector<std::string>& interfaces,
                                                   std::int64_t time_s);

}  // namespace nettune::node::check
