// SPDX-License-Identifier: Apache-2.0
#include "firewall/xt.hpp"

#include <algorithm>
#include <functional>
#include <linux/if_packet.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_pkttype.h>
#include <linux/netfilter/xt_state.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netfilter_ipv6/ip6t_hl.h>
#include <linux/rtnetlink.h>

namespace nettune::firewall {
namespace {

constexpr std::uint8_t kTcpUnknown = 0xC0;  // ECE and CWR
// ip_tables.h: any type.
constexpr std::uint8_t kAnyIcmpType = 0xFF;

Split answer(bool yes) { return {yes ? Split::Answer::yes : Split::Answer::no, {}, {}}; }

template <class T>
std::optional<T> info_of(const XtMatch& match) {
  return kernel::value_of<T>(match.info);
}

/// Divides by the values of one field.
Split by_field(const Shape& shape, const Packets& packets, Field field, Ranges values) {
  Registers registers{};
  const std::size_t size = shape.size_of(field);
  for (std::size_t i = 0; i < size; ++i) registers[i] = Byte::of(field, i);
  return divide(shape, packets, registers, {{0, size, std::move(values)}});
}

Ranges ports(std::uint16_t first, std::uint16_t last) { return Ranges(Interval{first, last}); }

/// Both conditions hold: of the packets within the first, those within the second.
Split both(Split first, const std::function<Split(const Packets&)>& second,
           const Packets& packets) {
  using Answer = Split::Answer;
  if (first.answer == Answer::no) return first;
  if (first.answer == Answer::yes) return second(packets);
  if (first.answer == Answer::unknown) {
    return second(packets).answer == Answer::no ? answer(false) : Split{};
  }
  Split out{Answer::part, {}, std::move(first.no)};
  for (const Packets& one : first.yes) {
    Split split = second(one);
    if (split.answer == Answer::unknown) return {};
    if (split.answer == Answer::yes) out.yes.push_back(one);
    if (split.answer == Answer::no) out.no.push_back(one);
    for (auto& yes : split.yes) out.yes.push_back(std::move(yes));
    for (auto& no : split.no) out.no.push_back(std::move(no));
  }
  return out.yes.empty() ? answer(false) : out;
}

/// Ports of both directions, as "tcp" and "udp" have them.
Split by_ports(const Shape& shape, const Packets& packets, const std::uint16_t (&source)[2],
               const std::uint16_t (&destination)[2], bool not_source, bool not_destination) {
  Split first = by_field(shape, packets, Field::source_port, ports(source[0], source[1]));
  if (not_source) first = inverted(std::move(first));
  return both(
      std::move(first),
      [&](const Packets& rest) {
        Split second =
            by_field(shape, rest, Field::destination_port, ports(destination[0], destination[1]));
        return not_destination ? inverted(std::move(second)) : second;
      },
      packets);
}

Split tcp(const Shape& shape, const Packets& packets, const XtMatch& match) {
  const auto info = info_of<xt_tcp>(match);
  if (!info || match.revision != 0) return {};
  if (shape.protocol != IPPROTO_TCP) return answer(false);
  Split split;
  // An option that is asked for is beyond what is known of a SYN.
  if (info->option != 0) return {};
  const std::uint8_t mask = info->flg_mask;
  const bool differs =
      ((kTcpSyn ^ info->flg_cmp) & mask & ~kTcpUnknown) != 0 || (info->flg_cmp & ~mask) != 0;
  const bool open = !differs && (mask & kTcpUnknown) != 0;
  if (open) return {};
  const bool not_flags = (info->invflags & XT_TCP_INV_FLAGS) != 0;
  if (differs != not_flags) return answer(false);
  return by_ports(shape, packets, info->spts, info->dpts, (info->invflags & XT_TCP_INV_SRCPT) != 0,
                  (info->invflags & XT_TCP_INV_DSTPT) != 0);
}

Split udp(const Shape& shape, const Packets& packets, const XtMatch& match) {
  const auto info = info_of<xt_udp>(match);
  if (!info || match.revision != 0) return {};
  if (shape.protocol != IPPROTO_UDP) return answer(false);
  return by_ports(shape, packets, info->spts, info->dpts, (info->invflags & XT_UDP_INV_SRCPT) != 0,
                  (info->invflags & XT_UDP_INV_DSTPT) != 0);
}

Split multiport(const Shape& shape, const Packets& packets, const XtMatch& match) {
  const auto info = info_of<xt_multiport_v1>(match);
  if (!info || match.revision != 1 || info->count > XT_MULTI_PORTS) return {};
  if (shape.protocol != IPPROTO_TCP && shape.protocol != IPPROTO_UDP) return answer(false);
  if (info->flags == XT_MULTIPORT_EITHER) return {};
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < info->count; ++i) {
    const bool range = info->pflags[i] != 0 && i + 1 < info->count;
    intervals.push_back({info->ports[i], info->ports[range ? i + 1 : i]});
    if (range) ++i;
  }
  const Field field =
      info->flags == XT_MULTIPORT_SOURCE ? Field::source_port : Field::destination_port;
  Split split = by_field(shape, packets, field, Ranges(std::move(intervals)));
  return info->invert != 0 ? inverted(std::move(split)) : split;
}

Split by_states(const Packets& packets, std::uint32_t states, std::uint32_t untracked,
                bool not_states) {
  if (packets.tracking == Tracking::unknown) return {};
  const std::uint32_t state = packets.tracking == Tracking::untracked
                                  ? untracked
                                  : std::uint32_t{XT_CONNTRACK_STATE_BIT(IP_CT_NEW)};
  return answer(((states & state) != 0) != not_states);
}

Split conntrack(const Packets& packets, const XtMatch& match) {
  // Up to revision 3 the structure only grew at its end, but for the width of the two masks.
  std::uint32_t flags = 0;
  std::uint32_t inverted_flags = 0;
  std::uint32_t states = 0;
  if (match.revision == 1) {
    const auto info = info_of<xt_conntrack_mtinfo1>(match);
    if (!info) return {};
    flags = info->match_flags;
    inverted_flags = info->invert_flags;
    states = info->state_mask;
  } else if (match.revision == 2 || match.revision == 3) {
    const auto info = info_of<xt_conntrack_mtinfo2>(match);
    if (!info) return {};
    flags = info->match_flags;
    inverted_flags = info->invert_flags;
    states = info->state_mask;
  } else {
    return {};
  }
  if (flags != XT_CONNTRACK_STATE) return {};
  return by_states(packets, states, XT_CONNTRACK_STATE_UNTRACKED,
                   (inverted_flags & XT_CONNTRACK_STATE) != 0);
}

Split state(const Packets& packets, const XtMatch& match) {
  const auto info = info_of<xt_state_info>(match);
  if (!info) return {};
  return by_states(packets, info->statemask, XT_STATE_UNTRACKED, false);
}

/// What comes to this node is for an address of its own: the packets are no broadcast.
Split addrtype(const Shape& shape, const XtMatch& match) {
  constexpr std::uint16_t kLocal = 1U << RTN_LOCAL;
  // Revision 1 knows these as XT_ADDRTYPE_*.
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
  bool not_destination = false;
  if (match.revision == 0) {
    const auto info = info_of<xt_addrtype_info>(match);
    if (!info) return {};
    source = info->source;
    destination = info->dest;
    not_destination = info->invert_dest != 0;
  } else if (match.revision == 1) {
    const auto info = info_of<xt_addrtype_info_v1>(match);
    if (!info) return {};
    source = info->source;
    destination = info->dest;
    not_destination = (info->flags & XT_ADDRTYPE_INVERT_DEST) != 0;
    if ((info->flags & (XT_ADDRTYPE_LIMIT_IFACE_IN | XT_ADDRTYPE_LIMIT_IFACE_OUT)) != 0) return {};
  } else {
    return {};
  }
  // Of IPv6 the kernel asks its routes in another way, and says several things at once.
  if (source != 0 || destination == 0 || shape.ipv6) return {};
  return answer(((destination & kLocal) != 0) != not_destination);
}

Split icmp(const Shape& shape, const XtMatch& match) {
  const bool six = match.name == "icmp6";
  if (shape.protocol != (six ? int{IPPROTO_ICMPV6} : int{IPPROTO_ICMP})) return answer(false);
  // The two structures have the same members.
  const auto info = info_of<ipt_icmp>(match);
  if (!info || match.revision != 0) return {};
  const bool same =
      (!six && info->type == kAnyIcmpType) || (info->type == shape.icmp_type && info->code[0] == 0);
  return answer(same != ((info->invflags & IPT_ICMP_INV) != 0));
}

Split pkttype(const Shape& shape, const XtMatch& match) {
  const auto info = info_of<xt_pkttype_info>(match);
  if (!info || match.revision != 0) return {};
  const int type = shape.multicast ? PACKET_MULTICAST : PACKET_HOST;
  return answer((info->pkttype == type) != (info->invert != 0));
}

/// The hop limit, which is known of neighbour discovery only.
Split hop_limit(const Shape& shape, const XtMatch& match) {
  const auto info = info_of<ip6t_hl_info>(match);
  if (!info || match.revision != 0 || !shape.is_discovery()) return {};
  switch (info->mode) {
    case IP6T_HL_EQ:
      return answer(info->hop_limit == kDiscoveryHopLimit);
    case IP6T_HL_NE:
      return answer(info->hop_limit != kDiscoveryHopLimit);
    case IP6T_HL_LT:
      return answer(kDiscoveryHopLimit < info->hop_limit);
    case IP6T_HL_GT:
      return answer(kDiscoveryHopLimit > info->hop_limit);
    default:
      return {};
  }
}

// What these do leaves a packet on its way.
constexpr std::string_view kPassing[] = {
    "LOG",     "NFLOG",       "ULOG", "MARK", "CONNMARK", "CLASSIFY", "TCPMSS",    "DSCP",
    "TOS",     "ECN",         "TTL",  "HL",   "SET",      "CHECKSUM", "TRACE",     "AUDIT",
    "SECMARK", "CONNSECMARK", "TEE",  "LED",  "RATEEST",  "HMARK",    "IDLETIMER", "TCPOPTSTRIP"};

}  // namespace

Split divide_by_match(const Shape& shape, const Packets& packets, const XtMatch& match) {
  if (match.name == "comment") return answer(true);
  if (match.name == "conntrack") return conntrack(packets, match);
  if (match.name == "state") return state(packets, match);
  if (match.name == "tcp") return tcp(shape, packets, match);
  if (match.name == "udp") return udp(shape, packets, match);
  if (match.name == "multiport") return multiport(shape, packets, match);
  if (match.name == "addrtype") return addrtype(shape, match);
  if (match.name == "icmp" || match.name == "icmp6") return icmp(shape, match);
  if (match.name == "pkttype") return pkttype(shape, match);
  if (match.name == "hl") return hop_limit(shape, match);
  return {};
}

TargetEffect effect_of(const XtTarget& target) {
  if (std::find(std::begin(kPassing), std::end(kPassing), target.name) != std::end(kPassing)) {
    return TargetEffect::none;
  }
  if (target.name == "REJECT") return TargetEffect::reject;
  if (target.name == "NOTRACK") return TargetEffect::notrack;
  if (target.name == "CT") {
    const auto info = kernel::value_of<xt_ct_target_info>(target.info);
    if (!info) return TargetEffect::diversion;
    return (info->flags & XT_CT_NOTRACK) != 0 ? TargetEffect::notrack : TargetEffect::none;
  }
  return TargetEffect::diversion;
}

}  // namespace nettune::firewall
