// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/loads.hpp"

#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cstring>
#include <linux/if_arp.h>
#include <linux/if_packet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tuple_common.h>
#include <linux/netfilter/nf_tables.h>
#include <netinet/in.h>

namespace nettune::firewall::walk {
namespace {

using kernel::NfChain;

std::uint8_t protocol_family(const Shape& shape, const NfChain& base) {
  if (base.family == NFPROTO_NETDEV) return NFPROTO_NETDEV;
  if (shape.arp != 0) return NFPROTO_ARP;
  return static_cast<std::uint8_t>(shape.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
}

bool has_ports(const Shape& shape) {
  return shape.protocol == IPPROTO_TCP || shape.protocol == IPPROTO_UDP;
}
bool put_field(Registers& registers, const Shape& shape, std::size_t at, Field field) {
  for (std::size_t i = 0; i < std::min(shape.size_of(field), rules::kRegisterBytes - at); ++i) {
    registers[at + i] = Byte::of(field, i);
  }
  return true;
}

/// A packet without an answer has passed only, perhaps, the hooks of address translation.
bool put_status(Registers& registers, const Shape& shape, std::size_t at, bool translated) {
  const bool fresh = shape.connection == Connection::fresh;
  const std::uint32_t is =
      (fresh ? 0 : IPS_SEEN_REPLY | IPS_CONFIRMED) | (translated ? IPS_DST_NAT : 0);
  const std::uint32_t open = IPS_SRC_NAT_DONE | IPS_DST_NAT_DONE | (fresh ? 0 : IPS_ASSURED);
  return put_mark(registers, at, {is, ~open});
}

}  // namespace

void put(Registers& registers, std::size_t at, kernel::Bytes value, std::uint8_t known) {
  const std::size_t end =
      std::min(rules::kRegisterBytes, (at + value.size() + 3) & ~std::size_t{3});
  for (std::size_t i = at; i < end; ++i) {
    const bool inside = i - at < value.size();
    registers[i] =
        inside ? Byte::of(std::to_integer<std::uint8_t>(value[i - at]), known) : Byte::of(0);
  }
}
bool put_unknown(Registers& registers, std::size_t at, std::size_t size) {
  for (std::size_t i = at; i < std::min(rules::kRegisterBytes, at + size); ++i) registers[i] = {};
  return true;
}

bool put_name(Registers& registers, std::size_t at, const std::string& name) {
  kernel::ByteString bytes(rules::kInterfaceNameBytes);
  std::memcpy(bytes.data(), name.data(), std::min(name.size(), rules::kInterfaceNameBytes - 1));
  put(registers, at, bytes);
  return true;
}

bool put_mark(Registers& registers, std::size_t at, const Mark& mark) {
  const auto value = std::as_bytes(std::span(&mark.value, 1));
  const auto known = std::as_bytes(std::span(&mark.known, 1));
  for (std::size_t i = 0; i < value.size(); ++i) {
    registers[at + i] =
        Byte::of(std::to_integer<std::uint8_t>(value[i]), std::to_integer<std::uint8_t>(known[i]));
  }
  return true;
}
Mark mark_in(const Registers& registers, std::size_t at) {
  std::array<std::uint8_t, sizeof(std::uint32_t)> value{};
  std::array<std::uint8_t, sizeof(std::uint32_t)> known{};
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Byte& byte = registers[at + i];
    if (byte.is_field) continue;
    known[i] = byte.known;
    value[i] = byte.value & byte.known;
  }
  return {std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(known)};
}

bool load_meta(Registers& registers, const rules::Meta& meta, const Shape& shape,
               const NfChain& base, const Mark& mark) {
  const bool comes = !shape.leaves;
  switch (meta.key) {
    case NFT_META_PROTOCOL:
      return put_number(registers, meta.to, htons(shape.ether_type()));
    case NFT_META_NFPROTO:
      return put_number(registers, meta.to, protocol_family(shape, base));
    case NFT_META_L4PROTO:
      return put_number(registers, meta.to, shape.protocol);
    case NFT_META_PKTTYPE:
      // A request is broadcast, or goes to a neighbour that is known already (arp_solicit()).
      if (shape.arp == ARPOP_REQUEST || (shape.multicast && shape.leaves)) break;
      return put_number(
          registers, meta.to,
          static_cast<std::uint8_t>(shape.multicast ? PACKET_MULTICAST : PACKET_HOST));
    case NFT_META_IIF:
    case NFT_META_OIF:
      if ((meta.key == NFT_META_IIF) != comes) return put_number(registers, meta.to, 0U);
      if (shape.interface_index == 0) break;
      return put_number(registers, meta.to, shape.interface_index);
    case NFT_META_IIFNAME:
    case NFT_META_OIFNAME:
      if ((meta.key == NFT_META_IIFNAME) != comes) return put_name(registers, meta.to, {});
      // Without a name it may be any.
      if (shape.interface.empty()) break;
      return put_name(registers, meta.to, shape.interface);
    case NFT_META_IIFTYPE:
    case NFT_META_OIFTYPE:
      // At netdev egress, kernels differ in what they take for the incoming interface.
      if (shape.hardware == 0 || (meta.key == NFT_META_IIFTYPE) != comes) break;
      return put_number(registers, meta.to, shape.hardware);
    case NFT_META_MARK:
      return put_mark(registers, meta.to, mark);
    default:
      break;
  }
  return put_unknown(registers, meta.to);
}

bool load_header(Registers& registers, const rules::Payload& payload, const Shape& shape) {
  for (std::size_t i = 0; i < payload.length; ++i) {
    registers[payload.to + i] =
        header_byte(shape, payload.base, payload.offset + static_cast<std::uint32_t>(i));
  }
  // nft_payload.c: the rest of the last word is zero.
  const std::size_t end =
      std::min(rules::kRegisterBytes, (payload.length + std::size_t{3}) & ~std::size_t{3});
  for (std::size_t i = payload.length; i < end && payload.to + i < rules::kRegisterBytes; ++i) {
    registers[payload.to + i] = Byte::of(0);
  }
  return true;
}

bool load_connection(Registers& registers, const rules::Ct& ct, const Shape& shape,
                     const NfChain& base, const Packets& packets) {
  const bool answers = shape.connection == Connection::reply;
  switch (ct.key) {
    case NFT_CT_DIRECTION:
      return put_number(registers, ct.to,
                        static_cast<std::uint8_t>(answers ? IP_CT_DIR_REPLY : IP_CT_DIR_ORIGINAL));
    case NFT_CT_STATUS:
      return put_status(registers, shape, ct.to, !packets.other_own.empty());
    case NFT_CT_MARK:
      return put_mark(registers, ct.to, packets.connection_mark);
    case NFT_CT_L3PROTOCOL:
      return put_number(registers, ct.to, protocol_family(shape, base));
    case NFT_CT_PROTOCOL:
      return put_number(registers, ct.to, shape.protocol);
    default:
      break;
  }
  if (!ct.direction || !packets.other_own.empty()) return false;
  // The two directions of a connection without translation.
  const bool as_packet = (*ct.direction == IP_CT_DIR_REPLY) == answers;
  switch (ct.key) {
    case NFT_CT_SRC:
    case NFT_CT_SRC_IP:
    case NFT_CT_SRC_IP6:
      return put_field(registers, shape, ct.to, as_packet ? Field::source : Field::destination);
    case NFT_CT_DST:
    case NFT_CT_DST_IP:
    case NFT_CT_DST_IP6:
      return put_field(registers, shape, ct.to, as_packet ? Field::destination : Field::source);
    case NFT_CT_PROTO_SRC:
      return has_ports(shape) &&
             put_field(registers, shape, ct.to,
                       as_packet ? Field::source_port : Field::destination_port);
    case NFT_CT_PROTO_DST:
      return has_ports(shape) &&
             put_field(registers, shape, ct.to,
                       as_packet ? Field::destination_port : Field::source_port);
    default:
      return false;
  }
}

bool calculate(Registers& registers, const rules::Bitwise& bitwise) {
  for (std::size_t i = 0; i < bitwise.length; ++i) {
    if (bitwise.mask.empty()) {
      registers[bitwise.to + i] = {};
      continue;
    }
    Byte byte = registers[bitwise.from + i];
    const auto mask = std::to_integer<std::uint8_t>(bitwise.mask[i]);
    const auto flip = std::to_integer<std::uint8_t>(bitwise.flip[i]);
    byte.value = static_cast<std::uint8_t>((byte.value & mask) ^ flip);
    if (byte.is_field) {
      byte.mask = static_cast<std::uint8_t>(byte.mask & mask);
      if (byte.mask == 0) byte = Byte::of(byte.value);
    } else {
      byte.known = static_cast<std::uint8_t>(byte.known | ~mask);
    }
    registers[bitwise.to + i] = byte;
  }
  return true;
}

bool calculate(Registers& registers, const rules::Byteorder& order) {
  const bool known = order.size == 2 || order.size == 4 || order.size == 8;
  if (!known) return put_unknown(registers, order.to, order.length);
  Registers turned = registers;
  // nft_byteorder.c ignores anything smaller than a whole word, such as nft's own meta l4proto in
  // a concatenation.
  const std::size_t whole = order.length - order.length % order.size;
  for (std::size_t i = 0; i < whole; ++i) {
    const std::size_t word = i / order.size * order.size;
    // In either direction, the bytes of a little-endian machine are reversed.
    const std::size_t from =
        std::endian::native == std::endian::little ? word + order.size - 1 - (i - word) : i;
    turned[order.to + i] = registers[order.from + from];
  }
  registers = turned;
  return true;
}

}  // namespace nettune::firewall::walk
