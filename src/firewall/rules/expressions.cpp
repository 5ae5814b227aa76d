// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/expressions.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <endian.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace nettune::firewall::rules {
namespace {

using kernel::Attribute;
using kernel::Bytes;

constexpr std::size_t kNoRegister = ~std::size_t{0} - 1;
// nf_tables.h, NFT_RULE_MAXEXPRS: the kernel takes no more expressions in a rule.
constexpr std::size_t kMaxExpressions = 128;
// enum nft_bitwise_ops: shifts, and since Linux 6.13 AND, OR and XOR of two registers, are not
// modelled. The name is the same in headers before and after 6.13.
constexpr std::uint32_t kBitwiseMaskAndFlip = NFT_BITWISE_BOOL;

std::uint32_t be32(Bytes bytes) {
  return be32toh(kernel::value_of<std::uint32_t>(bytes).value_or(0));
}

ByteString copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// The attributes of one expression, by type; missing ones are empty.
class Attributes {
 public:
  explicit Attributes(Bytes bytes) {
    kernel::each_attribute(bytes, [&](const Attribute& attribute) {
      if (attribute.type >= kMost) return;
      payload_[attribute.type] = attribute.payload;
      there_[attribute.type] = true;
    });
  }

  bool has(std::size_t type) const { return there_[type]; }
  Bytes operator[](std::size_t type) const { return payload_[type]; }
  std::uint32_t number(std::size_t type) const { return be32(payload_[type]); }
  std::string text(std::size_t type) const { return std::string(kernel::text_of(payload_[type])); }

  /// nf_tables_api.c, nft_parse_register(): the old registers have 16 bytes each, the new ones 4;
  /// the verdict comes before them.
  std::size_t reg(std::size_t type) const {
    const std::uint32_t number = this->number(type);
    if (!has(type)) return kNoRegister;
    if (number == NFT_REG_VERDICT) return kVerdictRegister;
    if (number <= NFT_REG_4) return (number - NFT_REG_1) * std::size_t{16};
    if (number >= NFT_REG32_00 && number <= NFT_REG32_15) {
      return (number - NFT_REG32_00) * std::size_t{4};
    }
    return kNoRegister;
  }

  /// Reads NFTA_DATA_VALUE of a nested attribute.
  ByteString value(std::size_t type) const {
    ByteString value;
    kernel::each_attribute(payload_[type], [&](const Attribute& attribute) {
      if (attribute.type == NFTA_DATA_VALUE) value = copy_of(attribute.payload);
    });
    return value;
  }

 private:
  static constexpr std::size_t kMost = 16;
  std::array<Bytes, kMost> payload_{};
  std::array<bool, kMost> there_{};
};

/// A span of bytes that is valid for the kernel's registers.
bool fits(std::size_t at, std::size_t length) {
  return length > 0 && at < kRegisterBytes && length <= kRegisterBytes - at;
}

using Decode = Expression (*)(const Attributes&);

Expression malformed(std::string_view name) { return Opaque{cat("malformed ", name)}; }

Expression meta(const Attributes& a) {
  if (a.has(NFTA_META_SREG)) {
    const MetaSet set{a.number(NFTA_META_KEY), a.reg(NFTA_META_SREG)};
    // Of all that is set, only marks are read again by deciding rules.
    if (set.key != NFT_META_MARK) return Passive{"meta set"};
    if (!fits(set.from, sizeof(std::uint32_t))) return malformed("meta");
    return set;
  }
  const Meta meta{a.number(NFTA_META_KEY), a.reg(NFTA_META_DREG)};
  if (!fits(meta.to, 4)) return malformed("meta");
  return meta;
}

Expression payload(const Attributes& a) {
  const std::uint32_t base = a.number(NFTA_PAYLOAD_BASE);
  const std::uint32_t offset = a.number(NFTA_PAYLOAD_OFFSET);
  const std::uint32_t length = a.number(NFTA_PAYLOAD_LEN);
  if (a.has(NFTA_PAYLOAD_SREG)) {
    // DSCP and ECN are in the first two bytes of both families.
    if (base == NFT_PAYLOAD_NETWORK_HEADER && offset + length <= 2) return Passive{"dscp set"};
    return Diversion{"payload set"};
  }
  const Payload payload{base, offset, length, a.reg(NFTA_PAYLOAD_DREG)};
  if (!fits(payload.to, length)) return malformed("payload");
  return payload;
}

Expression ct(const Attributes& a) {
  if (a.has(NFTA_CT_SREG)) {
    const CtSet set{a.number(NFTA_CT_KEY), a.reg(NFTA_CT_SREG)};
    if (set.key != NFT_CT_MARK && set.key != NFT_CT_ZONE) return Passive{"ct set"};
    if (!fits(set.from, sizeof(std::uint32_t))) return malformed("ct");
    return set;
  }
  Ct ct{a.number(NFTA_CT_KEY), a.reg(NFTA_CT_DREG)};
  if (a.has(NFTA_CT_DIRECTION)) ct.direction = kernel::value_of<std::uint8_t>(a[NFTA_CT_DIRECTION]);
  if (!fits(ct.to, 4)) return malformed("ct");
  return ct;
}

Expression cmp(const Attributes& a) {
  Cmp cmp{a.reg(NFTA_CMP_SREG), a.number(NFTA_CMP_OP), a.value(NFTA_CMP_DATA)};
  if (!fits(cmp.from, cmp.data.size()) || cmp.op > NFT_CMP_GTE) return malformed("cmp");
  return cmp;
}

Expression bitwise(const Attributes& a) {
  Bitwise bitwise{
      a.reg(NFTA_BITWISE_SREG), a.reg(NFTA_BITWISE_DREG), a.number(NFTA_BITWISE_LEN), {}, {}};
  if (!fits(bitwise.from, bitwise.length) || !fits(bitwise.to, bitwise.length)) {
    return malformed("bitwise");
  }
  if (a.number(NFTA_BITWISE_OP) != kBitwiseMaskAndFlip) return bitwise;
  bitwise.mask = a.value(NFTA_BITWISE_MASK);
  bitwise.flip = a.value(NFTA_BITWISE_XOR);
  if (bitwise.mask.size() != bitwise.length || bitwise.flip.size() != bitwise.length) {
    return malformed("bitwise");
  }
  return bitwise;
}

Expression byteorder(const Attributes& a) {
  const Byteorder order{a.reg(NFTA_BYTEORDER_SREG), a.reg(NFTA_BYTEORDER_DREG),
                        a.number(NFTA_BYTEORDER_LEN), a.number(NFTA_BYTEORDER_SIZE)};
  if (!fits(order.from, order.length) || !fits(order.to, order.length)) {
    return malformed("byteorder");
  }
  return order;
}

Expression range(const Attributes& a) {
  Range range{a.reg(NFTA_RANGE_SREG), a.number(NFTA_RANGE_OP) == NFT_RANGE_NEQ,
              a.value(NFTA_RANGE_FROM_DATA), a.value(NFTA_RANGE_TO_DATA)};
  if (!fits(range.from, range.first.size()) || range.first.size() != range.last.size()) {
    return malformed("range");
  }
  return range;
}

Expression lookup(const Attributes& a) {
  Lookup lookup;
  lookup.from = a.reg(NFTA_LOOKUP_SREG);
  lookup.is_map = a.has(NFTA_LOOKUP_DREG);
  lookup.to = lookup.is_map ? a.reg(NFTA_LOOKUP_DREG) : 0;
  lookup.inverted = (a.number(NFTA_LOOKUP_FLAGS) & NFT_LOOKUP_F_INV) != 0;
  lookup.set = a.text(NFTA_LOOKUP_SET);
  lookup.id = a.number(NFTA_LOOKUP_SET_ID);
  if (!fits(lookup.from, 1) || lookup.to == kNoRegister) return malformed("lookup");
  return lookup;
}

Judgement judgement_in(Bytes data) {
  Judgement judgement{NFT_CONTINUE, {}};
  kernel::each_attribute(data, [&](const Attribute& attribute) {
    if (attribute.type == NFTA_DATA_VERDICT) judgement = decode_judgement(attribute.payload);
  });
  return judgement;
}

Expression immediate(const Attributes& a) {
  const std::size_t to = a.reg(NFTA_IMMEDIATE_DREG);
  if (to == kVerdictRegister) return judgement_in(a[NFTA_IMMEDIATE_DATA]);
  Immediate immediate{to, a.value(NFTA_IMMEDIATE_DATA)};
  if (!fits(to, immediate.data.size())) return malformed("immediate");
  return immediate;
}

Expression match(const Attributes& a) {
  return XtMatch{a.text(NFTA_MATCH_NAME), a.number(NFTA_MATCH_REV), copy_of(a[NFTA_MATCH_INFO])};
}

Expression target(const Attributes& a) {
  return XtTarget{a.text(NFTA_TARGET_NAME), a.number(NFTA_TARGET_REV),
                  copy_of(a[NFTA_TARGET_INFO])};
}

Expression update(const Attributes& a) { return Update{a.text(NFTA_DYNSET_SET_NAME)}; }
Expression reject(const Attributes&) { return Reject{}; }
Expression notrack(const Attributes&) { return Notrack{}; }

template <std::size_t Type>
Expression load(std::string_view name, const Attributes& a) {
  const std::size_t to = a.reg(Type);
  if (!fits(to, 4)) return Opaque{std::string(name)};
  return Load{std::string(name), to};
}

Expression fib(const Attributes& a) {
  Fib fib{a.number(NFTA_FIB_RESULT), a.number(NFTA_FIB_FLAGS), a.reg(NFTA_FIB_DREG)};
  if (!fits(fib.to, 4)) return malformed("fib");
  return fib;
}
Expression socket(const Attributes& a) { return load<NFTA_SOCKET_DREG>("socket", a); }
Expression route(const Attributes& a) { return load<NFTA_RT_DREG>("rt", a); }
Expression numgen(const Attributes& a) { return load<NFTA_NG_DREG>("numgen", a); }
Expression hash(const Attributes& a) { return load<NFTA_HASH_DREG>("hash", a); }
Expression exthdr(const Attributes& a) {
  if (a.has(NFTA_EXTHDR_SREG)) return Passive{"exthdr set"};
  if (!a.has(NFTA_EXTHDR_DREG)) return Passive{"exthdr reset"};
  const Exthdr header{a.number(NFTA_EXTHDR_OP),
                      (a.number(NFTA_EXTHDR_FLAGS) & NFT_EXTHDR_F_PRESENT) != 0,
                      a.reg(NFTA_EXTHDR_DREG)};
  if (!fits(header.to, sizeof(std::uint32_t))) return malformed("exthdr");
  return header;
}

/// A register that a rule may leave out.
std::optional<std::size_t> register_in(const Attributes& a, std::size_t type, std::size_t size) {
  const std::size_t at = a.reg(type);
  return fits(at, size) ? std::optional(at) : std::nullopt;
}

Expression nat(const Attributes& a) {
  Diversion diversion{"nat"};
  if (a.number(NFTA_NAT_TYPE) != NFT_NAT_DNAT) return diversion;
  const std::size_t size = address_bytes(a.number(NFTA_NAT_FAMILY) == NFPROTO_IPV6);
  diversion.nat = NatRegisters{false,
                               a.number(NFTA_NAT_FLAGS),
                               register_in(a, NFTA_NAT_REG_ADDR_MIN, size),
                               register_in(a, NFTA_NAT_REG_ADDR_MAX, size),
                               register_in(a, NFTA_NAT_REG_PROTO_MIN, sizeof(std::uint16_t)),
                               register_in(a, NFTA_NAT_REG_PROTO_MAX, sizeof(std::uint16_t))};
  return diversion;
}
Expression redirect(const Attributes& a) {
  return Diversion{"redir",
                   NatRegisters{true,
                                a.number(NFTA_REDIR_FLAGS),
                                {},
                                {},
                                register_in(a, NFTA_REDIR_REG_PROTO_MIN, sizeof(std::uint16_t)),
                                register_in(a, NFTA_REDIR_REG_PROTO_MAX, sizeof(std::uint16_t))}};
}

Expression objref(const Attributes& a) {
  switch (a.number(NFTA_OBJREF_IMM_TYPE)) {
    case NFT_OBJECT_COUNTER:
    case NFT_OBJECT_SECMARK:
      return Passive{"named object"};
    case NFT_OBJECT_CT_HELPER:
    case NFT_OBJECT_CT_TIMEOUT:
    case NFT_OBJECT_CT_EXPECT:
      return Passive{"named ct object"};
    case NFT_OBJECT_SYNPROXY:
      return Diversion{"synproxy"};
    default:
      return Opaque{"named object"};
  }
}

struct Known {
  std::string_view name;
  Decode decode;
};
constexpr Known kKnown[] = {
    {"meta", meta},       {"payload", payload}, {"ct", ct},
    {"cmp", cmp},         {"bitwise", bitwise}, {"byteorder", byteorder},
    {"range", range},     {"lookup", lookup},   {"immediate", immediate},
    {"match", match},     {"target", target},   {"reject", reject},
    {"notrack", notrack}, {"fib", fib},         {"socket", socket},
    {"rt", route},        {"numgen", numgen},   {"hash", hash},
    {"exthdr", exthdr},   {"objref", objref},   {"dynset", update},
    {"nat", nat},         {"redir", redirect},
};
constexpr std::string_view kPassive[] = {"counter", "log", "last", "secmark", "dup"};
constexpr std::string_view kDiverting[] = {"masq", "queue",        "tproxy",
                                           "fwd",  "flow_offload", "synproxy"};

Expression decode_one(Bytes bytes) {
  std::string_view name;
  Bytes data;
  kernel::each_attribute(bytes, [&](const Attribute& attribute) {
    if (attribute.type == NFTA_EXPR_NAME) name = kernel::text_of(attribute.payload);
    if (attribute.type == NFTA_EXPR_DATA) data = attribute.payload;
  });
  for (const Known& known : kKnown) {
    if (known.name == name) return known.decode(Attributes(data));
  }
  if (std::find(std::begin(kPassive), std::end(kPassive), name) != std::end(kPassive)) {
    return Passive{std::string(name)};
  }
  if (std::find(std::begin(kDiverting), std::end(kDiverting), name) != std::end(kDiverting)) {
    return Diversion{std::string(name)};
  }
  return Opaque{printable(name)};
}

struct Word {
  std::uint32_t key;
  std::string_view word;
};
/// The names of nft(8).
constexpr Word kMetaWords[] = {{NFT_META_LEN, "length"},
                               {NFT_META_PROTOCOL, "protocol"},
                               {NFT_META_PRIORITY, "priority"},
                               {NFT_META_MARK, "mark"},
                               {NFT_META_IIF, "iif"},
                               {NFT_META_OIF, "oif"},
                               {NFT_META_IIFNAME, "iifname"},
                               {NFT_META_OIFNAME, "oifname"},
                               {NFT_META_IFTYPE, "iiftype"},
                               {NFT_META_OIFTYPE, "oiftype"},
                               {NFT_META_SKUID, "skuid"},
                               {NFT_META_SKGID, "skgid"},
                               {NFT_META_NFTRACE, "nftrace"},
                               {NFT_META_RTCLASSID, "rtclassid"},
                               {NFT_META_SECMARK, "secmark"},
                               {NFT_META_NFPROTO, "nfproto"},
                               {NFT_META_L4PROTO, "l4proto"},
                               {NFT_META_BRI_IIFNAME, "ibrname"},
                               {NFT_META_BRI_OIFNAME, "obrname"},
                               {NFT_META_PKTTYPE, "pkttype"},
                               {NFT_META_CPU, "cpu"},
                               {NFT_META_IIFGROUP, "iifgroup"},
                               {NFT_META_OIFGROUP, "oifgroup"},
                               {NFT_META_CGROUP, "cgroup"},
                               {NFT_META_PRANDOM, "random"},
                               {NFT_META_SECPATH, "ipsec"},
                               {NFT_META_IIFKIND, "iifkind"},
                               {NFT_META_OIFKIND, "oifkind"},
                               {NFT_META_BRI_IIFPVID, "ibrpvid"},
                               {NFT_META_BRI_IIFVPROTO, "ibrvproto"},
                               {NFT_META_TIME_NS, "time"},
                               {NFT_META_TIME_DAY, "day"},
                               {NFT_META_TIME_HOUR, "hour"},
                               {NFT_META_SDIF, "sdif"},
                               {NFT_META_SDIFNAME, "sdifname"}};
constexpr Word kCtWords[] = {{NFT_CT_STATE, "state"},         {NFT_CT_DIRECTION, "direction"},
                             {NFT_CT_STATUS, "status"},       {NFT_CT_MARK, "mark"},
                             {NFT_CT_SECMARK, "secmark"},     {NFT_CT_EXPIRATION, "expiration"},
                             {NFT_CT_HELPER, "helper"},       {NFT_CT_L3PROTOCOL, "l3proto"},
                             {NFT_CT_SRC, "saddr"},           {NFT_CT_DST, "daddr"},
                             {NFT_CT_PROTOCOL, "protocol"},   {NFT_CT_PROTO_SRC, "proto-src"},
                             {NFT_CT_PROTO_DST, "proto-dst"}, {NFT_CT_LABELS, "label"},
                             {NFT_CT_PKTS, "packets"},        {NFT_CT_BYTES, "bytes"},
                             {NFT_CT_AVGPKT, "avgpkt"},       {NFT_CT_ZONE, "zone"},
                             {NFT_CT_EVENTMASK, "event"},     {NFT_CT_SRC_IP, "ip saddr"},
                             {NFT_CT_DST_IP, "ip daddr"},     {NFT_CT_SRC_IP6, "ip6 saddr"},
                             {NFT_CT_DST_IP6, "ip6 daddr"},   {NFT_CT_ID, "id"}};

/// A key that is newer than these names is shown as a number.
template <std::size_t N>
std::string word_of(const Word (&words)[N], std::uint32_t key) {
  for (const Word& word : words) {
    if (word.key == key) return std::string(word.word);
  }
  return cat("key ", key);
}

std::string meta_name(std::uint32_t key) { return cat("meta ", word_of(kMetaWords, key)); }

std::string exthdr_name(std::uint32_t op) {
  switch (op) {
    case NFT_EXTHDR_OP_IPV6:
      return "ip6 extension header";
    case NFT_EXTHDR_OP_TCPOPT:
      return "tcp option";
    case NFT_EXTHDR_OP_IPV4:
      return "ip option";
    default:
      return "exthdr";
  }
}

struct NameOf {
  std::string operator()(const Meta& one) const { return meta_name(one.key); }
  std::string operator()(const Payload& one) const {
    constexpr std::array<std::string_view, 4> kBases{"link", "network", "transport", "inner"};
    return cat(one.base < kBases.size() ? kBases[one.base] : "unknown", " header at ", one.offset);
  }
  std::string operator()(const Ct& one) const {
    const std::string_view side = !one.direction        ? ""
                                  : *one.direction == 0 ? "original "
                                                        : "reply ";
    return cat("ct ", side, word_of(kCtWords, one.key));
  }
  std::string operator()(const MetaSet& one) const { return cat(meta_name(one.key), " set"); }
  std::string operator()(const CtSet& one) const {
    return cat("ct ", word_of(kCtWords, one.key), " set");
  }
  std::string operator()(const Exthdr& one) const { return exthdr_name(one.op); }
  std::string operator()(const Update& one) const { return cat("update @", printable(one.name)); }
  std::string operator()(const Cmp&) const { return "cmp"; }
  std::string operator()(const Bitwise&) const { return "bitwise"; }
  std::string operator()(const Byteorder&) const { return "byteorder"; }
  std::string operator()(const Range&) const { return "range"; }
  std::string operator()(const Lookup& one) const { return cat("set ", printable(one.set)); }
  std::string operator()(const Immediate&) const { return "immediate"; }
  std::string operator()(const Fib&) const { return "fib"; }
  std::string operator()(const Judgement&) const { return "verdict"; }
  std::string operator()(const Reject&) const { return "reject"; }
  std::string operator()(const Notrack&) const { return "notrack"; }
  std::string operator()(const Passive& one) const { return one.name; }
  std::string operator()(const Opaque& one) const { return one.name; }
  std::string operator()(const Load& one) const { return one.name; }
  std::string operator()(const Diversion& one) const { return one.name; }
  std::string operator()(const XtMatch& one) const { return cat("match ", printable(one.name)); }
  std::string operator()(const XtTarget& one) const { return cat("target ", printable(one.name)); }
};

}  // namespace

std::vector<Expression> decode_expressions(Bytes bytes) {
  std::vector<Expression> expressions;
  kernel::each_attribute(bytes, [&](const Attribute& attribute) {
    if (attribute.type != NFTA_LIST_ELEM || expressions.size() >= kMaxExpressions) return;
    expressions.push_back(decode_one(attribute.payload));
  });
  return expressions;
}

Judgement decode_judgement(Bytes bytes) {
  Judgement judgement{NFT_CONTINUE, {}};
  kernel::each_attribute(bytes, [&](const Attribute& attribute) {
    if (attribute.type == NFTA_VERDICT_CODE) {
      judgement.code = static_cast<std::int32_t>(be32(attribute.payload));
    }
    if (attribute.type == NFTA_VERDICT_CHAIN) judgement.chain = kernel::text_of(attribute.payload);
  });
  return judgement;
}

std::string comment_of(const kernel::NfRule& rule) {
  if (!rule.comment.empty()) return rule.comment;
  // Most rules have no such match: only rules that contain its name are decoded.
  constexpr std::string_view kName = "comment";
  const std::string_view bytes(reinterpret_cast<const char*>(rule.expressions.data()),
                               rule.expressions.size());
  if (bytes.find(kName) == std::string_view::npos) return {};
  for (const Expression& expression : decode_expressions(rule.expressions)) {
    const auto* match = std::get_if<XtMatch>(&expression);
    if (match != nullptr && match->name == kName) return std::string(kernel::text_of(match->info));
  }
  return {};
}

std::string name_of(const Expression& expression) { return std::visit(NameOf{}, expression); }

}  // namespace nettune::firewall::rules
