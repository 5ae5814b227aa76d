// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firewall/rules/opening.hpp"
#include "profile/compose.hpp"

namespace nettune::kinds::firewall {

/// The ports of sockets that choose none, for the whole node: what FirewallIntent::ephemeral sets.
inline constexpr std::string_view kPortRangeSetting = "sysctl:net.ipv4.ip_local_port_range";

/// The values of a [firewall.SET]: what peers may reach on this node, through a set's interfaces.
struct FirewallIntent {
  bool restricts = false;  ///< all others are dropped
  std::vector<nettune::firewall::rules::Network> peers;
  std::vector<nettune::firewall::rules::PortRange> tcp;  ///< including the ephemeral range
  std::vector<nettune::firewall::rules::PortRange> udp;  ///< including RDMA's
  bool icmp = false;
  bool outgoing = true;  ///< this node may also reach the peers on these ports
  /// The port range of sockets that choose no port: also a sysctl.
  std::optional<nettune::firewall::rules::PortRange> ephemeral;
  std::string backend;  ///< the firewall manager set in the profile; "" to detect it
  Origin origin;        ///< the place of its peers
  Origin ephemeral_origin;
};

/// Every [firewall.SET] of a profile, by set. `expander` needs to know variables only. Errors carry
/// file and line, also those in the file of peers.
Result<std::map<std::string, FirewallIntent>> firewall_intents(const profile::Merged& merged,
                                                               const profile::Expander& expander,
                                                               const profile::ReadFile& read_file);

/// A rule with the name that identifies it.
struct NamedOpening {
  std::string name;  ///< "fabric-tcp4"
  nettune::firewall::rules::Opening opening;
};
/// The required incoming traffic: a rule for each family and protocol. None for a family without
/// peers.
std::vector<NamedOpening> accepted(const std::string& set, const FirewallIntent& intent,
                                   const std::vector<std::string>& interfaces);
/// The required outgoing traffic: connections from this node to the peers on the same ports, TCP
/// and UDP. None if the intent does not include it.
std::vector<NamedOpening> sent(const std::string& set, const FirewallIntent& intent,
                               const std::vector<std::string>& interfaces);
/// What else is required if outgoing traffic is filtered: ICMP, which for IPv6 includes neighbour
/// discovery, and in chains without connection tracking the answers, out and in.
std::vector<NamedOpening> sent_along(const std::string& set, const FirewallIntent& intent,
                                     const std::vector<std::string>& interfaces);
/// The drop rules of a restricting intent: TCP and UDP of both families.
std::vector<NamedOpening> dropped(const std::string& set, const FirewallIntent& intent,
                                  const std::vector<std::string>& interfaces);

}  // namespace nettune::kinds::firewall
