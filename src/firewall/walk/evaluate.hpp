// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firewall/rules/opening.hpp"
#include "kernel/ip_set.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::walk {

class RuleIndex;

/// The routes and routing rules of a node (routes.hpp).
class Routes;
/// Those of this network namespace, read when the first rule asks for them.
std::shared_ptr<Routes> kernel_routes();

/// The position of a packet in its conversation: the first packet, the answer to it, and what
/// follows in the direction of the first, and in that of the answer.
enum class Leg : std::uint8_t { first, answer, later, later_answer };
/// Whether it goes to the one who began the conversation.
constexpr bool goes_back(Leg leg) { return leg == Leg::answer || leg == Leg::later_answer; }

/// Traffic through one interface, of one family, between peers and this node.
struct Traffic {
  std::string interface;              ///< "": any
  std::vector<rules::Network> peers;  ///< of one family; at least one
  rules::Protocol protocol = rules::Protocol::tcp;
  std::vector<rules::PortRange> ports = {};  ///< destination ports; none: any
  std::vector<rules::Network> own = {};      ///< this node's addresses; none: not known
  std::uint32_t interface_index = 0;         ///< 0: not known
  bool bridge = false;                       ///< the interface is a bridge, or a port of one
  std::vector<std::string> below = {};       ///< lower devices, of a bond or a VLAN
  std::uint8_t icmp_type = 0;                ///< of icmp and icmpv6; 0: an echo request
  bool outgoing = false;                     ///< this node connects; otherwise the peers do
  /// The ports that TCP connections of this node come from, net.ipv4.ip_local_port_range; none: not
  /// known.
  std::optional<rules::PortRange> own_ports = {};
  std::uint16_t arp = 0;       ///< ARPOP_*, instead of a protocol; 0: none
  std::uint16_t hardware = 0;  ///< ARPHRD_* of the interface; 0: not known
  bool tagged = false;         ///< it is a VLAN, or on top of one
};

enum class Passage {
  accepted,  ///< every such packet
  dropped,   ///< some such packet, by `where`
  unknown,   ///< `where` is what the evaluator does not model, `why` says what
};

struct Verdict {
  Passage passage = Passage::unknown;
  /// "chain inet filter input, rule 7 (handle 12): drop", or "..., policy drop". It is empty for
  /// accepted packets.
  std::string where = {};
  std::string why = {};      ///< for unknown: "limit", "match set", "its source port", ...
  std::string owner = {};    ///< the table's manager: "firewalld", "docker", ...; "" for none known
  std::string packet = {};   ///< an example: "10.10.0.1 -> tcp 29500 on eth1"
  std::string chain = {};    ///< "inet filter input", where the rule or the policy is
  std::uint64_t handle = 0;  ///< of the rule; 0: the policy of the chain
  /// If the rule drops because of an element of a named set: how nft removes one that does.
  std::string without_element = {};
};

/// Evaluates traffic against one rule set, which must outlive it. A rule is decoded once, when the
/// first packet reaches it.
class Evaluator {
 public:
  /// Reads the elements of a set on demand; if it returns false, lookups in that set are unknown.
  using ReadElements = std::function<bool(kernel::NfSet&)>;
  /// Reads an ipset by its index on demand; matches of a set that it cannot read are unknown.
  using ReadIpSet = std::function<std::optional<kernel::IpSet>(std::uint16_t)>;

  /// Without routes, rules that depend on them are unknown. They must also outlive this object.
  explicit Evaluator(const kernel::NfRuleset& ruleset, ReadElements read_elements = {},
                     Routes* routes = nullptr, ReadIpSet read_ip_set = {});
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Follows a conversation: the packet that begins it, the answer, and what follows both. An
  /// incoming packet passes netdev and inet ingress, prerouting and input; an outgoing one output,
  /// postrouting and netdev egress; each by priority. The result is `accepted` only if every
  /// expression on the way is modelled or does not matter. Filters outside nf_tables are not seen:
  /// XDP, tc, iptables-legacy.
  Verdict judge(const Traffic& traffic);
  /// Evaluates the first packet only, or the answer to one that was tracked.
  Verdict judge_one(const Traffic& traffic, Leg leg = Leg::first);

 private:
  class Walk;
  std::unique_ptr<RuleIndex> index_;
};

/// Evaluates whole conversations.
Verdict evaluate(const kernel::NfRuleset& ruleset, const Traffic& traffic);

/// Whether an input or output chain alone accepts all plain packets: TCP, UDP and pings of its
/// families between this node and anybody, by any interface, on that leg of what this node begins
/// (output) or others begin (input). Unknown counts as no.
bool passes_plain(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain, Leg leg);

/// The hook of a base chain, if packets pass it on their way to or from a socket of this node:
/// "ingress", "prerouting", "input", "output", "postrouting" or "egress"; "" for others.
std::string_view hook_of(const kernel::NfChain& base);

}  // namespace nettune::firewall::walk
