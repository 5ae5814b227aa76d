// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/measure/program/measuring.hpp"

namespace nettune::tools::measure::program {

/// Switches advertise themselves every 30 s (IEEE 802.1AB-2016, 9.2.5.7: msgTxInterval).
constexpr int kHearing_s = 35;

/// The name that the switch at this interface sends by LLDP: its system name, else its chassis.
/// Waits for at most kHearing_s; needs CAP_NET_RAW. Errc::not_found: nothing was heard.
Result<std::string> switch_at(const std::string& interface, const net::Cancelled& cancelled);

}  // namespace nettune::tools::measure::program
