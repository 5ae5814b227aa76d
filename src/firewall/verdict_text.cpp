// SPDX-License-Identifier: Apache-2.0
#include "firewall/verdict_text.hpp"

#include <algorithm>
#include <cstring>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <string_view>

#include "base/text.hpp"
#include "firewall/meaning.hpp"
#include "firewall/owner.hpp"

namespace nettune::firewall {
namespace {

using kernel::NfChain;

std::string_view name_of_protocol(const Shape& shape) {
  if (shape.arp != 0) return "ARP";
  if (shape.protocol == IPPROTO_TCP) return "tcp";
  if (shape.protocol == IPPROTO_UDP) return "udp";
  if (shape.icmp_type == ND_NEIGHBOR_SOLICIT) return "neighbour solicitation";
  if (shape.icmp_type == ND_NEIGHBOR_ADVERT) return "neighbour advertisement";
  return "ping";
}

std::string name_of_chain(const NfChain& chain) {
  return cat(kernel::nf_family_name(chain.family), " ", printable(chain.table), " ",
             printable(chain.name));
}

std::string_view text_of(Leg leg) {
  switch (leg) {
    case Leg::first:
      return "";
    case Leg::answer:
      return "the answer to ";
    case Leg::later:
      return "what follows ";
    case Leg::later_answer:
      return "what follows the answer to ";
  }
  return "";
}

}  // namespace

std::string chain_text(const NfChain& chain) { return cat("chain ", name_of_chain(chain)); }

std::string packet_text(const Packets& packets, const Traffic& traffic, const Shape& shape) {
  const auto any = [](const Ranges& ranges, bool inside) -> U128 {
    if (ranges.empty()) return 0;
    const auto intervals = ranges.intervals();
    if (!inside) return intervals.front().first;
    // The address of the network itself is skipped.
    const auto wide = std::find_if(intervals.begin(), intervals.end(),
                                   [](const Interval& one) { return one.first < one.last; });
    return wide != intervals.end() ? wide->first + 1 : intervals.front().first;
  };
  formats::Network address;
  address.ipv6 = shape.ipv6;
  address.prefix = shape.ipv6 ? 128 : 32;
  const Field peer = shape.leaves ? Field::destination : Field::source;
  const auto bytes = bytes_of(any(packets[peer], true), address_bytes(shape.ipv6));
  std::memcpy(address.address.data(), bytes.data(), bytes.size());
  std::string what(name_of_protocol(shape));
  if (shape.arp == 0 && (shape.protocol == IPPROTO_TCP || shape.protocol == IPPROTO_UDP)) {
    const bool answers = goes_back(shape.leg);
    const Field port = answers ? Field::source_port : Field::destination_port;
    what += cat(" ", static_cast<unsigned>(any(packets[port], false)));
  }
  const std::string_view of_leg = text_of(shape.leg);
  const std::string begin = traffic.outgoing
                                ? cat("this node -> ", what, " of ", formats::text_of(address))
                                : cat(formats::text_of(address), " -> ", what);
  return cat(of_leg, begin, " on ", shape.interface);
}

void describe_place(Verdict& verdict, const WalkFinding& finding, const kernel::NfRuleset& ruleset,
                    const Traffic& traffic, const Shape& shape) {
  const RulePlace& place = finding.place;
  verdict.where = chain_text(*place.chain);
  verdict.chain = name_of_chain(*place.chain);
  if (place.rule != nullptr) {
    verdict.handle = place.rule->handle;
    verdict.where += cat(", rule ", place.number, " (handle ", place.rule->handle, ")");
    const std::string comment = comment_of(*place.rule);
    if (!comment.empty()) verdict.where += cat(" \"", printable(comment), "\"");
    if (!place.end.empty()) verdict.where += cat(": ", place.end);
  } else if (!place.end.empty()) {
    verdict.where += cat(", policy ", place.end);
  }
  verdict.owner = owner_of(ruleset, place.chain->family, place.chain->table, place.chain->name);
  verdict.packet = packet_text(finding.packets, traffic, shape);
}

}  // namespace nettune::firewall
