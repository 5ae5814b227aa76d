// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/packets.hpp"

#include <algorithm>
#include <iterator>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_infiniband.h>
#include <linux/netfilter/nf_tables.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>

namespace nettune::firewall::walk {
namespace {

// FIN, SYN, RST, PSH, ACK and URG; a SYN has ECE and CWR if the peer wants ECN.
constexpr std::uint8_t kTcpFlagsOfFirst = 0x3F;
// Any later packet may end the connection, or push.
constexpr std::uint8_t kTcpFlagsOfLater = rules::kTcpSyn | rules::kTcpRst | rules::kTcpAck;

/// struct arphdr of linux/if_arp.h, followed by the sender's hardware and IPv4 address, and the
/// target's. RFC 4391 has those of InfiniBand.
Byte arp_byte(const Shape& shape, std::uint32_t offset) {
  const bool infiniband = shape.hardware == ARPHRD_INFINIBAND;
  const std::uint8_t hardware = infiniband ? ARPHRD_INFINIBAND : ARPHRD_ETHER;
  const std::uint8_t length = infiniband ? INFINIBAND_ALEN : ETH_ALEN;
  const std::uint8_t fixed[] = {0, hardware, ETH_P_IP >> 8, ETH_P_IP & 0xFF, length, 4};
  constexpr std::uint32_t kOperationAt = sizeof(fixed);
  const std::uint32_t sender_at = kOperationAt + 2 + length;
  const std::uint32_t target_at = sender_at + 4 + length;
  if (offset < kOperationAt) return Byte::of(fixed[offset]);
  if (offset == kOperationAt) return Byte::of(0);
  if (offset == kOperationAt + 1) return Byte::of(static_cast<std::uint8_t>(shape.arp));
  if (offset >= sender_at && offset < sender_at + 4) {
    return Byte::of(Field::source, offset - sender_at);
  }
  if (offset >= target_at && offset < target_at + 4) {
    return Byte::of(Field::destination, offset - target_at);
  }
  return {};
}

/// struct ethhdr of linux/if_ether.h; the addresses are not known. A driver or the kernel removes
/// the tag of a VLAN from the frame, or leaves it there (vlan_do_receive(), net/8021q/vlan_core.c).
Byte frame_byte(const Shape& shape, std::uint32_t offset) {
  constexpr std::uint32_t kTypeAt = 2 * ETH_ALEN;
  if (shape.hardware != ARPHRD_ETHER || shape.tagged) return {};
  const std::uint16_t type = shape.ether_type();
  if (offset == kTypeAt) return Byte::of(static_cast<std::uint8_t>(type >> 8));
  if (offset == kTypeAt + 1) return Byte::of(static_cast<std::uint8_t>(type & 0xFF));
  return {};
}

/// A span of a register as one number.
struct Key {
  enum class Kind { constant, field, other };
  Kind kind = Kind::other;
  rules::U128 value = 0;  ///< the constant
  rules::U128 known = 0;  ///< the known bits of the constant
  Field field = {};       ///< the field, if it is not a constant
  unsigned shift = 0;     ///< this many low bits of the field are not in the key
  unsigned fuzz = 0;      ///< this many low bits of the key are masked out
};

/// The byte; a field that has only one value is replaced by it.
Byte settled(const Shape& shape, const Packets& packets, Byte byte) {
  if (!byte.is_field) return byte;
  if (byte.mask == 0) return Byte::of(byte.value);
  const rules::Ranges& values = packets[byte.field];
  if (!values.single()) return byte;
  const auto shift = static_cast<unsigned>(shape.size_of(byte.field) - 1 - byte.index) * 8;
  const auto bits = static_cast<std::uint8_t>(values.intervals()[0].first >> shift & 0xFF);
  return Byte::of(static_cast<std::uint8_t>((bits & byte.mask) ^ byte.value));
}

Key read_key(const Shape& shape, const Packets& packets, const Registers& registers, std::size_t at,
             std::size_t size) {
  Key key;
  bool constant = true;
  for (std::size_t i = 0; i < size; ++i) {
    const Byte byte = settled(shape, packets, registers[at + i]);
    constant = constant && !byte.is_field;
    key.value = key.value << 8 | static_cast<std::uint8_t>(byte.value & byte.known);
    key.known = key.known << 8 | byte.known;
  }
  if (constant) {
    key.kind = Key::Kind::constant;
    return key;
  }
  const Byte first = registers[at];
  const std::size_t width = shape.size_of(first.field);
  if (!first.is_field || size > width) return key;
  rules::U128 mask = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Byte byte = registers[at + i];
    if (!byte.is_field || byte.field != first.field || byte.index != i || byte.value != 0) {
      return key;
    }
    mask = mask << 8 | byte.mask;
  }
  key.field = first.field;
  key.shift = static_cast<unsigned>(width - size) * 8;
  while (key.fuzz < size * 8 && (mask >> key.fuzz & 1) == 0) ++key.fuzz;
  if (mask == (rules::ones(static_cast<unsigned>(size) * 8) ^ rules::ones(key.fuzz)))
    key.kind = Key::Kind::field;
  return key;
}

/// The values of the key's field for which the key is within `wanted`.
rules::Ranges field_values(const Key& key, const rules::Ranges& wanted) {
  std::vector<rules::Interval> intervals;
  const rules::U128 low = rules::ones(key.fuzz);
  for (const rules::Interval& interval : wanted.intervals()) {
    if (interval.first > ~rules::U128{0} - low) continue;
    const rules::U128 first = (interval.first + low) & ~low;
    const rules::U128 last = interval.last & ~low;
    if (first > last) continue;
    intervals.push_back({first << key.shift, (last | low) << key.shift | rules::ones(key.shift)});
  }
  return rules::Ranges(std::move(intervals));
}

Split::Answer constant_answer(const Key& key, const rules::Ranges& wanted, std::size_t size) {
  const rules::U128 all = rules::ones(static_cast<unsigned>(size) * 8);
  const rules::Interval possible{key.value & key.known,
                                 (key.value & key.known) | (all & ~key.known)};
  bool may = false;
  for (const rules::Interval& interval : wanted.intervals()) {
    if (interval.first <= possible.first && possible.last <= interval.last) {
      return Split::Answer::yes;
    }
    if (interval.last < possible.first || possible.last < interval.first) continue;
    const bool one = interval.first == interval.last;
    if (!one || ((interval.first ^ key.value) & key.known) == 0) may = true;
  }
  return may ? Split::Answer::unknown : Split::Answer::no;
}

std::string_view name_of_field(Field field) {
  switch (field) {
    case Field::source:
      return "its source address";
    case Field::destination:
      return "its destination address";
    case Field::source_port:
      return "its source port";
    case Field::destination_port:
      return "its port";
  }
  return "";
}

void narrow(const Shape& shape, Packets& packets, Field field, rules::Ranges values) {
  packets[field] = std::move(values);
  if (shape.free[static_cast<std::size_t>(field)]) packets.assumed = name_of_field(field);
}

}  // namespace

std::size_t Shape::size_of(Field field) const {
  if (field == Field::source || field == Field::destination) return rules::address_bytes(ipv6);
  return 2;
}

std::uint16_t Shape::ether_type() const {
  if (arp != 0) return ETH_P_ARP;
  return static_cast<std::uint16_t>(ipv6 ? ETH_P_IPV6 : ETH_P_IP);
}

bool Shape::is_discovery() const {
  return protocol == IPPROTO_ICMPV6 && icmp_type >= ND_ROUTER_SOLICIT &&
         icmp_type <= ND_NEIGHBOR_ADVERT;
}

std::uint8_t Shape::tcp_flags() const {
  switch (leg) {
    case Leg::first:
      return rules::kTcpSyn;
    case Leg::answer:
      return rules::kTcpSyn | rules::kTcpAck;
    case Leg::later:
    case Leg::later_answer:
      break;
  }
  return rules::kTcpAck;
}

std::uint8_t Shape::tcp_flags_known() const {
  return leg == Leg::first || leg == Leg::answer ? kTcpFlagsOfFirst : kTcpFlagsOfLater;
}

Split divide_by_field(const Shape& shape, const Packets& packets, Field field, rules::Ranges values,
                      bool all_but) {
  Registers registers{};
  const std::size_t size = shape.size_of(field);
  for (std::size_t i = 0; i < size; ++i) registers[i] = Byte::of(field, i);
  Split split = divide(shape, packets, registers, {{0, size, std::move(values)}});
  return all_but ? inverted(std::move(split)) : split;
}

Split divide(const Shape& shape, const Packets& packets, const Registers& registers,
             const std::vector<Part>& parts) {
  Split split;
  bool unknown = false;
  std::vector<std::pair<Field, rules::Ranges>> limits;
  for (const Part& part : parts) {
    const Key key = read_key(shape, packets, registers, part.at, part.size);
    if (key.kind == Key::Kind::other) {
      unknown = true;
      continue;
    }
    if (key.kind == Key::Kind::constant) {
      const auto answer = constant_answer(key, part.values, part.size);
      if (answer == Split::Answer::no) return {Split::Answer::no, {}, {}};
      if (answer == Split::Answer::unknown) unknown = true;
      continue;
    }
    rules::Ranges values = field_values(key, part.values);
    const rules::Ranges& present = packets[key.field];
    if (!present.overlaps(values)) return {Split::Answer::no, {}, {}};
    if (!present.within(values)) limits.emplace_back(key.field, std::move(values));
  }
  if (unknown) return split;
  if (limits.empty()) return {Split::Answer::yes, {}, {}};
  // Packets outside the first limit, those inside it and outside the second, ...
  split.answer = Split::Answer::part;
  Packets rest = packets;
  for (const auto& [field, values] : limits) {
    Packets outside = rest;
    narrow(shape, outside, field, rest[field].without(values));
    if (!outside[field].empty()) split.no.push_back(std::move(outside));
    narrow(shape, rest, field, rest[field].both(values));
    // Two parts can limit the same field.
    if (rest[field].empty()) return {Split::Answer::no, {}, {}};
  }
  split.yes.push_back(std::move(rest));
  return split;
}

Split split_of(std::vector<Packets> yes, std::vector<Packets> no) {
  if (yes.empty()) return {Split::Answer::no, {}, {}};
  if (no.empty()) return {Split::Answer::yes, {}, {}};
  return {Split::Answer::part, std::move(yes), std::move(no)};
}

bool sort_into(std::vector<Packets>& yes, std::vector<Packets>& no, Split split, Packets packets) {
  if (split.answer == Split::Answer::unknown) return false;
  if (split.answer == Split::Answer::yes)
    yes.push_back(std::move(packets));
  else if (split.answer == Split::Answer::no)
    no.push_back(std::move(packets));
  std::ranges::move(split.yes, std::back_inserter(yes));
  std::ranges::move(split.no, std::back_inserter(no));
  return true;
}

Split inverted(Split split) {
  if (split.answer == Split::Answer::yes) {
    split.answer = Split::Answer::no;
  } else if (split.answer == Split::Answer::no) {
    split.answer = Split::Answer::yes;
  }
  std::swap(split.yes, split.no);
  return split;
}

std::vector<std::pair<std::size_t, std::size_t>> pieces(const Registers& registers, std::size_t at,
                                                        std::size_t size) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t i = at; i < at + size; ++i) {
    const Byte& byte = registers[i];
    const bool goes_on = i > at && byte.is_field == registers[i - 1].is_field &&
                         (!byte.is_field || (byte.field == registers[i - 1].field &&
                                             byte.index == registers[i - 1].index + 1));
    if (!goes_on || out.back().second == sizeof(rules::U128)) out.emplace_back(i, 0);
    ++out.back().second;
  }
  return out;
}

Byte header_byte(const Shape& shape, std::uint32_t base, std::uint32_t offset) {
  if (base == NFT_PAYLOAD_LL_HEADER) return frame_byte(shape, offset);
  if (shape.arp != 0) {
    return base == NFT_PAYLOAD_NETWORK_HEADER ? arp_byte(shape, offset) : Byte{};
  }
  if (base == NFT_PAYLOAD_NETWORK_HEADER && !shape.ipv6) {
    if (offset == 0) return Byte::of(0x40, 0xF0);
    // A first packet is not a fragment; whether it may be fragmented is not known.
    if (offset == 6) return Byte::of(0, 0xBF);
    if (offset == 7) return Byte::of(0);
    if (offset == 9) return Byte::of(shape.protocol);
    if (offset >= 12 && offset < 16) return Byte::of(Field::source, offset - 12);
    if (offset >= 16 && offset < 20) return Byte::of(Field::destination, offset - 16);
  }
  if (base == NFT_PAYLOAD_NETWORK_HEADER && shape.ipv6) {
    if (offset == 0) return Byte::of(0x60, 0xF0);
    if (offset == 6) return Byte::of(shape.protocol);
    if (offset == 7 && shape.is_discovery()) return Byte::of(rules::kDiscoveryHopLimit);
    if (offset >= 8 && offset < 24) return Byte::of(Field::source, offset - 8);
    if (offset >= 24 && offset < 40) return Byte::of(Field::destination, offset - 24);
  }
  if (base == NFT_PAYLOAD_TRANSPORT_HEADER) {
    if (shape.protocol == IPPROTO_ICMP || shape.protocol == IPPROTO_ICMPV6) {
      if (offset == 0) return Byte::of(shape.icmp_type);
      if (offset == 1) return Byte::of(0);
      return {};
    }
    if (offset < 2) return Byte::of(Field::source_port, offset);
    if (offset < 4) return Byte::of(Field::destination_port, offset - 2);
    if (shape.protocol == IPPROTO_TCP && offset == rules::kTcpFlagsAt) {
      return Byte::of(shape.tcp_flags(), shape.tcp_flags_known());
    }
  }
  return {};
}

}  // namespace nettune::firewall::walk
