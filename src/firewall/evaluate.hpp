// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firewall/opening.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

class RuleIndex;

/// Packets that begin something, on their way to this node: of one interface and one family, from
/// any of these networks to any of these ports.
struct Traffic {
  std::string interface;
  std::vector<formats::Network> from;                   ///< of one family; at least one
  formats::Protocol protocol = formats::Protocol::tcp;  ///< tcp: a SYN; icmp: see icmp_type
  std::vector<formats::PortRange> ports = {};           ///< destination; none: any
  std::vector<formats::Network> to = {};                ///< this node's addresses; none: not known
  std::uint32_t interface_index = 0;                    ///< 0: not known
  bool bridge = false;                  ///< the interface is a bridge, or a port of one
  std::vector<std::string> below = {};  ///< devices that it stands on: of a bond, of a VLAN
  std::uint8_t icmp_type = 0;           ///< of icmp and icmpv6; 0: an echo request
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
};

/// Judges many kinds of traffic by one rule set, which must outlive it; a rule is decoded once, and
/// only when a packet comes to it.
class Evaluator {
 public:
  /// Fills a set whose elements were left for later; false when it cannot: then a lookup in it is
  /// unknown.
  using ReadElements = std::function<bool(kernel::NfSet&)>;

  explicit Evaluator(const kernel::NfRuleset& ruleset, ReadElements read_elements = {});
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Walks the rule set: netdev and inet ingress, prerouting and input, by priority. Packets are of
  /// connection state new. `accepted` is said only where every expression on their way is modelled,
  /// or does not matter. What is outside of nf_tables is not seen: XDP, tc, iptables-legacy.
  Verdict judge(const Traffic& traffic);

 private:
  class Walk;
  std::unique_ptr<RuleIndex> index_;
};

/// Of one kind of traffic.
Verdict evaluate(const kernel::NfRuleset& ruleset, const Traffic& traffic);

}  // namespace nettune::firewall
