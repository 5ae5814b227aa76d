// SPDX-License-Identifier: Apache-2.0
#include "checks/passage.hpp"

#include <linux/if_arp.h>
#include <netinet/icmp6.h>

#include "base/text.hpp"
#include "firewall/rules/ranges.hpp"

namespace nettune::checks {
namespace {

using firewall::rules::Opening;
using firewall::walk::Traffic;
using firewall::walk::Verdict;

/// Of RFC 4291: fe80::/64, since the 54 bits behind fe80::/10 are zero (2.5.6), so no packet of a
/// peer has others, and the kernel has no route for them; and ff02::1:ff00:0/104.
constexpr firewall::rules::Network kLinkLocal{true, {0xFE, 0x80}, 64};
constexpr firewall::rules::Network kSolicitedNodes{
    true, {0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xFF}, 104};

/// Skips the word for the rule's effect.
std::string traffic_of(std::string_view opening) {
  constexpr std::string_view kAccept = "accept ";
  if (opening.starts_with(kAccept)) opening.remove_prefix(kAccept.size());
  return std::string(opening);
}

class Judge {
 public:
  Judge(const kernel::NfRuleset& ruleset, const Surroundings& surroundings)
      : evaluator_(ruleset, {}, surroundings.routes.get(), surroundings.read_ip_set),
        surroundings_(surroundings) {}

  Verdict of(const Opening& opening) {
    Verdict worst;
    worst.passage = firewall::walk::Passage::accepted;
    for (const std::string& interface : opening.interfaces) {
      Verdict verdict = of(opening, interface);
      if (verdict.passage == firewall::walk::Passage::dropped) return verdict;
      if (verdict.passage == firewall::walk::Passage::unknown) worst = std::move(verdict);
    }
    if (worst.passage == firewall::walk::Passage::accepted && !surroundings_.unseen.empty()) {
      worst.passage = firewall::walk::Passage::unknown;
      worst.why = surroundings_.unseen;
    }
    return worst;
  }

 private:
  Verdict of(const Opening& opening, const std::string& interface) {
    const auto found = surroundings_.interfaces.find(interface);
    if (!surroundings_.unread.empty()) return unknown(surroundings_.unread);
    if (found == surroundings_.interfaces.end())
      return unknown(cat("there is no interface ", interface, " on this node"));
    const Surroundings::Interface& around = found->second;
    if (!around.master.empty())
      return unknown(cat(interface, " is a port of ", around.master,
                         ", and rules see its packets under that name"));
    Traffic traffic = traffic_by(interface, around, opening);
    if (traffic.peers.empty()) return let_in();
    Verdict verdict = evaluator_.judge(traffic);
    if (verdict.passage == firewall::walk::Passage::dropped) return verdict;
    Verdict neighbours = opening.ipv6 ? of_discovery(traffic) : of_arp(traffic);
    return neighbours.passage == firewall::walk::Passage::accepted ? verdict : neighbours;
  }

  static Verdict let_in() {
    Verdict verdict;
    verdict.passage = firewall::walk::Passage::accepted;
    return verdict;
  }
  static Verdict unknown(std::string why) {
    Verdict verdict;
    verdict.why = std::move(why);
    return verdict;
  }

  Traffic traffic_by(const std::string& interface, const Surroundings::Interface& around,
                     const Opening& opening) const {
    Traffic traffic;
    traffic.interface = interface;
    traffic.peers = others(opening);
    traffic.protocol = opening.protocol;
    traffic.ports = opening.ports;
    traffic.outgoing = opening.outgoing;
    traffic.own = own_addresses(around, opening.ipv6);
    traffic.own_ports = surroundings_.own_ports;
    traffic.interface_index = around.index;
    traffic.hardware = around.hardware;
    traffic.tagged = around.tagged;
    traffic.below = around.below;
    traffic.bridge = around.bridge;
    for (const std::string& below : around.below) {
      const auto found = surroundings_.interfaces.find(below);
      traffic.bridge =
          traffic.bridge || (found != surroundings_.interfaces.end() && found->second.bridge);
    }
    return traffic;
  }

  /// The addresses that peers know; link-local ones only if there are no others.
  static std::vector<firewall::rules::Network> own_addresses(const Surroundings::Interface& around,
                                                             bool ipv6) {
    std::vector<firewall::rules::Network> own;
    std::vector<firewall::rules::Network> of_link;
    for (const firewall::rules::Network& address : around.addresses) {
      if (address.ipv6 != ipv6) continue;
      (is_of_link(address) ? of_link : own).push_back(address);
    }
    return own.empty() ? of_link : own;
  }
  static bool is_of_link(const firewall::rules::Network& address) {
    return address.ipv6 && address.address[0] == kLinkLocal.address[0] &&
           (address.address[1] & 0xC0) == kLinkLocal.address[1];
  }

  /// The peers without this node itself: packets from outside with its addresses may be dropped.
  std::vector<firewall::rules::Network> others(const Opening& opening) const {
    std::vector<firewall::rules::Interval> peers;
    std::vector<firewall::rules::Interval> own;
    for (const firewall::rules::Network& peer : opening.peers)
      peers.push_back(firewall::rules::interval_of(peer));
    for (const auto& [name, around] : surroundings_.interfaces)
      for (const firewall::rules::Network& address : around.addresses)
        if (address.ipv6 == opening.ipv6) own.push_back(firewall::rules::interval_of(address));
    const auto rest =
        firewall::rules::Ranges(std::move(peers)).without(firewall::rules::Ranges(std::move(own)));
    std::vector<firewall::rules::Network> others;
    for (const auto& interval : rest.intervals())
      for (const auto& network : firewall::rules::networks_of(interval, opening.ipv6))
        others.push_back(network);
    return others;
  }

  /// Without neighbour discovery, IPv6 works in neither direction. Its packets have addresses of
  /// the peers, or link-local ones.
  Verdict of_discovery(Traffic traffic) {
    traffic.protocol = firewall::rules::Protocol::icmpv6;
    traffic.ports.clear();
    Verdict worst = let_in();
    const Traffic begin = traffic;
    for (const bool outgoing : {false, true}) {
      for (const std::uint8_t type :
           {std::uint8_t{ND_NEIGHBOR_ADVERT}, std::uint8_t{ND_NEIGHBOR_SOLICIT}}) {
        traffic = begin;
        traffic.outgoing = outgoing;
        traffic.icmp_type = type;
        Verdict verdict =
            type == ND_NEIGHBOR_SOLICIT ? of_solicitations(traffic) : of_either(traffic);
        if (verdict.passage == firewall::walk::Passage::dropped) return verdict;
        if (verdict.passage == firewall::walk::Passage::unknown) worst = std::move(verdict);
      }
    }
    return worst;
  }

  /// Whoever does not know a neighbour asks a group, and who knew it asks the neighbour itself.
  /// Each side also learns the other from what that asks (ndisc_solicit() and ndisc_recv_ns() of
  /// net/ipv6/ndisc.c, neigh_timer_handler() of net/core/neighbour.c).
  Verdict of_solicitations(const Traffic& traffic) {
    Traffic to_group = traffic;
    (traffic.outgoing ? to_group.peers : to_group.own) = {kSolicitedNodes};
    return worse_of(of_solicitation(to_group), of_solicitation(traffic));
  }
  Verdict of_solicitation(const Traffic& traffic) {
    return traffic.outgoing ? evaluator_.judge_one(traffic) : of_either(traffic);
  }

  /// Checked for the peers and for link-local addresses: either may be used.
  Verdict of_either(Traffic traffic) {
    Verdict of_peers = evaluator_.judge_one(traffic);
    traffic.peers = {kLinkLocal};
    return worse_of(std::move(of_peers), evaluator_.judge_one(traffic));
  }

  /// Of two packets of which one may be enough: unknown if only one is allowed.
  static Verdict worse_of(Verdict one, Verdict other) {
    if (one.passage == other.passage) return one;
    const bool passes = one.passage == firewall::walk::Passage::accepted;
    Verdict worst = passes ? std::move(other) : std::move(one);
    if (worst.passage == firewall::walk::Passage::dropped)
      worst.why = cat("a ", worst.packet, " is dropped, and it may be needed");
    worst.passage = firewall::walk::Passage::unknown;
    return worst;
  }

  /// For IPv4 these are ARP requests and replies, which netdev and arp tables see.
  Verdict of_arp(Traffic traffic) {
    Verdict worst = let_in();
    for (const std::uint16_t operation :
         {std::uint16_t{ARPOP_REQUEST}, std::uint16_t{ARPOP_REPLY}}) {
      for (const bool outgoing : {false, true}) {
        traffic.arp = operation;
        traffic.outgoing = outgoing;
        Verdict verdict = evaluator_.judge_one(traffic);
        if (verdict.passage == firewall::walk::Passage::dropped) return verdict;
        if (verdict.passage == firewall::walk::Passage::unknown) worst = std::move(verdict);
      }
    }
    return worst;
  }

  firewall::walk::Evaluator evaluator_;
  const Surroundings& surroundings_;
};

}  // namespace

std::string_view passage_text(firewall::walk::Passage passage) {
  switch (passage) {
    case firewall::walk::Passage::accepted:
      return "let in";
    case firewall::walk::Passage::dropped:
      return "dropped";
    case firewall::walk::Passage::unknown:
      return "unknown";
  }
  return "";
}

std::string remedy_of(const firewall::walk::Verdict& verdict) {
  if (verdict.passage != firewall::walk::Passage::dropped || verdict.chain.empty()) return {};
  if (!verdict.owner.empty() && verdict.owner != "iptables")
    return cat("configure ", verdict.owner, " to allow it: the rule belongs to ", verdict.owner);
  if (!verdict.without_element.empty())
    return cat("delete the element (", verdict.without_element,
               ") or accept it before that; nettune apply accepts it at the head of an input or "
               "output chain");
  const std::string by_hand = verdict.handle == 0
                                  ? cat("accept it in chain ", verdict.chain)
                                  : cat("delete the rule (nft delete rule ", verdict.chain,
                                        " handle ", verdict.handle, ") or accept it before that");
  return cat(by_hand, "; nettune apply accepts it at the head of an input or output chain");
}

PassageCounts count_passages(const std::vector<Passage>& passages) {
  PassageCounts counts{passages.size()};
  for (const Passage& passage : passages) {
    if (passage.verdict.passage == firewall::walk::Passage::dropped) ++counts.dropped;
    if (passage.verdict.passage == firewall::walk::Passage::unknown) ++counts.unknown;
  }
  return counts;
}

std::vector<Passage> judge_passages(const std::vector<Admission>& admissions,
                                    const kernel::NfRuleset& ruleset,
                                    const Surroundings& surroundings) {
  Judge judge(ruleset, surroundings);
  std::vector<Passage> passages;
  for (const Admission& admission : admissions) {
    Passage passage{admission.name, traffic_of(admission.opening), {}, admission.origin};
    const auto opening = firewall::rules::parse_opening(admission.opening);
    if (opening)
      passage.verdict = judge.of(*opening);
    else
      passage.verdict.why = opening.error().text;
    passages.push_back(std::move(passage));
  }
  return passages;
}

std::vector<Passage> unknown_passages(const std::vector<Admission>& admissions,
                                      const std::string& why) {
  std::vector<Passage> passages;
  for (const Admission& admission : admissions) {
    Passage passage{admission.name, traffic_of(admission.opening), {}, admission.origin};
    passage.verdict.why = why;
    passages.push_back(std::move(passage));
  }
  return passages;
}

}  // namespace nettune::checks
