// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/lldp.hpp"
#include "checks/lossless.hpp"
#include "core/provider.hpp"

namespace nettune::checks {

/// What came from the switch of a port.
struct Heard {
  std::optional<formats::LldpNeighbour> neighbour;
  std::int64_t time_s = 0;  ///< how long it was listened to at most
  std::string trouble;      ///< why it could not be listened to; "" when it could
};

/// What the switch at the other end of a port says by LLDP, beside what this node has.
struct SwitchHalf {
  std::string interface;
  bool known = false;  ///< it said something that can be compared
  std::string text;    ///< who it is and what agrees, or why nothing is known
  std::vector<Finding> findings;
};

/// What has to be read of an interface to compare it with what was heard there.
std::vector<Address> switch_addresses(const std::string& interface,
                                      const formats::LldpNeighbour& heard);

/// Compares the lossless priorities, the classes with their shares, and the map of DSCPs and
/// EtherTypes. What the switch does not say is not held against anybody; what could not be read
/// here is named. Where it says what it has (ETS configuration), that counts, else what it
/// recommends.
SwitchHalf judge_switch(const std::string& interface, const Heard& heard,
                        const std::map<Address, Reading>& readings);

}  // namespace nettune::checks
