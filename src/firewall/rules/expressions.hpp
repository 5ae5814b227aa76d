// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/nf_tables.hpp"

namespace nettune::firewall::rules {

/// Fields in the headers of TCP and UDP.
inline constexpr std::uint32_t kSourcePortAt = 0;
inline constexpr std::uint32_t kDestinationPortAt = 2;
inline constexpr std::uint32_t kTcpFlagsAt = 13;
inline constexpr std::uint8_t kTcpFin = 0x01;
inline constexpr std::uint8_t kTcpSyn = 0x02;
inline constexpr std::uint8_t kTcpRst = 0x04;
inline constexpr std::uint8_t kTcpAck = 0x10;
/// The hop limit of neighbour discovery: packets with another one are dropped (RFC 4861).
inline constexpr std::uint8_t kDiscoveryHopLimit = 255;
constexpr std::uint32_t address_bytes(bool ipv6) { return ipv6 ? 16 : 4; }
constexpr std::uint32_t source_at(bool ipv6) { return ipv6 ? 8 : 12; }
constexpr std::uint32_t destination_at(bool ipv6) { return source_at(ipv6) + address_bytes(ipv6); }

using kernel::ByteString;

/// IFNAMSIZ: names are compared with their trailing NULs.
inline constexpr std::size_t kInterfaceNameBytes = 16;

/// The size of the kernel's registers in bytes: 16 words of 32 bits.
constexpr std::size_t kRegisterBytes = 64;
/// The verdict register.
constexpr std::size_t kVerdictRegister = ~std::size_t{0};

/// The expressions of a rule, by the kernel's names (nf_tables.h). A register is given as the
/// offset of its first byte, whether the rule uses old or new register numbers.
struct Meta {
  std::uint32_t key = 0;  ///< NFT_META_*
  std::size_t to = 0;
};
struct Payload {
  std::uint32_t base = 0;  ///< NFT_PAYLOAD_*
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  std::size_t to = 0;
};
struct Ct {
  std::uint32_t key = 0;  ///< NFT_CT_*
  std::size_t to = 0;
  std::optional<std::uint8_t> direction = {};  ///< IP_CT_DIR_*, if the rule has one
};
struct Cmp {
  std::size_t from = 0;
  std::uint32_t op = 0;  ///< NFT_CMP_*
  ByteString data;
};
struct Bitwise {
  std::size_t from = 0;
  std::size_t to = 0;
  std::uint32_t length = 0;
  ByteString mask;  ///< empty: a shift, or another operation that is not modelled
  ByteString flip;  ///< XOR
};
struct Byteorder {
  std::size_t from = 0;
  std::size_t to = 0;
  std::uint32_t length = 0;
  std::uint32_t size = 0;
};
struct Range {
  std::size_t from = 0;
  bool inverted = false;
  ByteString first;
  ByteString last;
};
struct Lookup {
  std::size_t from = 0;
  std::size_t to = 0;  ///< for maps: a register, or kVerdictRegister
  bool is_map = false;
  bool inverted = false;
  std::string set;
  std::uint32_t id = 0;  ///< NfSet::id; 0 for a set from the kernel
};
struct Immediate {
  std::size_t to = 0;
  ByteString data;
};
struct Fib {
  std::uint32_t result = 0;  ///< NFT_FIB_RESULT_*
  std::uint32_t flags = 0;   ///< NFTA_FIB_F_*
  std::size_t to = 0;
};
/// The verdict of a rule.
struct Judgement {
  std::int32_t code = 0;  ///< NF_ACCEPT, NF_DROP, NF_QUEUE, or NFT_*
  std::string chain;      ///< the target of NFT_JUMP and NFT_GOTO
};
struct Reject {};
struct Notrack {};
/// It only matches or counts: the packet goes on unchanged.
struct Passive {
  std::string name;
};
/// It may end the rule by state that is not modelled: limit, quota, connlimit, ...
struct Opaque {
  std::string name;
};
/// It loads something that is not modelled into a register: socket, rt, numgen, hash, ...
struct Load {
  std::string name;
  std::size_t to = 0;
};
/// Registers with a new destination: of dnat and redirect. Without an address or a port these stay.
struct NatRegisters {
  bool to_interface = false;  ///< redirect: an address of the incoming interface
  std::uint32_t flags = 0;    ///< NF_NAT_RANGE_*
  std::optional<std::size_t> first_address = {};
  std::optional<std::size_t> last_address = {};
  std::optional<std::size_t> first_port = {};
  std::optional<std::size_t> last_port = {};
};
/// Sends the packet elsewhere or changes where it goes: nat, queue, tproxy, fwd, dup, ...
struct Diversion {
  std::string name;
  std::optional<NatRegisters> nat = {};
};
/// Of iptables: a match or a target, with the structure of linux/netfilter/xt_*.h.
struct XtMatch {
  std::string name;
  std::uint32_t revision = 0;
  ByteString info;
};
struct XtTarget {
  std::string name;
  std::uint32_t revision = 0;
  ByteString info;
};

/// Puts a register into what a packet or its connection carries along.
struct MetaSet {
  std::uint32_t key = 0;  ///< NFT_META_*
  std::size_t from = 0;
};
struct CtSet {
  std::uint32_t key = 0;  ///< NFT_CT_*
  std::size_t from = 0;
};
/// A header or an option that a packet may have.
struct Exthdr {
  std::uint32_t op = 0;        ///< NFT_EXTHDR_OP_*
  bool only_presence = false;  ///< loads whether it is there, and never breaks off the rule
  std::size_t to = 0;
};

/// Adds what a packet has to a set. It may end the rule.
struct Update {
  std::string name;  ///< of the set
};

/// New ones go to the end: fingerprint() counts them.
using Expression = std::variant<Meta, Payload, Ct, Cmp, Bitwise, Byteorder, Range, Lookup,
                                Immediate, Fib, Judgement, Reject, Notrack, Passive, Opaque, Load,
                                Diversion, XtMatch, XtTarget, MetaSet, CtSet, Exthdr, Update>;

/// From NFTA_RULE_EXPRESSIONS. Pure, for any bytes: what is malformed or not known is Opaque.
std::vector<Expression> decode_expressions(kernel::Bytes bytes);

/// A verdict's attributes, as in NfElement::data of a verdict map.
Judgement decode_judgement(kernel::Bytes bytes);

/// The name of a rule: its comment, or that of its xt match "comment", as iptables-nft writes it.
std::string comment_of(const kernel::NfRule& rule);

/// A few words for messages: "tcp dport", "ct state", "xt match conntrack".
std::string name_of(const Expression& expression);

}  // namespace nettune::firewall::rules
