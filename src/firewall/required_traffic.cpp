// SPDX-License-Identifier: Apache-2.0
#include "firewall/required_traffic.hpp"

#include <linux/if_arp.h>
#include <netinet/icmp6.h>

#include "base/text.hpp"
#include "firewall/rules/ranges.hpp"

namespace nettune::firewall {
namespace {

using rules::Network;
using rules::Opening;
using walk::Passage;
using walk::Traffic;
using walk::Verdict;

/// Of RFC 4291: fe80::/64, since the 54 bits behind fe80::/10 are zero (2.5.6), so no packet of a
/// peer has others, and the kernel has no route for them; and ff02::1:ff00:0/104.
constexpr Network kLinkLocal{true, {0xFE, 0x80}, 64};
constexpr Network kSolicitedNodes{true, {0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xFF}, 104};

Verdict accepted() { return {.passage = Passage::accepted}; }
Verdict unknown(std::string why) { return {.why = std::move(why)}; }

/// Keeps the worse of two verdicts; of two unknown ones the later. False after a drop, which is
/// final.
bool go_on(Verdict& worst, Verdict verdict) {
  if (verdict.passage != Passage::accepted) worst = std::move(verdict);
  return worst.passage != Passage::dropped;
}

/// Of two packets of which one may be enough: unknown if only one is allowed.
Verdict of_either(Verdict one, Verdict other) {
  if (one.passage == other.passage) return one;
  Verdict worst = one.passage == Passage::accepted ? std::move(other) : std::move(one);
  if (worst.passage == Passage::dropped)
    worst.why = cat("a ", worst.packet, " is dropped, and it may be needed");
  worst.passage = Passage::unknown;
  return worst;
}

bool is_of_link(const Network& address) {
  return address.ipv6 && address.address[0] == kLinkLocal.address[0] &&
         (address.address[1] & 0xC0) == kLinkLocal.address[1];
}

/// The addresses that peers know; link-local ones only if there are no others.
std::vector<Network> own_addresses(const Surroundings::Interface& around, bool ipv6) {
  std::vector<Network> own;
  std::vector<Network> of_link;
  for (const Network& address : around.addresses)
    if (address.ipv6 == ipv6) (is_of_link(address) ? of_link : own).push_back(address);
  return own.empty() ? of_link : own;
}

class Judge {
 public:
  Judge(const kernel::NfRuleset& ruleset, const Surroundings& surroundings)
      : evaluator_(ruleset, {}, surroundings.routes.get(), surroundings.read_ip_set),
        surroundings_(surroundings) {}

  Verdict of(const Opening& opening) {
    Verdict worst = accepted();
    for (const std::string& interface : opening.interfaces)
      if (!go_on(worst, of(opening, interface))) return worst;
    const bool unseen = worst.passage == Passage::accepted && !surroundings_.unseen.empty();
    return unseen ? unknown(surroundings_.unseen) : worst;
  }

 private:
  Verdict of(const Opening& opening, const std::string& interface) {
    if (!surroundings_.unread.empty()) return unknown(surroundings_.unread);
    const auto found = surroundings_.interfaces.find(interface);
    if (found == surroundings_.interfaces.end())
      return unknown(cat("there is no interface ", interface, " on this node"));
    const Surroundings::Interface& around = found->second;
    if (!around.master.empty())
      return unknown(cat(interface, " is a port of ", around.master,
                         ", and rules see its packets under that name"));
    const Traffic traffic = traffic_by(interface, around, opening);
    if (traffic.peers.empty()) return accepted();
    Verdict verdict = evaluator_.judge(traffic);
    if (verdict.passage == Passage::dropped) return verdict;
    Verdict neighbours = opening.ipv6 ? of_discovery(traffic) : of_arp(traffic);
    return neighbours.passage == Passage::accepted ? verdict : neighbours;
  }

  Traffic traffic_by(const std::string& interface, const Surroundings::Interface& around,
                     const Opening& opening) const {
    Traffic traffic{interface, others(opening), opening.protocol, opening.ports};
    traffic.own = own_addresses(around, opening.ipv6);
    traffic.interface_index = around.index;
    traffic.bridge = around.bridge;
    for (const std::string& below : around.below) {
      const auto found = surroundings_.interfaces.find(below);
      traffic.bridge =
          traffic.bridge || (found != surroundings_.interfaces.end() && found->second.bridge);
    }
    traffic.below = around.below;
    traffic.outgoing = opening.outgoing;
    traffic.own_ports = surroundings_.own_ports;
    traffic.hardware = around.hardware;
    traffic.tagged = around.tagged;
    return traffic;
  }

  /// The peers without this node itself: packets from outside with its addresses may be dropped.
  std::vector<Network> others(const Opening& opening) const {
    std::vector<Network> own;
    for (const auto& [name, around] : surroundings_.interfaces)
      own.insert(own.end(), around.addresses.begin(), around.addresses.end());
    const rules::Ranges rest =
        rules::ranges_of(opening.peers, opening.ipv6).without(rules::ranges_of(own, opening.ipv6));
    std::vector<Network> others;
    for (const rules::Interval& interval : rest.intervals())
      for (const Network& network : rules::networks_of(interval, opening.ipv6))
        others.push_back(network);
    return others;
  }

  /// Without neighbour discovery, IPv6 works in neither direction. Its packets have addresses of
  /// the peers, or link-local ones.
  Verdict of_discovery(Traffic traffic) {
    traffic.protocol = rules::Protocol::icmpv6;
    traffic.ports.clear();
    Verdict worst = accepted();
    for (const bool outgoing : {false, true}) {
      traffic.outgoing = outgoing;
      traffic.icmp_type = ND_NEIGHBOR_ADVERT;
      if (!go_on(worst, of_either_address(traffic))) break;
      traffic.icmp_type = ND_NEIGHBOR_SOLICIT;
      if (!go_on(worst, of_solicitations(traffic))) break;
    }
    return worst;
  }

  /// Whoever does not know a neighbour asks a group, and who knew it asks the neighbour itself.
  /// Each side also learns the other from what that asks (ndisc_solicit() and ndisc_recv_ns() of
  /// net/ipv6/ndisc.c, neigh_timer_handler() of net/core/neighbour.c).
  Verdict of_solicitations(const Traffic& traffic) {
    Traffic to_group = traffic;
    (traffic.outgoing ? to_group.peers : to_group.own) = {kSolicitedNodes};
    return of_either(of_solicitation(to_group), of_solicitation(traffic));
  }
  Verdict of_solicitation(const Traffic& traffic) {
    return traffic.outgoing ? evaluator_.judge_one(traffic) : of_either_address(traffic);
  }

  /// Checked for the peers and for link-local addresses: either may be used.
  Verdict of_either_address(const Traffic& traffic) {
    Traffic of_link = traffic;
    of_link.peers = {kLinkLocal};
    return of_either(evaluator_.judge_one(traffic), evaluator_.judge_one(of_link));
  }

  /// For IPv4 these are ARP requests and replies, which netdev and arp tables see.
  Verdict of_arp(Traffic traffic) {
    Verdict worst = accepted();
    for (const std::uint16_t operation :
         {std::uint16_t{ARPOP_REQUEST}, std::uint16_t{ARPOP_REPLY}}) {
      for (const bool outgoing : {false, true}) {
        traffic.arp = operation;
        traffic.outgoing = outgoing;
        if (!go_on(worst, evaluator_.judge_one(traffic))) return worst;
      }
    }
    return worst;
  }

  walk::Evaluator evaluator_;
  const Surroundings& surroundings_;
};

/// One for each admission; only its verdict is missing.
std::vector<RequiredTraffic> required_by(const std::vector<Admission>& admissions) {
  constexpr std::string_view kAccept = "accept ";
  std::vector<RequiredTraffic> traffic;
  for (const Admission& one : admissions) {
    const std::size_t skip = one.opening.starts_with(kAccept) ? kAccept.size() : 0;
    traffic.push_back({one.name, one.opening.substr(skip), {}, one.origin});
  }
  return traffic;
}

std::string owner_text(const Verdict& verdict) {
  return verdict.owner.empty() ? "" : cat(" (of ", verdict.owner, ")");
}

}  // namespace

std::vector<RequiredTraffic> judge_traffic(const std::vector<Admission>& admissions,
                                           const kernel::NfRuleset& ruleset,
                                           const Surroundings& surroundings) {
  Judge judge(ruleset, surroundings);
  std::vector<RequiredTraffic> traffic = required_by(admissions);
  for (std::size_t i = 0; i < admissions.size(); ++i) {
    const auto opening = rules::parse_opening(admissions[i].opening);
    traffic[i].verdict = opening ? judge.of(*opening) : unknown(opening.error().text);
  }
  return traffic;
}

std::vector<RequiredTraffic> unknown_traffic(const std::vector<Admission>& admissions,
                                             const std::string& why) {
  std::vector<RequiredTraffic> traffic = required_by(admissions);
  for (RequiredTraffic& one : traffic) one.verdict = unknown(why);
  return traffic;
}

TrafficCounts count_traffic(const std::vector<RequiredTraffic>& traffic) {
  TrafficCounts counts{traffic.size()};
  for (const RequiredTraffic& one : traffic) {
    if (one.verdict.passage == Passage::dropped) ++counts.dropped;
    if (one.verdict.passage == Passage::unknown) ++counts.unknown;
  }
  return counts;
}

bool any_dropped(const std::vector<RequiredTraffic>& traffic) {
  return count_traffic(traffic).dropped > 0;
}

std::string_view passage_text(Passage passage) {
  switch (passage) {
    case Passage::accepted:
      return "let in";
    case Passage::dropped:
      return "dropped";
    case Passage::unknown:
      return "unknown";
  }
  return "";
}

std::string dropped_by(const Verdict& verdict) { return cat(verdict.where, owner_text(verdict)); }

std::string remedy_of(const Verdict& verdict) {
  if (verdict.passage != Passage::dropped || verdict.chain.empty()) return {};
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

std::string reason_of(const Verdict& verdict) {
  if (verdict.passage == Passage::dropped)
    return cat(verdict.packet.empty() ? "" : cat("such as ", verdict.packet, ", "), "by ",
               dropped_by(verdict), "; ", remedy_of(verdict));
  if (verdict.where.empty()) return verdict.why;
  return cat(verdict.why, verdict.why.empty() ? "" : ", in ", verdict.where, owner_text(verdict));
}

}  // namespace nettune::firewall
