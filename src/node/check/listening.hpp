// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "checks/switch_half.hpp"

namespace nettune::cli {

/// Takes a data unit that came from the switch of a port; true when that is all that there is to
/// wait for. A neighbour that takes back what it said (time to live 0) was not heard.
bool take_unit(std::span<const std::byte> unit, checks::Heard& heard);

/// What came from the switches at these interfaces within `time_s`; an entry for each. Ends early
/// when every one has said what it has for DCB. Sends nothing; needs CAP_NET_RAW.
std::map<std::string, checks::Heard> hear_switches(const std::vector<std::string>& interfaces,
                                                   std::int64_t time_s);

}  // namespace nettune::cli
