// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/opening.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// Packets that begin something, on their way to this node: of one interface, from a range of
/// addresses to a range of ports.
struct Traffic {
  std::string interface;
  formats::Network from;
  formats::Protocol protocol = formats::Protocol::tcp;  ///< tcp: a SYN; icmp: an echo request
  formats::PortRange ports;                             ///< destination; ignored for icmp
  std::vector<formats::Network> to = {};                ///< this node's addresses; none: not known
};

enum class Passage {
  accepted,  ///< every such packet
  dropped,   ///< some such packet, by `where`
  unknown,   ///< `where` is what the evaluator does not model
};

struct Verdict {
  Passage passage = Passage::unknown;
  /// "chain inet filter input, rule 7 (handle 12): tcp dport ... drop", or its policy.
  std::string where;
  std::string owner;   ///< of that table: "firewalld", "docker", ...; "" for nobody in particular
  std::string packet;  ///< an example: "10.10.0.5 -> tcp 29500 on eth1"
};

/// Walks the rule set: netdev and inet ingress, prerouting and input, by priority. Pure. A packet
/// is of connection state new. `accepted` is said only where every expression on its way is
/// modelled, or does not matter.
Verdict evaluate(const kernel::NfRuleset& ruleset, const Traffic& traffic);

/// Whose table that is: "docker", "kubernetes", "libvirt", "firewalld", "ufw", "iptables",
/// "nettune", ...; "" for nobody in particular.
std::string owner_of(const kernel::NfRuleset& ruleset, std::uint8_t family,
                     const std::string& table);

/// Whether a base chain, or one that it jumps to, can drop anything at all.
bool can_drop(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain);

}  // namespace nettune::firewall
