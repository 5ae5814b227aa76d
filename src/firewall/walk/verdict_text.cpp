// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/verdict_text.hpp"

#include <algorithm>
#include <cstring>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "firewall/rules/meaning.hpp"
#include "firewall/rules/owner.hpp"

namespace nettune::firewall::walk {
namespace {

using kernel::NfChain;
using kernel::NfRule;

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

/// The field of packets that a rule loads for a lookup.
std::optional<Field> field_of(const rules::Payload& payload, const Shape& shape) {
  const Byte first = header_byte(shape, payload.base, payload.offset);
  const bool whole = first.is_field && first.index == 0;
  if (!whole || payload.length != shape.size_of(first.field)) return std::nullopt;
  return first.field;
}

/// "10.98.0.32/28", "10.0.0.1-10.0.0.9", "5000".
std::string interval_text(const rules::Interval& interval, Field field, bool ipv6) {
  const bool address = field == Field::source || field == Field::destination;
  const auto one = [&](rules::U128 number) {
    if (!address) return cat(static_cast<unsigned>(number));
    return rules::text_of(rules::networks_of({number, number}, ipv6).front());
  };
  if (interval.first == interval.last) return one(interval.first);
  if (address)
    if (const auto networks = rules::networks_of(interval, ipv6); networks.size() == 1)
      return rules::text_of(networks.front());
  return cat(one(interval.first), "-", one(interval.last));
}

/// "nft delete element inet geo blocked { 10.98.0.32/28 }", if packets are dropped for such an
/// element of a set with a name; "" otherwise.
std::string element_removal(const NfRule& rule, const Packets& packets, const Shape& shape,
                            const kernel::NfRuleset& ruleset) {
  std::optional<Field> field;
  for (const rules::Expression& expression : rules::decode_expressions(rule.expressions)) {
    if (const auto* payload = std::get_if<rules::Payload>(&expression))
      field = field_of(*payload, shape);
    const auto* lookup = std::get_if<rules::Lookup>(&expression);
    if (lookup == nullptr || lookup->inverted || !field) continue;
    const kernel::NfSet* set =
        rules::find_set(ruleset, rule.family, rule.table, lookup->set, lookup->id);
    if (set == nullptr || set->is_unread || (set->flags & NFT_SET_ANONYMOUS) != 0 ||
        set->key_bytes != shape.size_of(*field)) {
      continue;
    }
    for (const rules::KeyRange& range : rules::key_ranges(*set)) {
      const rules::Interval interval{rules::number_of(range.first), rules::number_of(range.last)};
      if (!packets[*field].overlaps(rules::Ranges(interval))) continue;
      const bool verdict = lookup->is_map && lookup->to == rules::kVerdictRegister;
      if (verdict && rules::decode_judgement(range.element->data).code != NF_DROP) continue;
      if (lookup->is_map && !verdict) continue;
      return cat("nft delete element ", kernel::nf_family_name(rule.family), " ",
                 printable(rule.table), " ", printable(set->name), " { ",
                 interval_text(interval, *field, shape.ipv6), verdict ? " : drop" : "", " }");
    }
  }
  return {};
}

}  // namespace

std::string packet_text(const Packets& packets, const Traffic& traffic, const Shape& shape) {
  const auto any = [](const rules::Ranges& ranges, bool inside) -> rules::U128 {
    if (ranges.empty()) return 0;
    const auto intervals = ranges.intervals();
    if (!inside) return intervals.front().first;
    // The address of the network itself is skipped.
    const auto wide = std::find_if(intervals.begin(), intervals.end(),
                                   [](const rules::Interval& one) { return one.first < one.last; });
    return wide != intervals.end() ? wide->first + 1 : intervals.front().first;
  };
  rules::Network address;
  address.ipv6 = shape.ipv6;
  address.prefix = shape.ipv6 ? 128 : 32;
  const Field peer = shape.leaves ? Field::destination : Field::source;
  const auto bytes = rules::bytes_of(any(packets[peer], true), rules::address_bytes(shape.ipv6));
  std::memcpy(address.address.data(), bytes.data(), bytes.size());
  std::string what(name_of_protocol(shape));
  if (shape.arp == 0 && (shape.protocol == IPPROTO_TCP || shape.protocol == IPPROTO_UDP)) {
    const bool answers = goes_back(shape.leg);
    const Field port = answers ? Field::source_port : Field::destination_port;
    what += cat(" ", static_cast<unsigned>(any(packets[port], false)));
  }
  const std::string_view of_leg = text_of(shape.leg);
  const std::string begin = traffic.outgoing
                                ? cat("this node -> ", what, " of ", rules::text_of(address))
                                : cat(rules::text_of(address), " -> ", what);
  return cat(of_leg, begin, " on ", shape.interface);
}

Verdict verdict_at(Passage passage, const WalkFinding& finding, const kernel::NfRuleset& ruleset,
                   const Traffic& traffic, const Shape& shape) {
  const RulePlace& place = finding.place;
  Verdict verdict;
  verdict.passage = passage;
  verdict.why = finding.why;
  verdict.chain = name_of_chain(*place.chain);
  verdict.where = cat("chain ", verdict.chain);
  if (place.rule != nullptr) {
    verdict.handle = place.rule->handle;
    verdict.where += cat(", rule ", place.number, " (handle ", place.rule->handle, ")");
    const std::string comment = rules::comment_of(*place.rule);
    if (!comment.empty()) verdict.where += cat(" \"", printable(comment), "\"");
    if (!place.end.empty()) verdict.where += cat(": ", place.end);
    verdict.without_element = element_removal(*place.rule, finding.packets, shape, ruleset);
  } else if (!place.end.empty()) {
    verdict.where += cat(", policy ", place.end);
  }
  verdict.owner =
      rules::owner_of(ruleset, place.chain->family, place.chain->table, place.chain->name);
  verdict.packet = packet_text(finding.packets, traffic, shape);
  return verdict;
}

}  // namespace nettune::firewall::walk
