// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/encode.hpp"

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

#include "firewall/rules/expressions.hpp"
#include "firewall/rules/ranges.hpp"

namespace nettune::firewall::rules {
namespace {

using kernel::Bytes;
using kernel::NfElement;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfSet;

// nft's own type numbers (its datatype.h): with them nft lists a set in its own words.
constexpr std::uint32_t kTypeIpv4 = 7;
constexpr std::uint32_t kTypeIpv6 = 8;
constexpr std::uint32_t kTypePort = 13;
constexpr std::uint32_t kTypeInterface = 41;
// The kernel replaces this by a free number.
constexpr const char* kAnonymousName = "__set%d";

std::uint32_t peer_at(const Opening& opening) {
  return opening.outgoing ? destination_at(opening.ipv6) : source_at(opening.ipv6);
}

template <class T>
ByteString raw(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

/// A list of attributes under construction.
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

/// The expressions of one rule, all through the first register.
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

  /// One rule, with single values or with sets.
  void add(const Opening& opening, std::span<const std::string> interfaces,
           std::span<const Network> peers, std::span<const PortRange> ports) {
    const bool drops = opening.effect == Opening::Effect::drop_others;
    RuleText rule;
    rule.meta(opening.outgoing ? NFT_META_OIFNAME : NFT_META_IIFNAME);
    match_interfaces(rule, interfaces);
    if (place_.family == NFPROTO_INET) {
      rule.meta(NFT_META_NFPROTO);
      rule.compare(NFT_CMP_EQ, raw<std::uint8_t>(opening.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4));
    }
    if (!peers.empty()) match_peers(rule, opening, peers, drops);
    rule.meta(NFT_META_L4PROTO);
    rule.compare(NFT_CMP_EQ, raw(rules::number_of(opening.protocol)));
    if (drops && opening.protocol == Protocol::tcp) {
      rule.payload(NFT_PAYLOAD_TRANSPORT_HEADER, kTcpFlagsAt, 1);
      rule.mask(raw<std::uint8_t>(kTcpFin | kTcpSyn | kTcpRst | kTcpAck));
      rule.compare(NFT_CMP_EQ, raw(kTcpSyn));
    }
    if (!ports.empty()) {
      match_ports(rule, opening.answers ? kSourcePortAt : kDestinationPortAt, ports);
    }
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
    // An interval that reaches to the highest key has no end.
    if (interval.last == ones(set.key_bytes * 8)) return;
    NfElement end;
    end.key = bytes_of(interval.last + 1, set.key_bytes);
    end.flags = NFT_SET_ELEM_INTERVAL_END;
    set.elements.push_back(std::move(end));
  }

  void match_interfaces(RuleText& rule, std::span<const std::string> interfaces) {
    if (interfaces.size() == 1) {
      // iptables-nft reads the whole name by its NUL, nft by its sixteen bytes.
      const std::size_t size = place_.iptables ? interfaces[0].size() + 1 : kInterfaceNameBytes;
      rule.compare(NFT_CMP_EQ, name_bytes(interfaces[0], size));
      return;
    }
    NfSet& set = new_set(kTypeInterface, kInterfaceNameBytes, 0);
    set.host_order = true;
    for (const std::string& name : interfaces) {
      NfElement element;
      element.key = name_bytes(name, kInterfaceNameBytes);
      set.elements.push_back(std::move(element));
    }
    rule.lookup(set.id, false);
  }

  void match_peers(RuleText& rule, const Opening& opening, std::span<const Network> peers,
                   bool inverted) {
    const bool ipv6 = opening.ipv6;
    const std::uint32_t size = address_bytes(ipv6);
    if (peers.size() == 1) {
      const auto address = std::as_bytes(std::span(peers[0].address)).first(size);
      const auto prefix = static_cast<std::uint32_t>(peers[0].prefix);
      const std::uint32_t op = inverted ? NFT_CMP_NEQ : NFT_CMP_EQ;
      if (prefix % 8 == 0 && prefix > 0) {
        rule.payload(NFT_PAYLOAD_NETWORK_HEADER, peer_at(opening), prefix / 8);
        rule.compare(op, address.first(prefix / 8));
        return;
      }
      const U128 mask = ones(size * 8) ^ ones(size * 8 - prefix);
      rule.payload(NFT_PAYLOAD_NETWORK_HEADER, peer_at(opening), size);
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
    rule.payload(NFT_PAYLOAD_NETWORK_HEADER, peer_at(opening), size);
    rule.lookup(set.id, inverted);
  }

  void match_ports(RuleText& rule, std::uint32_t at, std::span<const PortRange> ports) {
    rule.payload(NFT_PAYLOAD_TRANSPORT_HEADER, at, 2);
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

/// Each item alone; for no items, one empty row.
template <class T>
std::vector<std::span<const T>> one_by_one(const std::vector<T>& items) {
  std::vector<std::span<const T>> rows;
  for (std::size_t i = 0; i < items.size(); ++i) rows.push_back(std::span(items).subspan(i, 1));
  if (rows.empty()) rows.emplace_back();
  return rows;
}

}  // namespace

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

}  // namespace nettune::firewall::rules
