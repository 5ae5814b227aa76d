// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firewall/leg.hpp"
#include "firewall/opening.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

class RuleIndex;
class Routes;

/// Conversations by one interface, of one family, between peers and this node.
struct Traffic {
  std::string interface;                ///< "": any
  std::vector<formats::Network> peers;  ///< of one family; at least one
  formats::Protocol protocol = formats::Protocol::tcp;
  std::vector<formats::PortRange> ports = {};  ///< that are connected to; none: any
  std::vector<formats::Network> own = {};      ///< this node's addresses; none: not known
  std::uint32_t interface_index = 0;           ///< 0: not known
  bool bridge = false;                         ///< the interface is a bridge, or a port of one
  std::vector<std::string> below = {};         ///< devices that it stands on: of a bond, of a VLAN
  std::uint8_t icmp_type = 0;                  ///< of icmp and icmpv6; 0: an echo request
  bool outgoing = false;                       ///< this node begins; else the peers do
  std::uint16_t arp = 0;                       ///< ARPOP_*, instead of a protocol; 0: none
};

enum class Passage {
  accepted,  ///< every such packet
  dropped,   ///< some such packet, by `where`
  unknown,   ///< `where` is what the evaluator does not model, `why` says what
};

struct Verdict {
  Passage passage = Passage::unknown;
  /// "chain inet filter input, rule 7 (handle 12): drop", or "..., policy drop". Of accepted
  /// packets it is empty.
  std::string where;
  std::string why;     ///< of unknown: "limit", "match set", "its source port", ...
  std::string owner;   ///< of that table: "firewalld", "docker", ...; "" for nobody in particular
  std::string packet;  ///< an example: "10.10.0.1 -> tcp 29500 on eth1"
  std::string chain = {};    ///< "inet filter input", where the rule or the policy is
  std::uint64_t handle = 0;  ///< of the rule; 0: the policy of the chain
};

/// Judges many kinds of traffic by one rule set, which must outlive it; a rule is decoded once, and
/// only when a packet comes to it.
class Evaluator {
 public:
  /// Fills a set whose elements were left for later; false when it cannot: then a lookup in it is
  /// unknown.
  using ReadElements = std::function<bool(kernel::NfSet&)>;

  /// Without routes, what a rule makes of them is unknown. They must outlive it, too.
  explicit Evaluator(const kernel::NfRuleset& ruleset, ReadElements read_elements = {},
                     Routes* routes = nullptr);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Follows a conversation: the packet that begins it, the answer, and what goes on. Coming in, a
  /// packet passes netdev and inet ingress, prerouting and input; going out, output, postrouting
  /// and netdev egress; each by priority. `accepted` is said only where every expression on their
  /// way is modelled, or does not matter. What is outside of nf_tables is not seen: XDP, tc,
  /// iptables-legacy.
  Verdict judge(const Traffic& traffic);
  /// Its first packet alone, or the answer to one that was tracked.
  Verdict judge_one(const Traffic& traffic, Leg leg = Leg::first);

 private:
  class Walk;
  std::unique_ptr<RuleIndex> index_;
};

/// Whole conversations.
Verdict evaluate(const kernel::NfRuleset& ruleset, const Traffic& traffic);

}  // namespace nettune::firewall
