// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/xt.hpp"

#include <algorithm>
#include <functional>
#include <linux/if_packet.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_helper.h>
#include <linux/netfilter/xt_iprange.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_pkttype.h>
#include <linux/netfilter/xt_rpfilter.h>
#include <linux/netfilter/xt_state.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netfilter_ipv6/ip6t_hl.h>
#include <linux/rtnetlink.h>

#include "firewall/rules/xt_target.hpp"
#include "firewall/walk/connection_state.hpp"
#include "firewall/walk/fib.hpp"
#include "firewall/walk/ip_set_match.hpp"

namespace nettune::firewall::walk {
namespace {

// ip_tables.h: any type.
constexpr std::uint8_t kAnyIcmpType = 0xFF;

Split answer(bool yes) { return {yes ? Split::Answer::yes : Split::Answer::no, {}, {}}; }

template <class T>
std::optional<T> info_of(const rules::XtMatch& match) {
  return kernel::value_of<T>(match.info);
}

rules::Ranges ports(std::uint16_t first, std::uint16_t last) {
  return rules::Ranges(rules::Interval{first, last});
}

/// Combines two conditions: applies the second to the packets of the first.
Split both(Split first, const std::function<Split(const Packets&)>& second,
           const Packets& packets) {
  using Answer = Split::Answer;
  if (first.answer == Answer::no) return first;
  if (first.answer == Answer::yes) return second(packets);
  if (first.answer == Answer::unknown) {
    return second(packets).answer == Answer::no ? answer(false) : Split{};
  }
  std::vector<Packets> yes;
  for (const Packets& one : first.yes)
    if (!sort_into(yes, first.no, second(one), one)) return {};
  return split_of(std::move(yes), std::move(first.no));
}

/// Ports of both directions, as in "tcp" and "udp".
Split by_ports(const Shape& shape, const Packets& packets, const std::uint16_t (&source)[2],
               const std::uint16_t (&destination)[2], bool not_source, bool not_destination) {
  return both(
      divide_by_field(shape, packets, Field::source_port, ports(source[0], source[1]), not_source),
      [&](const Packets& rest) {
        return divide_by_field(shape, rest, Field::destination_port,
                               ports(destination[0], destination[1]), not_destination);
      },
      packets);
}

Split tcp(const Shape& shape, const Packets& packets, const rules::XtMatch& match) {
  const auto info = info_of<xt_tcp>(match);
  if (!info || match.revision != 0) return {};
  if (shape.protocol != IPPROTO_TCP) return answer(false);
  Split split;
  // A condition on an option cannot be decided for a SYN.
  if (info->option != 0) return {};
  const std::uint8_t mask = info->flg_mask;
  const std::uint8_t known = mask & shape.tcp_flags_known();
  const bool differs =
      ((shape.tcp_flags() ^ info->flg_cmp) & known) != 0 || (info->flg_cmp & ~mask) != 0;
  const bool open = !differs && known != mask;
  if (open) return {};
  const bool not_flags = (info->invflags & XT_TCP_INV_FLAGS) != 0;
  if (differs != not_flags) return answer(false);
  return by_ports(shape, packets, info->spts, info->dpts, (info->invflags & XT_TCP_INV_SRCPT) != 0,
                  (info->invflags & XT_TCP_INV_DSTPT) != 0);
}

Split udp(const Shape& shape, const Packets& packets, const rules::XtMatch& match) {
  const auto info = info_of<xt_udp>(match);
  if (!info || match.revision != 0) return {};
  if (shape.protocol != IPPROTO_UDP) return answer(false);
  return by_ports(shape, packets, info->spts, info->dpts, (info->invflags & XT_UDP_INV_SRCPT) != 0,
                  (info->invflags & XT_UDP_INV_DSTPT) != 0);
}

Split multiport(const Shape& shape, const Packets& packets, const rules::XtMatch& match) {
  const auto info = info_of<xt_multiport_v1>(match);
  if (!info || match.revision != 1 || info->count > XT_MULTI_PORTS) return {};
  if (shape.protocol != IPPROTO_TCP && shape.protocol != IPPROTO_UDP) return answer(false);
  if (info->flags == XT_MULTIPORT_EITHER) return {};
  std::vector<rules::Interval> intervals;
  for (std::size_t i = 0; i < info->count; ++i) {
    const bool range = info->pflags[i] != 0 && i + 1 < info->count;
    intervals.push_back({info->ports[i], info->ports[range ? i + 1 : i]});
    if (range) ++i;
  }
  const Field field =
      info->flags == XT_MULTIPORT_SOURCE ? Field::source_port : Field::destination_port;
  return divide_by_field(shape, packets, field, rules::Ranges(std::move(intervals)),
                         info->invert != 0);
}

// xt_conntrack.h and xt_state.h number an untracked packet differently.
Split by_states(std::uint32_t connection, std::uint32_t states, std::uint32_t untracked,
                bool not_states, bool translated = false) {
  if (connection == 0) return {};
  std::uint32_t state = connection == NF_CT_STATE_UNTRACKED_BIT ? untracked : connection;
  if (translated) state |= XT_CONNTRACK_STATE_DNAT;
  return answer(((states & state) != 0) != not_states);
}

/// The addresses of a rule, with their mask.
rules::Ranges masked(bool ipv6, const nf_inet_addr& address, const nf_inet_addr& mask) {
  const rules::U128 number = number_of(address, ipv6);
  const rules::U128 low = rules::ones(rules::address_bytes(ipv6) * 8) & ~number_of(mask, ipv6);
  // A mask with holes is not a range.
  if ((low & (low + 1)) != 0) return {};
  return rules::Ranges(rules::Interval{number & ~low, number | low});
}

/// The conditions of "conntrack", in any revision.
struct ConntrackQuestion {
  std::uint32_t flags = 0;
  std::uint32_t inverted = 0;
  std::uint32_t states = 0;
  nf_inet_addr address[4][2]{};  ///< address and mask: original source and destination, reply
};

template <class Info>
std::optional<ConntrackQuestion> conntrack_question(const rules::XtMatch& match) {
  const auto info = info_of<Info>(match);
  if (!info) return std::nullopt;
  return ConntrackQuestion{info->match_flags,
                           info->invert_flags,
                           info->state_mask,
                           {{info->origsrc_addr, info->origsrc_mask},
                            {info->origdst_addr, info->origdst_mask},
                            {info->replsrc_addr, info->replsrc_mask},
                            {info->repldst_addr, info->repldst_mask}}};
}

/// xt_conntrack.c, conntrack_mt(): all conditions must hold.
Split conntrack(const XtContext& context, const Packets& packets, const rules::XtMatch& match) {
  // Up to revision 3 the structure only grew at its end, except for the width of the two masks.
  auto question = match.revision == 1 ? conntrack_question<xt_conntrack_mtinfo1>(match)
                  : match.revision == 2 || match.revision == 3
                      ? conntrack_question<xt_conntrack_mtinfo2>(match)
                      : std::nullopt;
  if (!question) return {};
  // How iptables marks "-m state", which it shows again as such.
  question->flags &= ~std::uint32_t{XT_CONNTRACK_STATE_ALIAS};
  constexpr std::uint32_t kAddresses[] = {XT_CONNTRACK_ORIGSRC, XT_CONNTRACK_ORIGDST,
                                          XT_CONNTRACK_REPLSRC, XT_CONNTRACK_REPLDST};
  std::uint32_t modelled = XT_CONNTRACK_STATE | XT_CONNTRACK_DIRECTION;
  for (const std::uint32_t flag : kAddresses) modelled |= flag;
  const bool translated = has_connection(context.connection) && !packets.other_own.empty();
  const auto asks = [&](std::uint32_t flag) { return (question->flags & flag) != 0; };
  const auto inverts = [&](std::uint32_t flag) { return (question->inverted & flag) != 0; };
  if (asks(XT_CONNTRACK_STATE)) {
    Split by_state = by_states(context.connection, question->states, XT_CONNTRACK_STATE_UNTRACKED,
                               inverts(XT_CONNTRACK_STATE), translated);
    if (by_state.answer != Split::Answer::yes) return by_state;
  }
  if (question->flags == XT_CONNTRACK_STATE) return answer(true);
  if (context.connection == 0) return {};
  if (!has_connection(context.connection)) return answer(asks(XT_CONNTRACK_STATE));
  if ((question->flags & ~modelled) != 0) return {};
  const bool answers = context.shape.connection == Connection::reply;
  if (asks(XT_CONNTRACK_DIRECTION) && answers != inverts(XT_CONNTRACK_DIRECTION)) {
    return answer(false);
  }
  Split split = answer(true);
  for (std::size_t i = 0; i < std::size(kAddresses); ++i) {
    if (!asks(kAddresses[i])) continue;
    if (translated) return {};
    // The source and destination of the connection's first packet, and those of the reply.
    const bool of_original = i < 2;
    const bool is_source = i % 2 == 0;
    const Field field = (of_original != answers) == is_source ? Field::source : Field::destination;
    const rules::Ranges wanted =
        masked(context.shape.ipv6, question->address[i][0], question->address[i][1]);
    if (wanted.empty()) return {};
    split = both(
        std::move(split),
        [&](const Packets& rest) {
          return divide_by_field(context.shape, rest, field, wanted, inverts(kAddresses[i]));
        },
        packets);
  }
  return split;
}

Split state(const XtContext& context, const rules::XtMatch& match) {
  const auto info = info_of<xt_state_info>(match);
  if (!info) return {};
  return by_states(context.connection, info->statemask, XT_STATE_UNTRACKED, false);
}

/// "mark" and "connmark" have the same structure.
Split by_mark(const Mark& mark, const rules::XtMatch& match) {
  const auto info = info_of<xt_mark_mtinfo1>(match);
  if (!info || match.revision != 1) return {};
  const bool differs = ((mark.value & info->mask) ^ info->mark) & (mark.known | ~info->mask);
  if (!differs && (info->mask & ~mark.known) != 0) return {};
  return answer(differs == (info->invert != 0));
}

Split connmark(const XtContext& context, const Packets& packets, const rules::XtMatch& match) {
  if (context.connection == 0) return {};
  if (!has_connection(context.connection)) return answer(false);
  return by_mark(packets.connection_mark, match);
}

/// xt_helper.c matches the helper of the connection that expected this one. There was none.
Split helper(const rules::XtMatch& match) {
  const auto info = info_of<xt_helper_info>(match);
  return info ? answer(info->invert != 0) : Split{};
}

Split iprange(const Shape& shape, const Packets& packets, const rules::XtMatch& match) {
  const auto info = info_of<xt_iprange_mtinfo>(match);
  if (!info || match.revision != 1) return {};
  const auto by = [&](const Packets& some, Field field, const nf_inet_addr& first,
                      const nf_inet_addr& last, int invert) {
    const rules::Interval wanted{number_of(first, shape.ipv6), number_of(last, shape.ipv6)};
    return divide_by_field(shape, some, field, rules::Ranges(std::vector<rules::Interval>{wanted}),
                           (info->flags & invert) != 0);
  };
  Split split = answer(true);
  if ((info->flags & IPRANGE_SRC) != 0) {
    split = by(packets, Field::source, info->src_min, info->src_max, IPRANGE_SRC_INV);
  }
  if ((info->flags & IPRANGE_DST) == 0) return split;
  return both(
      std::move(split),
      [&](const Packets& rest) {
        return by(rest, Field::destination, info->dst_min, info->dst_max, IPRANGE_DST_INV);
      },
      packets);
}

/// xt_rpfilter: whether answers would leave by the packets' incoming interface.
Split reverse_path(const XtContext& context, const Packets& packets, const rules::XtMatch& match) {
  const auto info = info_of<xt_rpfilter_info>(match);
  if (!info || context.shape.leaves || (info->flags & XT_RPFILTER_LOOSE) != 0) return {};
  RouteQuestion question{Field::source, 0, (info->flags & XT_RPFILTER_VALID_MARK) != 0};
  // ip6t_rpfilter.c looks up routes of that interface only.
  if (context.shape.ipv6) question.interface = context.shape.interface_index;
  std::vector<Packets> yes;
  std::vector<Packets> no;
  for (auto& part : divide_by_routes(context.routes, context.shape, packets, question)) {
    const auto leaves = leaves_by(part.answer, context.shape.ipv6, context.shape.interface_index);
    if (!leaves) return {};
    (*leaves ? yes : no).push_back(std::move(part.packets));
  }
  Split split = split_of(std::move(yes), std::move(no));
  return (info->flags & XT_RPFILTER_INVERT) != 0 ? inverted(std::move(split)) : split;
}

/// Whether an address is of one of these types; peers and this node have unicast addresses.
std::optional<bool> is_of_type(const Shape& shape, std::uint16_t types, bool is_source,
                               bool of_interface) {
  constexpr auto bit = [](unsigned type) { return static_cast<std::uint16_t>(1U << type); };
  const bool own = is_source == shape.leaves;
  if (!is_source && shape.multicast) {
    if (shape.ipv6) return std::nullopt;
    return (types & bit(RTN_MULTICAST)) != 0;
  }
  if (of_interface) return std::nullopt;
  if (own) return (types & bit(RTN_LOCAL)) != 0;
  // xt_addrtype.c, match_type6(): "unicast" is any address but a group, "local" is this node's.
  if (shape.ipv6 && (types & ~(bit(RTN_LOCAL) | bit(RTN_MULTICAST))) != 0) return std::nullopt;
  return (types & bit(RTN_UNICAST)) != 0;
}

/// By the type of an address. IPv6 has several types for one address: only "local" is known.
Split addrtype(const Shape& shape, const rules::XtMatch& match) {
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
  bool not_source = false;
  bool not_destination = false;
  bool of_interface = false;
  if (match.revision == 0) {
    const auto info = info_of<xt_addrtype_info>(match);
    if (!info) return {};
    source = info->source;
    destination = info->dest;
    not_source = info->invert_source != 0;
    not_destination = info->invert_dest != 0;
  } else if (match.revision == 1) {
    // The types are XT_ADDRTYPE_*, which are the same bits.
    const auto info = info_of<xt_addrtype_info_v1>(match);
    if (!info) return {};
    source = info->source;
    destination = info->dest;
    not_source = (info->flags & XT_ADDRTYPE_INVERT_SOURCE) != 0;
    not_destination = (info->flags & XT_ADDRTYPE_INVERT_DEST) != 0;
    of_interface = (info->flags & (XT_ADDRTYPE_LIMIT_IFACE_IN | XT_ADDRTYPE_LIMIT_IFACE_OUT)) != 0;
  } else {
    return {};
  }
  bool unknown = false;
  const auto fails = [&](std::uint16_t types, bool is_source, bool inverts) {
    if (types == 0) return false;
    if (shape.ipv6 && (types & ~std::uint16_t{1U << RTN_LOCAL}) != 0) {
      unknown = true;
      return false;
    }
    const auto is = is_of_type(shape, types, is_source, of_interface);
    unknown = unknown || !is;
    return is && *is == inverts;
  };
  const bool no = fails(source, true, not_source) || fails(destination, false, not_destination);
  if (no) return answer(false);
  return unknown ? Split{} : answer(true);
}

Split icmp(const Shape& shape, const rules::XtMatch& match) {
  const bool six = match.name == "icmp6";
  if (shape.protocol != (six ? int{IPPROTO_ICMPV6} : int{IPPROTO_ICMP})) return answer(false);
  // The two structures have the same members.
  const auto info = info_of<ipt_icmp>(match);
  if (!info || match.revision != 0) return {};
  const bool same =
      (!six && info->type == kAnyIcmpType) || (info->type == shape.icmp_type && info->code[0] == 0);
  return answer(same != ((info->invflags & IPT_ICMP_INV) != 0));
}

Split pkttype(const Shape& shape, const rules::XtMatch& match) {
  const auto info = info_of<xt_pkttype_info>(match);
  if (!info || match.revision != 0 || shape.arp != 0) return {};
  if (shape.multicast && shape.leaves) return {};
  const int type = shape.multicast ? PACKET_MULTICAST : PACKET_HOST;
  return answer((info->pkttype == type) != (info->invert != 0));
}

/// The hop limit is known for neighbour discovery only.
Split hop_limit(const Shape& shape, const rules::XtMatch& match) {
  const auto info = info_of<ip6t_hl_info>(match);
  if (!info || match.revision != 0 || !shape.is_discovery()) return {};
  switch (info->mode) {
    case IP6T_HL_EQ:
      return answer(info->hop_limit == rules::kDiscoveryHopLimit);
    case IP6T_HL_NE:
      return answer(info->hop_limit != rules::kDiscoveryHopLimit);
    case IP6T_HL_LT:
      return answer(rules::kDiscoveryHopLimit < info->hop_limit);
    case IP6T_HL_GT:
      return answer(rules::kDiscoveryHopLimit > info->hop_limit);
    default:
      return {};
  }
}

// Matches of headers and protocols that walked packets never have.
constexpr std::string_view kAbsent[] = {"rt", "hbh", "dst",  "frag", "mh",    "srh",
                                        "ah", "esp", "dccp", "sctp", "ipcomp"};

}  // namespace

rules::U128 number_of(const nf_inet_addr& address, bool ipv6) {
  return rules::number_of(std::as_bytes(std::span(&address, 1)).first(rules::address_bytes(ipv6)));
}

Split divide_by_match(const XtContext& context, const Packets& packets,
                      const rules::XtMatch& match) {
  const Shape& shape = context.shape;
  if (match.name == "comment") return answer(true);
  if (match.name == "conntrack") return conntrack(context, packets, match);
  if (match.name == "state") return state(context, match);
  if (match.name == "tcp") return tcp(shape, packets, match);
  if (match.name == "udp") return udp(shape, packets, match);
  if (match.name == "multiport") return multiport(shape, packets, match);
  if (match.name == "addrtype") return addrtype(shape, match);
  if (match.name == "icmp" || match.name == "icmp6") return icmp(shape, match);
  if (match.name == "pkttype") return pkttype(shape, match);
  if (match.name == "hl") return hop_limit(shape, match);
  if (match.name == "mark") return by_mark(packets.mark, match);
  if (match.name == "connmark") return connmark(context, packets, match);
  if (match.name == "helper") return helper(match);
  if (match.name == "iprange") return iprange(shape, packets, match);
  if (match.name == "rpfilter") return reverse_path(context, packets, match);
  // Headers that walked packets do not have.
  if (std::find(std::begin(kAbsent), std::end(kAbsent), match.name) != std::end(kAbsent)) {
    return answer(false);
  }
  return {};
}

std::optional<Mark> mark_of(const rules::XtTarget& target, const Packets& packets) {
  if (target.name == "MARK") {
    const auto info = kernel::value_of<xt_mark_tginfo2>(target.info);
    if (!info || target.revision != 2) return Mark{0, 0};
    // xt_mark.c: the bits of the mask are cleared, and those of the mark flipped.
    const Mark now = packets.mark;
    return Mark{(now.value & ~info->mask) ^ (info->mark & (now.known | info->mask)),
                now.known | info->mask};
  }
  if (target.name == "CONNMARK") {
    const auto info = kernel::value_of<xt_connmark_tginfo1>(target.info);
    if (info && info->mode != XT_CONNMARK_RESTORE) return packets.mark;
    // The saved mark is only known to be possibly there.
    const bool none = packets.connection_mark == Mark{} && packets.mark == Mark{};
    return none ? Mark{} : Mark{0, 0};
  }
  if (rules::marks_by_ip_set(target)) return Mark{0, 0};
  return std::nullopt;
}

}  // namespace nettune::firewall::walk
