// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firewall/rules/opening.hpp"
#include "firewall/walk/evaluate.hpp"

namespace nettune::firewall {

/// The facts beside the rule set.
struct Surroundings {
  struct Interface {
    std::uint32_t index = 0;
    std::vector<rules::Network> addresses = {};  ///< this node's addresses
    bool bridge = false;                         ///< it is a bridge, or a port of one
    std::vector<std::string> below = {};         ///< its lower devices
    std::string master = {};     ///< its bridge, bond or team: rules see packets under that name
    std::uint16_t hardware = 0;  ///< ARPHRD_*; 0: not known
    bool tagged = false;         ///< it is a VLAN, or on top of one
  };
  std::map<std::string, Interface> interfaces;  ///< all of this node
  /// Of net.ipv4.ip_local_port_range; none: not known.
  std::optional<rules::PortRange> own_ports = {};
  std::string unseen;  ///< a filter outside the rule set, as a sentence; "" for none
  std::string unread;  ///< why interfaces could not be read; "" if they were
  std::shared_ptr<walk::Routes> routes = {};    ///< null: what depends on them is unknown
  walk::Evaluator::ReadIpSet read_ip_set = {};  ///< none: ipsets are unknown
};

/// Reads this node's interfaces; its routes and ipsets are read when a rule asks for them. The
/// caller adds own_ports and unseen.
Surroundings read_surroundings();

}  // namespace nettune::firewall
