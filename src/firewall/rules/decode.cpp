// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "firewall/rules/encode.hpp"
#include "firewall/rules/expressions.hpp"
#include "firewall/rules/meaning.hpp"
#include "firewall/rules/ranges.hpp"

namespace nettune::firewall::rules {
namespace {

using kernel::Bytes;
using kernel::NfElement;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfSet;

/// Reads what encode() wrote into an allow or drop rule, as far as it is there. Encoding the result
/// again shows whether it is the whole of the rules.
class Reader {
 public:
  Reader(const NfRuleset& ruleset, const NfRule& rule, Opening& into)
      : ruleset_(ruleset), rule_(rule), into_(into) {}

  void read() {
    if (rule_.family != NFPROTO_INET) into_.ipv6 = rule_.family == NFPROTO_IPV6;
    for (const Expression& expression : decode_expressions(rule_.expressions)) {
      std::visit([&](const auto& one) { take(one); }, expression);
    }
  }

 private:
  enum class Field { none, interface, family, protocol, peer, port };

  void take(const Meta& meta) {
    if (meta.key == NFT_META_OIFNAME) into_.outgoing = true;
    field_ = meta.key == NFT_META_IIFNAME || meta.key == NFT_META_OIFNAME ? Field::interface
             : meta.key == NFT_META_NFPROTO ? Field::family
             : meta.key == NFT_META_L4PROTO ? Field::protocol
                                            : Field::none;
  }
  void take(const Payload& payload) {
    prefix_ = payload.length * 8;
    const bool transport = payload.base == NFT_PAYLOAD_TRANSPORT_HEADER;
    if (transport && payload.offset == kSourcePortAt) into_.answers = true;
    field_ = is_protocol(rule_, payload) ? Field::protocol
             : !transport                ? Field::peer
             : payload.offset == kDestinationPortAt || payload.offset == kSourcePortAt
                 ? Field::port
                 : Field::none;
  }
  void take(const Bitwise& bitwise) {
    prefix_ = 0;
    for (const std::byte byte : bitwise.mask) {
      prefix_ += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(byte)));
    }
  }
  void take(const Cmp& cmp) {
    const U128 value =
        number_of(Bytes(cmp.data).first(std::min<std::size_t>(cmp.data.size(), sizeof(U128))));
    switch (field_) {
      case Field::interface:
        into_.interfaces.emplace_back(kernel::text_of(cmp.data));
        break;
      case Field::family:
        into_.ipv6 = value == NFPROTO_IPV6;
        break;
      case Field::protocol:
        for (const Protocol one :
             {Protocol::tcp, Protocol::udp, Protocol::icmp, Protocol::icmpv6}) {
          if (rules::number_of(one) == value) into_.protocol = one;
        }
        break;
      case Field::peer:
        take_network(cmp.data);
        break;
      case Field::port:
        take_ports({value, value});
        break;
      case Field::none:
        break;
    }
  }
  void take(const Range& range) {
    if (field_ == Field::port && range.first.size() == 2) {
      take_ports({number_of(range.first), number_of(range.last)});
    }
  }
  void take(const Lookup& lookup) {
    const NfSet* set = find_set(ruleset_, rule_.family, rule_.table, lookup.set, lookup.id);
    if (set == nullptr || set->key_bytes > sizeof(U128)) return;
    for (const KeyRange& range : key_ranges(*set)) {
      const Interval interval{number_of(range.first), number_of(range.last)};
      if (interval.last < interval.first) continue;
      if (field_ == Field::interface) into_.interfaces.emplace_back(kernel::text_of(range.first));
      if (field_ == Field::port && set->key_bytes == 2) take_ports(interval);
      if (field_ == Field::peer && set->key_bytes == address_bytes(into_.ipv6)) {
        for (const Network& network : networks_of(interval, into_.ipv6)) {
          into_.peers.push_back(network);
        }
      }
    }
  }
  void take(const Judgement& judgement) {
    into_.effect =
        judgement.code == NF_DROP ? Opening::Effect::drop_others : Opening::Effect::accept;
  }
  template <class Other>
  void take(const Other&) {}

  void take_network(const ByteString& bytes) {
    if (bytes.size() > address_bytes(into_.ipv6)) return;
    Network network;
    network.ipv6 = into_.ipv6;
    network.prefix = static_cast<int>(std::min(prefix_, address_bytes(into_.ipv6) * 8));
    std::memcpy(network.address.data(), bytes.data(), bytes.size());
    into_.peers.push_back(network);
  }
  void take_ports(Interval interval) {
    into_.ports.push_back(
        {static_cast<std::uint16_t>(interval.first), static_cast<std::uint16_t>(interval.last)});
  }

  const NfRuleset& ruleset_;
  const NfRule& rule_;
  Opening& into_;
  Field field_ = Field::none;
  std::uint32_t prefix_ = 0;
};

bool are_encoding_of(const Opening& opening, const Place& place, const NfRuleset& ruleset,
                     std::span<const NfRule* const> rules) {
  std::uint32_t last_set = 0;
  const Encoded encoded = encode(opening, place, {}, last_set);
  NfRuleset sets;
  sets.sets = encoded.sets;
  return std::equal(encoded.rules.begin(), encoded.rules.end(), rules.begin(), rules.end(),
                    [&](const NfRule& ours, const NfRule* theirs) {
                      return meaning(sets, ours) == meaning(ruleset, *theirs);
                    });
}

}  // namespace

std::optional<Opening> decode(const NfRuleset& ruleset, Place place,
                              std::span<const NfRule* const> rules) {
  if (rules.empty()) return std::nullopt;
  Opening opening;
  for (const NfRule* rule : rules) Reader(ruleset, *rule, opening).read();
  opening.peers = rules::merged(std::move(opening.peers));
  opening.ports = rules::merged(std::move(opening.ports));
  std::sort(opening.interfaces.begin(), opening.interfaces.end());
  const auto twice = std::unique(opening.interfaces.begin(), opening.interfaces.end());
  opening.interfaces.erase(twice, opening.interfaces.end());

  place.iptables = false;
  if (are_encoding_of(opening, place, ruleset, rules)) return opening;
  // Rules that each drop all but one peer drop everything: only accept rules can be split.
  place.iptables = true;
  const std::size_t combinations = opening.interfaces.size() *
                                   std::max<std::size_t>(opening.peers.size(), 1) *
                                   std::max<std::size_t>(opening.ports.size(), 1);
  if (opening.effect == Opening::Effect::accept && combinations == rules.size() &&
      are_encoding_of(opening, place, ruleset, rules))
    return opening;
  return std::nullopt;
}

}  // namespace nettune::firewall::rules
