// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firewall/opening.hpp"
#include "profile/compose.hpp"

namespace nettune::profile {

/// What a [firewall.SET] asks for: what peers may reach on this node, by the interfaces of a set.
struct FirewallIntent {
  bool restricts = false;  ///< and nobody else may
  std::vector<formats::Network> peers;
  std::vector<formats::PortRange> tcp;  ///< with the ephemeral range
  std::vector<formats::PortRange> udp;  ///< with RDMA's
  bool icmp = false;
  bool outgoing = true;  ///< and this node may reach the peers on these ports
  /// Where sockets listen that choose no port: a sysctl as well.
  std::optional<formats::PortRange> ephemeral;
  std::string backend;  ///< who filters, where the profile knows better; "" for what shows
  Origin origin;        ///< of its peers
  Origin ephemeral_origin;
};

/// Every [firewall.SET] of a profile, by set. `expander` needs to know variables only. Errors carry
/// file and line, of the file with the peers too.
Result<std::map<std::string, FirewallIntent>> firewall_intents(const Merged& merged,
                                                               const Expander& expander,
                                                               const ReadFile& read_file);

/// A rule with the name by which it is found.
struct NamedOpening {
  std::string name;  ///< "fabric-tcp4"
  formats::Opening opening;
};
/// What has to be let in: a rule for each family and protocol. None for a family without peers.
std::vector<NamedOpening> accepted(const std::string& set, const FirewallIntent& intent,
                                   const std::vector<std::string>& interfaces);
/// What has to be let out: what this node begins with the peers on the same ports, TCP and UDP.
/// None where the intent leaves the way out alone.
std::vector<NamedOpening> sent(const std::string& set, const FirewallIntent& intent,
                               const std::vector<std::string>& interfaces);
/// What else the way out needs where somebody filters it: ICMP, which of IPv6 finds the peers on
/// the link, and in chains that do not know connections the answers, out and in.
std::vector<NamedOpening> sent_along(const std::string& set, const FirewallIntent& intent,
                                     const std::vector<std::string>& interfaces);
/// What has to be dropped where the intent restricts: TCP and UDP of both families.
std::vector<NamedOpening> dropped(const std::string& set, const FirewallIntent& intent,
                                  const std::vector<std::string>& interfaces);

}  // namespace nettune::profile
