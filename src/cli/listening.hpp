// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checks/switch_half.hpp"

namespace nettune::cli {

/// What came from the switches at these interfaces within `time_s`; an entry for each. Ends early
/// when every one has said what it has for DCB. Sends nothing; needs CAP_NET_RAW.
std::map<std::string, checks::Heard> hear_switches(const std::vector<std::string>& interfaces,
                                                   std::int64_t time_s);

}  // namespace nettune::cli
