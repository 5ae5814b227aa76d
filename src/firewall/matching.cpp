// SPDX-License-Identifier: Apache-2.0
#include "firewall/matching.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <bit>
#include <cstring>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tuple_common.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <utility>

#include "base/text.hpp"
#include "firewall/fib.hpp"
#include "firewall/meaning.hpp"
#include "firewall/xt.hpp"

namespace nettune::firewall {
namespace {

using kernel::NfChain;
using kernel::NfElement;
using kernel::NfRule;
using kernel::NfSet;

// The most pieces that one rule or set may divide packets into.
constexpr std::size_t kMostPieces = 4'096;
// nf_conntrack_core.c: where packets get their connection, NF_IP_PRI_CONNTRACK.
constexpr std::int32_t kTrackingPriority = -200;
// nf_tables.h: these bits of ct state and ct status.
constexpr std::uint32_t kStateNew = NF_CT_STATE_BIT(IP_CT_NEW);
constexpr std::uint32_t kStateEstablished = NF_CT_STATE_BIT(IP_CT_ESTABLISHED);

/// Whether the connection is looked up before that chain; nothing if that depends on load order.
std::optional<bool> is_tracked_in(const NfChain& chain) {
  if (is_ingress(chain)) return false;
  const bool where_it_is_looked_up =
      chain.family != NFPROTO_NETDEV &&
      (chain.hook->number == NF_INET_PRE_ROUTING || chain.hook->number == NF_INET_LOCAL_OUT);
  if (!where_it_is_looked_up) return true;
  if (chain.hook->priority == kTrackingPriority) return std::nullopt;
  return chain.hook->priority > kTrackingPriority;
}

/// Packets on their way through the expressions of a rule.
struct InRule {
  Packets packets;
  Registers registers{};
  std::size_t at = 0;
  std::optional<std::string> doubt = {};
  std::string source = {};  ///< for a path that continues within a rule: the last load
};

/// One rule and the packets that reached it.
class Matching {
 public:
  Matching(const NfRule& rule, const NfChain& base, const Shape& shape, RuleIndex& index)
      : rule_(rule), base_(base), shape_(shape), index_(index) {}

  std::vector<Outcome> run(const Packets& packets, std::size_t& steps) {
    InRule start;
    start.packets = packets;
    start.packets.assumed = {};
    pending_.push_back(std::move(start));
    std::size_t pieces = 0;
    while (!pending_.empty()) {
      ++steps;
      if (++pieces > kMostPieces) {
        // The rest may be anything.
        divert(pending_.back(), "the rule is too complex to evaluate");
        break;
      }
      InRule state = std::move(pending_.back());
      pending_.pop_back();
      run(std::move(state));
    }
    return std::move(outcomes_);
  }

 private:
  /// The "ct state" of packets in the walked base chain; 0 if it is not known.
  std::uint32_t connection_state(const Packets& packets) const {
    if (packets.tracking == Tracking::unknown) return 0;
    if (packets.tracking == Tracking::untracked) return NF_CT_STATE_UNTRACKED_BIT;
    const auto tracked = is_tracked_in(base_);
    if (!tracked) return 0;
    if (!*tracked) return NF_CT_STATE_INVALID_BIT;
    // nf_conntrack_proto_icmpv6.c, nf_conntrack_icmpv6_error().
    if (shape_.is_discovery()) return NF_CT_STATE_UNTRACKED_BIT;
    switch (shape_.connection) {
      case Connection::fresh:
        return kStateNew;
      case Connection::original:
      case Connection::reply:
        return kStateEstablished;
      case Connection::invalid:
        return NF_CT_STATE_INVALID_BIT;
      case Connection::unknown:
        break;
    }
    return 0;
  }

  static bool has_connection(std::uint32_t state) {
    return state == kStateNew || state == kStateEstablished;
  }

  void emit(const InRule& state, Outcome::Effect effect, Judgement judgement = {}) {
    outcomes_.push_back({effect, state.packets, std::move(judgement), {}, state.doubt});
  }
  void divert(const InRule& state, std::string by) {
    emit(state, Outcome::Effect::diverted);
    outcomes_.back().diverted_by = std::move(by);
  }
  void emit_next(Packets packets) {
    outcomes_.push_back({Outcome::Effect::next, std::move(packets)});
  }

  void run(InRule state) {
    const auto& expressions = index_.expressions(rule_);
    source_name_ = std::move(state.source);
    for (; state.at < expressions.size(); ++state.at) {
      const bool goes_on =
          std::visit([&](const auto& one) { return step(one, state); }, expressions[state.at]);
      if (!goes_on) return;
    }
    emit_next(std::move(state.packets));
  }

  /// The rule continues for packets that satisfy a condition; for the others it ends.
  bool go_on_with(Split split, InRule& state, const Expression& why) {
    switch (split.answer) {
      case Split::Answer::yes:
        return true;
      case Split::Answer::no:
        emit_next(std::move(state.packets));
        return false;
      case Split::Answer::unknown:
        doubt(state, why);
        return true;
      case Split::Answer::part:
        break;
    }
    for (auto& packets : split.no) emit_next(std::move(packets));
    for (std::size_t i = 1; i < split.yes.size(); ++i) {
      InRule other = state;
      other.packets = std::move(split.yes[i]);
      ++other.at;
      pending_.push_back(std::move(other));
    }
    state.packets = std::move(split.yes.front());
    return true;
  }

  void doubt(InRule& state, const Expression& why) {
    if (!state.doubt) state.doubt = source_name_.empty() ? name_of(why) : source_name_;
  }

  static void put(InRule& state, std::size_t at, kernel::Bytes value, std::uint8_t known = 0xFF) {
    const std::size_t end = std::min(kRegisterBytes, (at + value.size() + 3) & ~std::size_t{3});
    for (std::size_t i = at; i < end; ++i) {
      const bool inside = i - at < value.size();
      state.registers[i] =
          inside ? Byte::of(std::to_integer<std::uint8_t>(value[i - at]), known) : Byte::of(0);
    }
  }
  template <class T>
  static bool put_number(InRule& state, std::size_t at, T number) {
    put(state, at, std::as_bytes(std::span(&number, 1)));
    return true;
  }
  /// A register with an unmodelled content of at most 16 bytes.
  static bool put_unknown(InRule& state, std::size_t at, std::size_t size = kInterfaceNameBytes) {
    for (std::size_t i = at; i < std::min(kRegisterBytes, at + size); ++i) state.registers[i] = {};
    return true;
  }

  bool step(const Meta& meta, InRule& state) {
    source_name_ = name_of(meta);
    const bool comes = !shape_.leaves;
    switch (meta.key) {
      case NFT_META_PROTOCOL:
        return put_number(state, meta.to, htons(ether_type()));
      case NFT_META_NFPROTO:
        return put_number(state, meta.to, protocol_family());
      case NFT_META_L4PROTO:
        // nft_meta.c: the rule ends for a packet without one.
        if (shape_.arp != 0) return done(state);
        return put_number(state, meta.to, shape_.protocol);
      case NFT_META_PKTTYPE:
        if (shape_.multicast && !comes) break;
        return put_number(
            state, meta.to,
            static_cast<std::uint8_t>(shape_.multicast ? PACKET_MULTICAST : PACKET_HOST));
      case NFT_META_IIF:
      case NFT_META_OIF:
        if ((meta.key == NFT_META_IIF) != comes) return put_number(state, meta.to, 0U);
        if (shape_.interface_index == 0) break;
        return put_number(state, meta.to, shape_.interface_index);
      case NFT_META_IIFNAME:
      case NFT_META_OIFNAME:
        if ((meta.key == NFT_META_IIFNAME) != comes) return put_name(state, meta.to, {});
        // Without a name it may be any.
        if (shape_.interface.empty()) break;
        return put_name(state, meta.to, shape_.interface);
      case NFT_META_MARK:
        return put_mark(state, meta.to, state.packets.mark);
      default:
        break;
    }
    return put_unknown(state, meta.to);
  }

  std::uint16_t ether_type() const {
    if (shape_.arp != 0) return ETH_P_ARP;
    return static_cast<std::uint16_t>(shape_.ipv6 ? ETH_P_IPV6 : ETH_P_IP);
  }
  std::uint8_t protocol_family() const {
    if (base_.family == NFPROTO_NETDEV) return NFPROTO_NETDEV;
    if (shape_.arp != 0) return NFPROTO_ARP;
    return static_cast<std::uint8_t>(shape_.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
  }

  /// The rule ends for the packets.
  bool done(InRule& state) {
    emit_next(std::move(state.packets));
    return false;
  }

  static bool put_mark(InRule& state, std::size_t at, const Mark& mark) {
    const auto value = std::as_bytes(std::span(&mark.value, 1));
    const auto known = std::as_bytes(std::span(&mark.known, 1));
    for (std::size_t i = 0; i < value.size(); ++i) {
      state.registers[at + i] = Byte::of(std::to_integer<std::uint8_t>(value[i]),
                                         std::to_integer<std::uint8_t>(known[i]));
    }
    return true;
  }
  static Mark mark_in(const InRule& state, std::size_t at) {
    std::array<std::uint8_t, sizeof(std::uint32_t)> value{};
    std::array<std::uint8_t, sizeof(std::uint32_t)> known{};
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Byte& byte = state.registers[at + i];
      if (byte.is_field) continue;
      known[i] = byte.known;
      value[i] = byte.value & byte.known;
    }
    return {std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(known)};
  }
  /// A value that may or may not have been set is unknown from here on.
  static void set_mark(const InRule& state, Mark& mark, Mark set) {
    if (state.doubt) set.known &= mark.known & ~(mark.value ^ set.value);
    set.value &= set.known;
    mark = set;
  }
  bool step(const MetaSet& set, InRule& state) {
    set_mark(state, state.packets.mark, mark_in(state, set.from));
    return true;
  }
  bool step(const CtSet& set, InRule& state) {
    if (set.key == NFT_CT_ZONE) return put_into_zone(state);
    const std::uint32_t connection = connection_state(state.packets);
    if (connection == 0 || has_connection(connection)) {
      set_mark(state, state.packets.connection_mark, mark_in(state, set.from));
    }
    return true;
  }

  /// Its connection is one of that zone. Whether the answer is looked up there, too, is not known.
  bool put_into_zone(InRule& state) const {
    // nft_ct.c, nft_ct_set_zone_eval(): a packet that has a connection keeps it.
    if (is_tracked_in(base_) != true) state.packets.tracking = Tracking::unknown;
    return true;
  }

  static bool put_name(InRule& state, std::size_t at, const std::string& name) {
    ByteString bytes(kInterfaceNameBytes);
    std::memcpy(bytes.data(), name.data(), std::min(name.size(), kInterfaceNameBytes - 1));
    put(state, at, bytes);
    return true;
  }

  bool step(const Payload& payload, InRule& state) {
    source_name_ = name_of(payload);
    for (std::size_t i = 0; i < payload.length; ++i) {
      state.registers[payload.to + i] =
          header_byte(shape_, payload.base, payload.offset + static_cast<std::uint32_t>(i));
    }
    // nft_payload.c: the rest of the last word is zero.
    const std::size_t end =
        std::min(kRegisterBytes, (payload.length + std::size_t{3}) & ~std::size_t{3});
    for (std::size_t i = payload.length; i < end && payload.to + i < kRegisterBytes; ++i) {
      state.registers[payload.to + i] = Byte::of(0);
    }
    return true;
  }

  bool step(const Ct& ct, InRule& state) {
    source_name_ = name_of(ct);
    const std::uint32_t connection = connection_state(state.packets);
    if (ct.key == NFT_CT_STATE) {
      if (connection != 0) return put_number(state, ct.to, connection);
      return put_unknown(state, ct.to);
    }
    // nft_ct.c: the rule ends for a packet without a connection.
    if (connection != 0 && !has_connection(connection)) return done(state);
    if (connection != 0 && put_connection(ct, state)) return true;
    // It also ends unless another connection, with a helper, expected this one.
    if (ct.key == NFT_CT_HELPER && connection != 0) return done(state);
    if (connection == 0) doubt(state, ct);
    return put_unknown(state, ct.to, 4 * sizeof(std::uint32_t));
  }

  /// The known part of an existing connection.
  bool put_connection(const Ct& ct, InRule& state) {
    const bool answers = shape_.connection == Connection::reply;
    switch (ct.key) {
      case NFT_CT_DIRECTION:
        return put_number(
            state, ct.to,
            static_cast<std::uint8_t>(answers ? IP_CT_DIR_REPLY : IP_CT_DIR_ORIGINAL));
      case NFT_CT_STATUS:
        return put_status(state, ct.to);
      case NFT_CT_MARK:
        return put_mark(state, ct.to, state.packets.connection_mark);
      case NFT_CT_L3PROTOCOL:
        return put_number(state, ct.to, protocol_family());
      case NFT_CT_PROTOCOL:
        return put_number(state, ct.to, shape_.protocol);
      default:
        break;
    }
    if (!ct.direction) return false;
    // The two directions of a connection without translation. If they were translated, the walk has
    // ended.
    const bool as_packet = (*ct.direction == IP_CT_DIR_REPLY) == answers;
    switch (ct.key) {
      case NFT_CT_SRC:
      case NFT_CT_SRC_IP:
      case NFT_CT_SRC_IP6:
        return put_field(state, ct.to, as_packet ? Field::source : Field::destination);
      case NFT_CT_DST:
      case NFT_CT_DST_IP:
      case NFT_CT_DST_IP6:
        return put_field(state, ct.to, as_packet ? Field::destination : Field::source);
      case NFT_CT_PROTO_SRC:
        return has_ports() &&
               put_field(state, ct.to, as_packet ? Field::source_port : Field::destination_port);
      case NFT_CT_PROTO_DST:
        return has_ports() &&
               put_field(state, ct.to, as_packet ? Field::destination_port : Field::source_port);
      default:
        return false;
    }
  }

  bool has_ports() const {
    return shape_.protocol == IPPROTO_TCP || shape_.protocol == IPPROTO_UDP;
  }
  bool put_field(InRule& state, std::size_t at, Field field) const {
    for (std::size_t i = 0; i < std::min(shape_.size_of(field), kRegisterBytes - at); ++i) {
      state.registers[at + i] = Byte::of(field, i);
    }
    return true;
  }

  /// A packet without an answer has passed only, perhaps, the hooks of address translation. If they
  /// changed it, the walk has ended.
  bool put_status(InRule& state, std::size_t at) const {
    const bool fresh = shape_.connection == Connection::fresh;
    const std::uint32_t is = fresh ? 0 : IPS_SEEN_REPLY | IPS_CONFIRMED;
    const std::uint32_t open = IPS_SRC_NAT_DONE | IPS_DST_NAT_DONE | (fresh ? 0 : IPS_ASSURED);
    return put_mark(state, at, {is, ~open});
  }

  bool step(const Exthdr& header, InRule& state) {
    source_name_ = name_of(header);
    // Walked packets have neither extension headers nor IPv4 options.
    if (header.op == NFT_EXTHDR_OP_IPV6 || header.op == NFT_EXTHDR_OP_IPV4) {
      return header.only_presence ? put_number(state, header.to, 0U) : done(state);
    }
    if (!header.only_presence) doubt(state, header);
    return put_unknown(state, header.to);
  }

  bool step(const Fib& fib, InRule& state) {
    source_name_ = "fib";
    const Field field = (fib.flags & NFTA_FIB_F_DADDR) != 0 ? Field::destination : Field::source;
    const bool by_interface = (fib.flags & (NFTA_FIB_F_IIF | NFTA_FIB_F_OIF)) != 0;
    if (fib.result == NFT_FIB_RESULT_ADDRTYPE) return put_type(fib, field, state);
    const bool known_result =
        fib.result == NFT_FIB_RESULT_OIF || fib.result == NFT_FIB_RESULT_OIFNAME;
    if (!known_result || !by_interface || shape_.leaves) return put_unknown(state, fib.to);
    RouteQuestion question{field, 0, (fib.flags & NFTA_FIB_F_MARK) != 0};
    if (is_link_local(shape_.ipv6, state.packets[field])) {
      question.interface = shape_.interface_index;
    }
    for (auto& part : divide_by_routes(index_.routes(), shape_, state.packets, question)) {
      InRule one = state;
      one.packets = std::move(part.packets);
      const auto leaves = leaves_by(part.answer, shape_.ipv6, shape_.interface_index);
      if (!leaves) {
        put_unknown(one, fib.to);
      } else if ((fib.flags & NFTA_FIB_F_PRESENT) != 0) {
        put_number(one, fib.to, *leaves ? 1U : 0U);
      } else if (fib.result == NFT_FIB_RESULT_OIF) {
        put_number(one, fib.to, *leaves ? shape_.interface_index : 0U);
      } else {
        put_name(one, fib.to, *leaves ? shape_.interface : std::string());
      }
      // A comparison that needs it gets its name.
      one.source = source_name_;
      ++one.at;
      pending_.push_back(std::move(one));
    }
    return false;
  }

  /// Loads "fib saddr type" or "fib daddr type".
  bool put_type(const Fib& fib, Field field, InRule& state) {
    const bool own = (field == Field::destination) != shape_.leaves;
    if (field == Field::destination && shape_.multicast) {
      return put_number(state, fib.to, std::uint32_t{RTN_MULTICAST});
    }
    // An address of this node, or of the interface if the rule asks for that.
    if (own) return put_number(state, fib.to, std::uint32_t{RTN_LOCAL});
    RouteQuestion question{field, 0, false};
    if (is_link_local(shape_.ipv6, state.packets[field])) {
      question.interface = shape_.interface_index;
    }
    for (auto& part : divide_by_routes(index_.routes(), shape_, state.packets, question)) {
      InRule one = state;
      one.packets = std::move(part.packets);
      const auto type = address_type(part.answer, shape_.ipv6);
      if (type) {
        put_number(one, fib.to, *type);
      } else {
        put_unknown(one, fib.to);
      }
      one.source = source_name_;
      ++one.at;
      pending_.push_back(std::move(one));
    }
    return false;
  }

  bool step(const Load& load, InRule& state) {
    source_name_ = load.name;
    // Some of these end the rule when there is nothing to load.
    doubt(state, load);
    return put_unknown(state, load.to);
  }

  bool step(const Immediate& immediate, InRule& state) {
    put(state, immediate.to, immediate.data);
    return true;
  }

  bool step(const Bitwise& bitwise, InRule& state) {
    for (std::size_t i = 0; i < bitwise.length; ++i) {
      if (bitwise.mask.empty()) {
        state.registers[bitwise.to + i] = {};
        continue;
      }
      Byte byte = state.registers[bitwise.from + i];
      const auto mask = std::to_integer<std::uint8_t>(bitwise.mask[i]);
      const auto flip = std::to_integer<std::uint8_t>(bitwise.flip[i]);
      byte.value = static_cast<std::uint8_t>((byte.value & mask) ^ flip);
      if (byte.is_field) {
        byte.mask = static_cast<std::uint8_t>(byte.mask & mask);
        if (byte.mask == 0) byte = Byte::of(byte.value);
      } else {
        byte.known = static_cast<std::uint8_t>(byte.known | ~mask);
      }
      state.registers[bitwise.to + i] = byte;
    }
    return true;
  }

  bool step(const Byteorder& order, InRule& state) {
    const bool known = order.size == 2 || order.size == 4 || order.size == 8;
    if (!known) return put_unknown(state, order.to, order.length);
    Registers turned = state.registers;
    // nft_byteorder.c ignores anything smaller than a whole word, such as nft's own meta l4proto in
    // a concatenation.
    const std::size_t whole = order.length - order.length % order.size;
    for (std::size_t i = 0; i < whole; ++i) {
      const std::size_t word = i / order.size * order.size;
      // In either direction, the bytes of a little-endian machine are reversed.
      const std::size_t from =
          std::endian::native == std::endian::little ? word + order.size - 1 - (i - word) : i;
      turned[order.to + i] = state.registers[order.from + from];
    }
    state.registers = turned;
    return true;
  }

  bool step(const Cmp& cmp, InRule& state) {
    if (cmp.op == NFT_CMP_EQ || cmp.op == NFT_CMP_NEQ) {
      std::vector<Part> parts;
      for (const auto& [at, size] : pieces(state.registers, cmp.from, cmp.data.size())) {
        const U128 value = number_of(kernel::Bytes(cmp.data).subspan(at - cmp.from, size));
        parts.push_back({at, size, Ranges(Interval{value, value})});
      }
      Split split = divide(shape_, state.packets, state.registers, parts);
      if (cmp.op == NFT_CMP_NEQ) split = inverted(std::move(split));
      return go_on_with(std::move(split), state, cmp);
    }
    if (cmp.data.size() > sizeof(U128)) return go_on_with({}, state, cmp);
    const U128 value = number_of(cmp.data);
    const U128 last = ones(static_cast<unsigned>(cmp.data.size()) * 8);
    Interval wanted{0, last};
    bool none = false;
    switch (cmp.op) {
      case NFT_CMP_LT:
        none = value == 0;
        wanted.last = value - 1;
        break;
      case NFT_CMP_LTE:
        wanted.last = value;
        break;
      case NFT_CMP_GT:
        none = value == last;
        wanted.first = value + 1;
        break;
      default:
        wanted.first = value;
        break;
    }
    const Ranges values = none ? Ranges() : Ranges(wanted);
    return go_on_with(
        divide(shape_, state.packets, state.registers, {{cmp.from, cmp.data.size(), values}}),
        state, cmp);
  }

  bool step(const Range& range, InRule& state) {
    if (range.first.size() > sizeof(U128)) return go_on_with({}, state, range);
    const Ranges wanted(std::vector<Interval>{{number_of(range.first), number_of(range.last)}});
    Split split =
        divide(shape_, state.packets, state.registers, {{range.from, range.first.size(), wanted}});
    return go_on_with(range.inverted ? inverted(std::move(split)) : std::move(split), state, range);
  }

  bool step(const Update& update, InRule& state) { return step(Opaque{name_of(update)}, state); }
  bool step(const Opaque& opaque, InRule& state) {
    source_name_ = opaque.name;
    doubt(state, opaque);
    // It may also have loaded something.
    state.registers.fill({});
    return true;
  }
  bool step(const Passive&, InRule&) { return true; }
  bool step(const Notrack&, InRule& state) {
    // nft_ct.c, nft_notrack_eval(): a packet that has a connection keeps it.
    const auto tracked = is_tracked_in(base_);
    if (tracked == true) return true;
    const bool sure = !state.doubt && tracked.has_value();
    state.packets.tracking = sure ? Tracking::untracked : Tracking::unknown;
    return true;
  }
  bool step(const Reject&, InRule& state) {
    emit(state, Outcome::Effect::rejected);
    return false;
  }
  bool step(const Diversion& diversion, InRule& state) {
    // nf_nat_masquerade.c: an outgoing packet gets an address of its outgoing interface.
    if (shape_.leaves && (diversion.name == "masq" || diversion.name == "target MASQUERADE")) {
      if (!state.doubt) state.packets.translated = true;
      emit(state, Outcome::Effect::judged, {NF_ACCEPT, {}});
      return false;
    }
    divert(state, diversion.name);
    return false;
  }
  bool step(const Judgement& judgement, InRule& state) { return judge(judgement, state); }

  bool judge(const Judgement& judgement, InRule& state) {
    if (judgement.code == NFT_CONTINUE) return true;
    emit(state, Outcome::Effect::judged, judgement);
    return false;
  }

  bool step(const XtMatch& match, InRule& state) {
    source_name_ = name_of(match);
    const XtContext context{shape_, connection_state(state.packets), index_.routes()};
    return go_on_with(divide_by_match(context, state.packets, match), state, match);
  }
  bool step(const XtTarget& target, InRule& state) {
    if (marks_connections(target)) state.packets.connection_mark = {0, 0};
    if (const auto mark = mark_of(target, state.packets)) {
      set_mark(state, state.packets.mark, *mark);
      return true;
    }
    switch (effect_of(target)) {
      case TargetEffect::none:
        return true;
      case TargetEffect::notrack:
        return step(Notrack{}, state);
      case TargetEffect::zone:
        return put_into_zone(state);
      case TargetEffect::reject:
        return step(Reject{}, state);
      case TargetEffect::diversion:
        break;
    }
    return step(Diversion{name_of(target)}, state);
  }

  // --- Sets --------------------------------------------------------------------------------------

  bool step(const Lookup& lookup, InRule& state) {
    const NfSet* set = find_set(index_.ruleset(), rule_.family, rule_.table, lookup.set, lookup.id);
    const ReadySet* ready = set != nullptr ? &index_.ready(*set) : nullptr;
    if (ready == nullptr || !ready->modelled || lookup.from + set->key_bytes > kRegisterBytes) {
      return unknown_lookup(lookup, state);
    }
    if (!lookup.is_map) {
      // nft_lookup_eval() of Linux 6.1 and 6.12 also gives members of the set to the catch-all
      // element.
      if (ready->catch_all != nullptr && lookup.inverted) return unknown_lookup(lookup, state);
      if (const auto split = divide_plainly(*ready, *set, lookup, state)) {
        return go_on_with(lookup.inverted ? inverted(*split) : *split, state, lookup);
      }
    }
    return look_up(*ready, *set, lookup, state);
  }

  /// A lookup whose result may be any data in the set.
  bool unknown_lookup(const Lookup& lookup, InRule& state) {
    source_name_.clear();
    doubt(state, lookup);
    if (!lookup.is_map) return true;
    if (lookup.to == kVerdictRegister) {
      divert(state, name_of(lookup));
      return false;
    }
    return put_unknown(state, lookup.to);
  }

  /// A lookup in a plain set, with one field or one constant as the key.
  std::optional<Split> divide_plainly(const ReadySet& ready, const NfSet& set, const Lookup& lookup,
                                      const InRule& state) const {
    if (set.key_bytes > sizeof(U128) || ready.field_sizes.size() > 1 || ready.groups.size() > 1 ||
        ready.catch_all != nullptr) {
      return std::nullopt;
    }
    if (pieces(state.registers, lookup.from, set.key_bytes).size() != 1) return std::nullopt;
    if (ready.groups.empty()) return Split{Split::Answer::no, {}, {}};
    if (ready.groups[0].element->has_expressions) return std::nullopt;
    return divide(shape_, state.packets, state.registers,
                  {{lookup.from, set.key_bytes, ready.groups[0].keys}});
  }

  /// One condition of a lookup, and the element that matches it.
  struct Candidate {
    std::vector<Part> parts;
    const NfElement* element = nullptr;
  };

  std::vector<Candidate> candidates(const ReadySet& ready, const NfSet& set, const Lookup& lookup,
                                    const InRule& state) const {
    std::vector<Candidate> out;
    if (!ready.groups.empty() && pieces(state.registers, lookup.from, set.key_bytes).size() == 1) {
      for (const auto& group : ready.groups) {
        out.push_back({{{lookup.from, set.key_bytes, group.keys}}, group.element});
      }
      return out;
    }
    // The fields of a concatenation are at multiples of four bytes.
    std::vector<std::pair<std::size_t, std::size_t>> fields;
    if (ready.field_sizes.size() > 1) {
      std::size_t at = lookup.from;
      for (const std::size_t size : ready.field_sizes) {
        fields.emplace_back(at, size);
        at += (size + 3) & ~std::size_t{3};
      }
    } else {
      fields = pieces(state.registers, lookup.from, set.key_bytes);
    }
    for (const KeyRange& range : ready.ranges) {
      Candidate candidate{{}, range.element};
      for (const auto& [at, size] : fields) {
        const std::size_t offset = at - lookup.from;
        if (size > sizeof(U128) || offset + size > set.key_bytes) return {};
        const Interval wanted{number_of(kernel::Bytes(range.first).subspan(offset, size)),
                              number_of(kernel::Bytes(range.last).subspan(offset, size))};
        candidate.parts.push_back({at, size, Ranges(std::vector<Interval>{wanted})});
      }
      out.push_back(std::move(candidate));
    }
    return out;
  }

  /// Goes through the elements: packets that match one continue with its data; for packets that
  /// match none, the rule ends.
  bool look_up(const ReadySet& ready, const NfSet& set, const Lookup& lookup, InRule& state) {
    const auto asked = candidates(ready, set, lookup, state);
    if (asked.empty() && !ready.ranges.empty()) return unknown_lookup(lookup, state);
    std::vector<Packets> rest{state.packets};
    std::vector<std::pair<Packets, const NfElement*>> hits;
    for (const Candidate& candidate : asked) {
      std::vector<Packets> left;
      for (Packets& packets : rest) {
        Split split = divide(shape_, packets, state.registers, candidate.parts);
        switch (split.answer) {
          case Split::Answer::unknown:
            return unknown_lookup(lookup, state);
          case Split::Answer::yes:
            hits.emplace_back(std::move(packets), candidate.element);
            break;
          case Split::Answer::no:
            left.push_back(std::move(packets));
            break;
          case Split::Answer::part:
            for (auto& yes : split.yes) hits.emplace_back(std::move(yes), candidate.element);
            for (auto& no : split.no) left.push_back(std::move(no));
            break;
        }
      }
      rest = std::move(left);
      if (rest.size() + hits.size() > kMostPieces) return unknown_lookup(lookup, state);
    }
    if (ready.catch_all != nullptr) {
      for (Packets& packets : rest) hits.emplace_back(std::move(packets), ready.catch_all);
      rest.clear();
    }
    if (lookup.inverted) {
      for (auto& [packets, element] : hits) emit_next(std::move(packets));
      for (Packets& packets : rest) push_on(state, std::move(packets));
      return false;
    }
    for (Packets& packets : rest) emit_next(std::move(packets));
    for (auto& [packets, element] : hits) {
      InRule one = state;
      one.packets = std::move(packets);
      if (element->has_expressions) doubt(one, lookup);
      if (lookup.is_map && lookup.to != kVerdictRegister) {
        if (lookup.to + element->data.size() > kRegisterBytes) return unknown_lookup(lookup, state);
        put(one, lookup.to, element->data);
      }
      if (lookup.is_map && lookup.to == kVerdictRegister &&
          !judge(decode_judgement(element->data), one)) {
        continue;
      }
      ++one.at;
      pending_.push_back(std::move(one));
    }
    return false;
  }

  void push_on(const InRule& state, Packets packets) {
    InRule one = state;
    one.packets = std::move(packets);
    ++one.at;
    pending_.push_back(std::move(one));
  }

  const NfRule& rule_;
  const NfChain& base_;
  const Shape& shape_;
  RuleIndex& index_;
  std::vector<InRule> pending_;
  std::vector<Outcome> outcomes_;
  std::string source_name_;  ///< the last load
};

}  // namespace

bool is_egress(const NfChain& chain) {
  return chain.family == NFPROTO_NETDEV && chain.hook->number == NF_NETDEV_EGRESS;
}

bool is_ingress(const NfChain& chain) {
  return (chain.family == NFPROTO_NETDEV && chain.hook->number == NF_NETDEV_INGRESS) ||
         (chain.family == NFPROTO_INET && chain.hook->number == NF_INET_INGRESS);
}

std::vector<Outcome> outcomes_of(const NfRule& rule, const NfChain& base, const Packets& packets,
                                 const Shape& shape, RuleIndex& index, std::size_t& steps) {
  return Matching(rule, base, shape, index).run(packets, steps);
}

}  // namespace nettune::firewall
