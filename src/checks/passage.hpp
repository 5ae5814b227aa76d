// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.hpp"
#include "firewall/rules/opening.hpp"
#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/routes.hpp"

namespace nettune::checks {

/// The result for required traffic, incoming or outgoing.
struct Passage {
  std::string name;                 ///< "fabric-tcp4"
  std::string traffic;              ///< "tcp 29400 from 10.10.0.0/16 in eth1"
  firewall::walk::Verdict verdict;  ///< the worst of all its packets
  Origin origin;
};
std::string_view passage_text(firewall::walk::Passage passage);  ///< "let in", "dropped", "unknown"

/// What a person can do about dropped traffic, in one sentence: "..., by ...".
std::string remedy_of(const firewall::walk::Verdict& verdict);

/// The number of failures among the required traffic of [firewall].
struct PassageCounts {
  std::size_t all = 0;
  std::size_t dropped = 0;
  std::size_t unknown = 0;
};
PassageCounts count_passages(const std::vector<Passage>& passages);

/// The facts beside the rule set.
struct Surroundings {
  struct Interface {
    std::uint32_t index = 0;
    std::vector<firewall::rules::Network> addresses = {};  ///< this node's addresses
    bool bridge = false;                                   ///< it is a bridge, or a port of one
    std::vector<std::string> below = {};                   ///< its lower devices
    std::string master = {};     ///< its bridge, bond or team: rules see packets under that name
    std::uint16_t hardware = 0;  ///< ARPHRD_*; 0: not known
    bool tagged = false;         ///< it is a VLAN, or on top of one
  };
  std::map<std::string, Interface> interfaces;  ///< all of this node
  /// Of net.ipv4.ip_local_port_range; none: not known.
  std::optional<firewall::rules::PortRange> own_ports = {};
  std::string unseen;  ///< a filter outside the rule set, as a sentence; "" for none
  std::string unread;  ///< why interfaces could not be read; "" if they were
  std::shared_ptr<firewall::walk::Routes> routes = {};    ///< null: what depends on them is unknown
  firewall::walk::Evaluator::ReadIpSet read_ip_set = {};  ///< none: ipsets are unknown
};

/// Follows the conversations of each allow rule through the rule set: the first packets, the
/// answers, and what follows. The result is dropped as soon as some of that is dropped, and
/// accepted only if all of it is accepted and nothing else filters. Peers are all but this node
/// itself. Neighbour discovery, or ARP, must also work in both directions.
std::vector<Passage> judge_passages(const std::vector<Admission>& admissions,
                                    const kernel::NfRuleset& ruleset,
                                    const Surroundings& surroundings);

/// The result if no rule set can be read, with the reason.
std::vector<Passage> unknown_passages(const std::vector<Admission>& admissions,
                                      const std::string& why);

}  // namespace nettune::checks
