// SPDX-License-Identifier: Apache-2.0
#include "firewall/encode.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <bit>
#include <cstring>
#include <iterator>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/xt_comment.h>
#include <netinet/in.h>

#include "firewall/expressions.hpp"
#include "firewall/ranges.hpp"

namespace nettune::firewall {
namespace {

using formats::Network;
using formats::Opening;
using formats::PortRange;
using formats::Protocol;
using kernel::Bytes;
using kernel::NfElement;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfSet;

constexpr std::size_t kNameBytes = 16;  // IFNAMSIZ
constexpr std::uint8_t kTcpFin = 0x01;
constexpr std::uint8_t kTcpSyn = 0x02;
constexpr std::uint8_t kTcpRst = 0x04;
constexpr std::uint8_t kTcpAck = 0x10;
constexpr std::uint32_t kTcpFlagsAt = 13;
constexpr std::uint32_t kDestinationPortAt = 2;
// nft's own numbers of types (its datatype.h): with them it lists a set in its own words.
constexpr std::uint32_t kTypeIpv4 = 7;
constexpr std::uint32_t kTypeIpv6 = 8;
constexpr std::uint32_t kTypePort = 13;
constexpr std::uint32_t kTypeInterface = 41;
// What the kernel replaces by a free number.
constexpr const char* kAnonymousName = "__set%d";

std::uint32_t source_at(bool ipv6) { return ipv6 ? 8 : 12; }
std::uint32_t address_bytes(bool ipv6) { return ipv6 ? 16 : 4; }

std::uint8_t protocol_number(Protocol protocol) {
  switch (protocol) {
    case Protocol::tcp:
      return IPPROTO_TCP;
    case Protocol::udp:
      return IPPROTO_UDP;
    case Protocol::icmp:
      return IPPROTO_ICMP;
    case Protocol::icmpv6:
      return IPPROTO_ICMPV6;
  }
  return 0;
}

template <class T>
ByteString raw(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

/// A row of attributes being built.
class Row {
 public:
  Row& put(int type, Bytes payload) {
    const auto size = static_cast<std::uint16_t>(sizeof(nlattr) + payload.size());
    const nlattr header{size, static_cast<std::uint16_t>(type)};
    const auto head = std::as_bytes(std::span(&header, 1));
    bytes_.insert(bytes_.end(), head.begin(), head.end());
    bytes_.insert(bytes_.end(), payload.begin(), payload.end());
    bytes_.resize((bytes_.size() + 3) & ~std::size_t{3});
    return *this;
  }
  Row& number(int type, std::uint32_t value) { return put(type, raw(htonl(value))); }
  Row& text(int type, const std::string& text) {
    return put(type, std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  }
  Row& nest(int type, const Row& inner) { return put(type | NLA_F_NESTED, inner.bytes_); }
  Row& data(int type, Bytes value) { return nest(type, Row().put(NFTA_DATA_VALUE, value)); }
  Row& expression(const std::string& name, const Row& data) {
    return nest(NFTA_LIST_ELEM, Row().text(NFTA_EXPR_NAME, name).nest(NFTA_EXPR_DATA, data));
  }
  ByteString take() { return std::move(bytes_); }

 private:
  ByteString bytes_;
};

/// The expressions of one rule, all by way of the first register.
class RuleText {
 public:
  void meta(std::uint32_t key) {
    row_.expression("meta", Row().number(NFTA_META_DREG, NFT_REG_1).number(NFTA_META_KEY, key));
  }
  void payload(std::uint32_t base, std::uint32_t offset, std::uint32_t length) {
    row_.expression("payload", Row()
                                   .number(NFTA_PAYLOAD_DREG, NFT_REG_1)
                                   .number(NFTA_PAYLOAD_BASE, base)
                                   .number(NFTA_PAYLOAD_OFFSET, offset)
                                   .number(NFTA_PAYLOAD_LEN, length));
  }
  void compare(std::uint32_t op, Bytes value) {
    row_.expression(
        "cmp",
        Row().number(NFTA_CMP_SREG, NFT_REG_1).number(NFTA_CMP_OP, op).data(NFTA_CMP_DATA, value));
  }
  void mask(Bytes mask) {
    row_.expression("bitwise",
                    Row()
                        .number(NFTA_BITWISE_SREG, NFT_REG_1)
                        .number(NFTA_BITWISE_DREG, NFT_REG_1)
                        .number(NFTA_BITWISE_LEN, static_cast<std::uint32_t>(mask.size()))
                        .data(NFTA_BITWISE_MASK, mask)
                        .data(NFTA_BITWISE_XOR, ByteString(mask.size())));
  }
  void range(Bytes first, Bytes last) {
    row_.expression("range", Row()
                                 .number(NFTA_RANGE_SREG, NFT_REG_1)
                                 .number(NFTA_RANGE_OP, NFT_RANGE_EQ)
                                 .data(NFTA_RANGE_FROM_DATA, first)
                                 .data(NFTA_RANGE_TO_DATA, last));
  }
  void lookup(std::uint32_t set, bool inverted) {
    row_.expression(
        "lookup", Row()
                      .text(NFTA_LOOKUP_SET, kAnonymousName)
                      .number(NFTA_LOOKUP_SET_ID, set)
                      .number(NFTA_LOOKUP_SREG, NFT_REG_1)
                      .number(NFTA_LOOKUP_FLAGS, inverted ? std::uint32_t{NFT_LOOKUP_F_INV} : 0U));
  }
  /// iptables shows this as its comment; it reads no other.
  void comment(const std::string& comment) {
    xt_comment_info info{};
    std::strncpy(info.comment, comment.c_str(), sizeof(info.comment) - 1);
    row_.expression("match", Row()
                                 .text(NFTA_MATCH_NAME, "comment")
                                 .number(NFTA_MATCH_REV, 0)
                                 .put(NFTA_MATCH_INFO, raw(info)));
  }
  void counter() { row_.expression("counter", Row()); }
  void verdict(std::uint32_t code) {
    row_.expression("immediate", Row()
                                     .number(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT)
                                     .nest(NFTA_IMMEDIATE_DATA,
                                           Row().nest(NFTA_DATA_VERDICT,
                                                      Row().number(NFTA_VERDICT_CODE, code))));
  }
  ByteString take() { return row_.take(); }

 private:
  Row row_;
};

ByteString name_bytes(const std::string& name, std::size_t size) {
  ByteString bytes(size);
  std::memcpy(bytes.data(), name.data(), std::min(name.size(), size));
  return bytes;
}

ByteString port_bytes(std::uint16_t port) { return raw(htons(port)); }

class Encoder {
 public:
  Encoder(const Place& place, const std::string& comment, std::uint32_t& last_set)
      : place_(place), comment_(comment), last_set_(last_set) {}

  /// One rule of what may be one of each, or all in sets.
  void add(const Opening& opening, std::span<const std::string> interfaces,
           std::span<const Network> peers, std::span<const PortRange> ports) {
    const bool drops = opening.effect == Opening::Effect::drop_others;
    RuleText rule;
    rule.meta(NFT_META_IIFNAME);
    match_interfaces(rule, interfaces);
    if (place_.family == NFPROTO_INET) {
      rule.meta(NFT_META_NFPROTO);
      rule.compare(NFT_CMP_EQ, raw<std::uint8_t>(opening.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4));
    }
    if (!peers.empty()) match_peers(rule, opening.ipv6, peers, drops);
    rule.meta(NFT_META_L4PROTO);
    rule.compare(NFT_CMP_EQ, raw(protocol_number(opening.protocol)));
    if (drops && opening.protocol == Protocol::tcp) {
      rule.payload(NFT_PAYLOAD_TRANSPORT_HEADER, kTcpFlagsAt, 1);
      rule.mask(raw<std::uint8_t>(kTcpFin | kTcpSyn | kTcpRst | kTcpAck));
      rule.compare(NFT_CMP_EQ, raw(kTcpSyn));
    }
    if (!ports.empty()) match_ports(rule, ports);
    if (place_.iptables) rule.comment(comment_);
    rule.counter();
    rule.verdict(drops ? NF_DROP : NF_ACCEPT);
    out_.rules.push_back({place_.family, place_.table, place_.chain, 0,
                          place_.iptables ? "" : comment_, rule.take()});
  }

  Encoded take() { return std::move(out_); }

 private:
  NfSet& new_set(std::uint32_t key_type, std::uint32_t key_bytes, std::uint32_t flags) {
    NfSet set;
    set.family = place_.family;
    set.table = place_.table;
    set.name = kAnonymousName;
    set.id = ++last_set_;
    set.flags = NFT_SET_ANONYMOUS | NFT_SET_CONSTANT | flags;
    set.key_type = key_type;
    set.key_bytes = key_bytes;
    out_.sets.push_back(std::move(set));
    return out_.sets.back();
  }

  static void add_interval(NfSet& set, Interval interval) {
    NfElement start;
    start.key = bytes_of(interval.first, set.key_bytes);
    set.elements.push_back(std::move(start));
    // One that reaches to the highest key has no end.
    if (interval.last == ones(set.key_bytes * 8)) return;
    NfElement end;
    end.key = bytes_of(interval.last + 1, set.key_bytes);
    end.flags = NFT_SET_ELEM_INTERVAL_END;
    set.elements.push_back(std::move(end));
  }

  void match_interfaces(RuleText& rule, std::span<const std::string> interfaces) {
    if (interfaces.size() == 1) {
      // iptables-nft reads the whole name by its NUL, nft by its sixteen bytes.
      const std::size_t size = place_.iptables ? interfaces[0].size() + 1 : kNameBytes;
      rule.compare(NFT_CMP_EQ, name_bytes(interfaces[0], size));
      return;
    }
    NfSet& set = new_set(kTypeInterface, kNameBytes, 0);
    set.host_order = true;
    for (const std::string& name : interfaces) {
      NfElement element;
      element.key = name_bytes(name, kNameBytes);
      set.elements.push_back(std::move(element));
    }
    rule.lookup(set.id, false);
  }

  void match_peers(RuleText& rule, bool ipv6, std::span<const Network> peers, bool inverted) {
    const std::uint32_t size = address_bytes(ipv6);
    if (peers.size() == 1) {
      const auto address = std::as_bytes(std::span(peers[0].address)).first(size);
      const auto prefix = static_cast<std::uint32_t>(peers[0].prefix);
      const std::uint32_t op = inverted ? NFT_CMP_NEQ : NFT_CMP_EQ;
      if (prefix % 8 == 0 && prefix > 0) {
        rule.payload(NFT_PAYLOAD_NETWORK_HEADER, source_at(ipv6), prefix / 8);
        rule.compare(op, address.first(prefix / 8));
        return;
      }
      const U128 mask = ones(size * 8) ^ ones(size * 8 - prefix);
      rule.payload(NFT_PAYLOAD_NETWORK_HEADER, source_at(ipv6), size);
      rule.mask(bytes_of(mask, size));
      rule.compare(op, address);
      return;
    }
    NfSet& set = new_set(ipv6 ? kTypeIpv6 : kTypeIpv4, size, NFT_SET_INTERVAL);
    std::vector<Interval> intervals;
    std::transform(peers.begin(), peers.end(), std::back_inserter(intervals),
                   [](const Network& network) { return interval_of(network); });
    const Ranges ranges(std::move(intervals));
    for (const Interval& interval : ranges.intervals()) add_interval(set, interval);
    rule.payload(NFT_PAYLOAD_NETWORK_HEADER, source_at(ipv6), size);
    rule.lookup(set.id, inverted);
  }

  void match_ports(RuleText& rule, std::span<const PortRange> ports) {
    rule.payload(NFT_PAYLOAD_TRANSPORT_HEADER, kDestinationPortAt, 2);
    if (ports.size() == 1 && ports[0].first == ports[0].last) {
      rule.compare(NFT_CMP_EQ, port_bytes(ports[0].first));
      return;
    }
    if (ports.size() == 1) {
      rule.range(port_bytes(ports[0].first), port_bytes(ports[0].last));
      return;
    }
    NfSet& set = new_set(kTypePort, 2, NFT_SET_INTERVAL);
    for (const PortRange& range : ports) add_interval(set, interval_of(range));
    rule.lookup(set.id, false);
  }

  const Place& place_;
  const std::string& comment_;
  std::uint32_t& last_set_;
  Encoded out_;
};

/// Each item alone; of none, one empty row.
template <class T>
std::vector<std::span<const T>> one_by_one(const std::vector<T>& items) {
  std::vector<std::span<const T>> rows;
  for (std::size_t i = 0; i < items.size(); ++i) rows.push_back(std::span(items).subspan(i, 1));
  if (rows.empty()) rows.emplace_back();
  return rows;
}

/// iptables-nft 1.8.11 reads the protocol of IPv4 from the packet's header, 1.8.9 from its
/// metadata.
bool is_protocol(const NfRule& rule, const Payload& payload) {
  constexpr std::uint32_t kProtocolAt = 9;  // struct iphdr, linux/ip.h
  return rule.family == NFPROTO_IPV4 && payload.base == NFT_PAYLOAD_NETWORK_HEADER &&
         payload.offset == kProtocolAt && payload.length == 1;
}

/// Reads what encode() wrote into an opening, as far as it is there; whether it is the whole of the
/// rules is seen by encoding it again.
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
  enum class Field { none, interface, family, protocol, source, port };

  void take(const Meta& meta) {
    field_ = meta.key == NFT_META_IIFNAME    ? Field::interface
             : meta.key == NFT_META_NFPROTO ? Field::family
             : meta.key == NFT_META_L4PROTO ? Field::protocol
                                            : Field::none;
  }
  void take(const Payload& payload) {
    prefix_ = payload.length * 8;
    const bool transport = payload.base == NFT_PAYLOAD_TRANSPORT_HEADER;
    field_ = is_protocol(rule_, payload)            ? Field::protocol
             : !transport                           ? Field::source
             : payload.offset == kDestinationPortAt ? Field::port
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
          if (protocol_number(one) == value) into_.protocol = one;
        }
        break;
      case Field::source:
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
      if (field_ == Field::source && set->key_bytes == address_bytes(into_.ipv6)) {
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

/// The text of a fingerprint being put together: each piece with its length in front, so that no
/// two rows of pieces share a text.
class Print {
 public:
  void number(U128 value) { bytes(bytes_of(value, sizeof(value))); }
  void bytes(const ByteString& value) {
    text({reinterpret_cast<const char*>(value.data()), value.size()});
  }
  void text(std::string_view value) {
    out_ += std::to_string(value.size());
    out_ += ':';
    out_ += value;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

struct Printer {
  const NfRuleset& ruleset;
  const NfRule& rule;
  Print& out;

  void operator()(const Meta& one) const { all(one.key, one.to); }
  void operator()(const Payload& one) const { all(one.base, one.offset, one.length, one.to); }
  void operator()(const Ct& one) const { all(one.key, one.to); }
  void operator()(const Cmp& one) const {
    all(one.from, one.op);
    out.bytes(one.data);
  }
  void operator()(const Bitwise& one) const {
    all(one.from, one.to, one.length);
    out.bytes(one.mask);
    out.bytes(one.flip);
  }
  void operator()(const Byteorder& one) const { all(one.from, one.to, one.length, one.size); }
  void operator()(const Range& one) const {
    all(one.from, one.inverted ? 1 : 0);
    out.bytes(one.first);
    out.bytes(one.last);
  }
  void operator()(const Lookup& one) const {
    all(one.from, one.to, one.is_map ? 1 : 0, one.inverted ? 1 : 0);
    const NfSet* set = find_set(ruleset, rule.family, rule.table, one.set, one.id);
    if (set == nullptr || (set->flags & NFT_SET_ANONYMOUS) == 0) return out.text(one.set);
    all(set->flags, set->key_bytes);
    for (const KeyRange& range : key_ranges(*set)) {
      out.bytes(range.first);
      out.bytes(range.last);
      element(*range.element);
    }
    for (const NfElement& each : set->elements)
      if ((each.flags & NFT_SET_ELEM_CATCHALL) != 0) element(each);
  }
  void operator()(const Immediate& one) const {
    all(one.to);
    out.bytes(one.data);
  }
  void operator()(const Fib& one) const { all(one.result, one.flags, one.to); }
  void operator()(const Judgement& one) const {
    all(static_cast<std::uint32_t>(one.code));
    out.text(one.chain);
  }
  void operator()(const Reject&) const {}
  void operator()(const Notrack&) const {}
  void operator()(const XtMatch& one) const { xt(one.name, one.revision, one.info); }
  void operator()(const XtTarget& one) const { xt(one.name, one.revision, one.info); }
  void operator()(const Load& one) const {
    all(one.to);
    out.text(one.name);
  }
  template <class Named>
  void operator()(const Named& one) const {
    out.text(one.name);
  }

  void element(const NfElement& one) const {
    out.bytes(one.data);
    all(one.flags, one.has_expressions ? 1 : 0);
  }
  void xt(const std::string& name, std::uint32_t revision, const ByteString& info) const {
    out.text(name);
    all(revision);
    out.bytes(info);
  }
  template <class... Numbers>
  void all(Numbers... numbers) const {
    (out.number(static_cast<U128>(numbers)), ...);
  }
};

/// What a fingerprint leaves out: it counts, or it is the comment.
bool is_aside(const Expression& expression) {
  if (const auto* passive = std::get_if<Passive>(&expression)) return passive->name == "counter";
  if (const auto* match = std::get_if<XtMatch>(&expression)) return match->name == "comment";
  return false;
}

bool is_load(const Expression& expression) {
  return std::holds_alternative<Meta>(expression) || std::holds_alternative<Payload>(expression);
}
bool is_test(const Expression& expression) {
  if (const auto* lookup = std::get_if<Lookup>(&expression)) return !lookup->is_map;
  return std::holds_alternative<Cmp>(expression) || std::holds_alternative<Bitwise>(expression) ||
         std::holds_alternative<Range>(expression);
}

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

const NfSet* find_set(const NfRuleset& ruleset, std::uint8_t family, const std::string& table,
                      const std::string& name, std::uint32_t id) {
  for (const NfSet& set : ruleset.sets) {
    if (set.family != family || set.table != table) continue;
    if (id != 0 ? set.id == id : set.id == 0 && set.name == name) return &set;
  }
  return nullptr;
}

std::vector<const NfSet*> sets_of(const NfRuleset& ruleset, const NfRule& rule) {
  std::vector<const NfSet*> sets;
  for (const Expression& expression : decode_expressions(rule.expressions)) {
    const auto* lookup = std::get_if<Lookup>(&expression);
    if (lookup == nullptr) continue;
    const NfSet* set = find_set(ruleset, rule.family, rule.table, lookup->set, lookup->id);
    if (set != nullptr) sets.push_back(set);
  }
  return sets;
}

Encoded encode(const Opening& opening, const Place& place, const std::string& comment,
               std::uint32_t& last_set) {
  Encoder encoder(place, comment, last_set);
  if (!place.iptables) {
    encoder.add(opening, opening.interfaces, opening.peers, opening.ports);
    return encoder.take();
  }
  for (const auto interface : one_by_one(opening.interfaces)) {
    for (const auto peer : one_by_one(opening.peers)) {
      for (const auto ports : one_by_one(opening.ports)) {
        encoder.add(opening, interface, peer, ports);
      }
    }
  }
  return encoder.take();
}

std::optional<Opening> decode(const NfRuleset& ruleset, Place place,
                              std::span<const NfRule* const> rules) {
  if (rules.empty()) return std::nullopt;
  Opening opening;
  for (const NfRule* rule : rules) Reader(ruleset, *rule, opening).read();
  opening.peers = formats::merged(std::move(opening.peers));
  opening.ports = formats::merged(std::move(opening.ports));
  std::sort(opening.interfaces.begin(), opening.interfaces.end());
  const auto twice = std::unique(opening.interfaces.begin(), opening.interfaces.end());
  opening.interfaces.erase(twice, opening.interfaces.end());

  place.iptables = false;
  if (are_encoding_of(opening, place, ruleset, rules)) return opening;
  // Rules that each drop all but one peer drop all: only what accepts can be told in several.
  place.iptables = true;
  const std::size_t combinations = opening.interfaces.size() *
                                   std::max<std::size_t>(opening.peers.size(), 1) *
                                   std::max<std::size_t>(opening.ports.size(), 1);
  if (opening.effect == Opening::Effect::accept && combinations == rules.size() &&
      are_encoding_of(opening, place, ruleset, rules))
    return opening;
  return std::nullopt;
}

std::string meaning(const NfRuleset& ruleset, const NfRule& rule) {
  std::vector<std::string> matches;
  std::string rest;
  bool in_match = false;
  for (Expression& expression : decode_expressions(rule.expressions)) {
    if (is_aside(expression)) continue;
    if (const auto* payload = std::get_if<Payload>(&expression);
        payload != nullptr && is_protocol(rule, *payload)) {
      expression = Meta{NFT_META_L4PROTO, payload->to};
    }
    Print print;
    print.number(expression.index());
    std::visit(Printer{ruleset, rule, print}, expression);
    if (is_load(expression)) matches.emplace_back();
    in_match = is_load(expression) || (in_match && is_test(expression));
    (in_match ? matches.back() : rest) += print.take();
  }
  std::sort(matches.begin(), matches.end());
  matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
  for (const std::string& match : matches) rest += match;
  return rest;
}

std::string fingerprint(const NfRuleset& ruleset, const NfRule& rule) {
  Print print;
  for (const Expression& expression : decode_expressions(rule.expressions)) {
    if (is_aside(expression)) continue;
    print.number(expression.index());
    std::visit(Printer{ruleset, rule, print}, expression);
  }
  return print.take();
}

}  // namespace nettune::firewall
