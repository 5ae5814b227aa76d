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

/// What the switch of a port sent.
struct Heard {
  std::optional<LldpNeighbour> neighbour;
  std::int64_t time_s = 0;  ///< the longest time to listen
  std::string trouble;      ///< why listening failed; "" if it did not
};

/// The LLDP advertisement of the switch at the other end of a port, compared with this node.
struct SwitchHalf {
  std::string interface;
  bool known = false;  ///< it advertised something that can be compared
  std::string text;    ///< its name and what agrees, or why nothing is known
  std::vector<Finding> findings;
};

/// The settings of an interface to read for the comparison.
std::vector<Address> switch_addresses(const std::string& interface, const LldpNeighbour& heard);

/// Compares the lossless priorities, the classes with their shares, and the map of DSCPs and
/// EtherTypes. What the switch does not advertise is not a difference; what could not be read here
/// is named. The switch's ETS configuration counts, otherwise its recommendation.
SwitchHalf judge_switch(const std::string& interface, const Heard& heard,
                        const std::map<Address, Reading>& readings);

}  // namespace nettune::checks
