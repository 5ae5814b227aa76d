// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/translation.hpp"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <utility>

#include "base/text.hpp"
#include "firewall/walk/base_chains.hpp"
#include "firewall/walk/fib.hpp"
#include "firewall/walk/traffic_packets.hpp"
#include "firewall/walk/xt.hpp"

namespace nettune::firewall::walk {
namespace {

// linux/netfilter_ipv4.h, NF_IP_PRI_NAT_DST and NF_IP_PRI_NAT_SRC; those of IPv6 are the same.
constexpr std::int32_t kDestinationPriority = -100;
constexpr std::int32_t kSourcePriority = 100;
constexpr std::uint32_t kOneDestination =
    NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED | NF_NAT_RANGE_PERSISTENT;

/// A constant in registers.
std::optional<rules::U128> constant_in(const Registers& registers, std::size_t at,
                                       std::size_t size) {
  rules::U128 value = 0;
  for (std::size_t i = at; i < at + size; ++i) {
    if (registers[i].is_field || registers[i].known != 0xFF) return std::nullopt;
    value = value << 8 | registers[i].value;
  }
  return value;
}

/// One value of the registers from the first to the last; nothing if they are not the same.
bool take_one(const Registers& registers, std::optional<std::size_t> first,
              std::optional<std::size_t> last, std::size_t size,
              std::optional<rules::U128>& value) {
  if (!first) return !last;
  value = constant_in(registers, *first, size);
  return value && (!last || constant_in(registers, *last, size) == value);
}

std::uint16_t port_of(const nf_conntrack_man_proto& proto) {
  return static_cast<std::uint16_t>(rules::number_of(std::as_bytes(std::span(&proto.all, 1))));
}

/// The range of IPv4 as the newer one; the kernel takes exactly one.
std::optional<nf_nat_range> range_in_compat(const kernel::ByteString& info) {
  const auto compat = kernel::value_of<nf_nat_ipv4_multi_range_compat>(info);
  if (!compat || compat->rangesize != 1) return std::nullopt;
  const nf_nat_ipv4_range& one = compat->range[0];
  nf_nat_range range{};
  range.flags = one.flags;
  range.min_addr.ip = one.min_ip;
  range.max_addr.ip = one.max_ip;
  range.min_proto = one.min;
  range.max_proto = one.max;
  return range;
}

/// Whether this node takes packets from outside at an address. Those to loopback are dropped as
/// martians, unless a sysctl says otherwise; a link-local address is one of an interface.
bool is_here(Routes* routes, const Shape& shape, rules::U128 address) {
  const bool loopback = shape.ipv6 ? address == 1 : address >> 24 == IN_LOOPBACKNET;
  const rules::Ranges one(rules::Interval{address, address});
  if (routes == nullptr || loopback || is_link_local(shape.ipv6, one)) return false;
  const auto answer = routes->ask({shape.ipv6, address});
  return answer && answer->found && answer->type == RTN_LOCAL;
}

}  // namespace

std::optional<NewDestination> new_destination(const rules::NatRegisters& nat,
                                              const Registers& registers, bool ipv6) {
  NewDestination to{nat.to_interface};
  std::optional<rules::U128> port;
  if ((nat.flags & ~kOneDestination) != 0 ||
      !take_one(registers, nat.first_address, nat.last_address, rules::address_bytes(ipv6),
                to.address) ||
      !take_one(registers, nat.first_port, nat.last_port, sizeof(std::uint16_t), port)) {
    return std::nullopt;
  }
  if (port) to.port = static_cast<std::uint16_t>(*port);
  return to;
}

std::optional<NewDestination> new_destination(const rules::XtTarget& target, bool ipv6) {
  const bool redirect = target.name == "REDIRECT";
  if (!redirect && target.name != "DNAT") return std::nullopt;
  // xt_nat.c and xt_REDIRECT.c: revision 0 of IPv4 has the old structure; the newest one only has
  // more at its end.
  const bool old = target.revision == 0 && !ipv6;
  const auto range =
      old ? range_in_compat(target.info) : kernel::value_of<nf_nat_range>(target.info);
  if (!range || target.revision > 2 || (range->flags & ~kOneDestination) != 0) return std::nullopt;
  NewDestination to{redirect};
  if (!redirect && (range->flags & NF_NAT_RANGE_MAP_IPS) != 0) {
    to.address = number_of(range->min_addr, ipv6);
    if (number_of(range->max_addr, ipv6) != to.address) return std::nullopt;
  }
  if ((range->flags & NF_NAT_RANGE_PROTO_SPECIFIED) != 0) {
    to.port = port_of(range->min_proto);
    if (port_of(range->max_proto) != to.port) return std::nullopt;
  }
  return to;
}

Translated translate(const std::vector<rules::Network>& own_networks, Routes* routes,
                     const Shape& shape, const Packets& packets, const NewDestination& to) {
  const rules::Ranges own = rules::ranges_of(own_networks, shape.ipv6);
  // nf_nat_redirect.c takes the first address of the interface that it can use.
  const rules::Ranges there = to.of_interface ? own
                              : to.address
                                  ? rules::Ranges(rules::Interval{*to.address, *to.address})
                                  : packets[Field::destination];
  const bool known = there.within(own) || (to.address && is_here(routes, shape, *to.address));
  if (own.empty() || !known) return {{}, "a destination that is not known to be this node"};
  if (to.of_interface && !there.single())
    return {{}, "which address of the interface a redirect takes"};
  Translated out;
  Packets rest = packets;
  if (to.port) {
    const rules::Ranges same(rules::Interval{*to.port, *to.port});
    if (!packets[Field::destination_port].within(same))
      out.elsewhere = cat("a redirect to port ", *to.port, ": what answers there is not known");
    rest[Field::destination_port] = packets[Field::destination_port].both(same);
    if (rest[Field::destination_port].empty()) return out;
  }
  rest.has_destination = true;
  // nf_nat_core.c, nf_nat_setup_info(): a destination that stays is no translation.
  Packets stays = rest;
  stays[Field::destination] = rest[Field::destination].both(there);
  rest[Field::destination] = rest[Field::destination].without(there);
  if (!rest[Field::destination].empty()) {
    rest.other_own = std::exchange(rest[Field::destination], there);
    rest.is_behind_translation = true;
    out.here.push_back(std::move(rest));
  }
  if (!stays[Field::destination].empty()) out.here.push_back(std::move(stays));
  return out;
}

std::optional<bool> is_behind_translation(const kernel::NfChain& base, const Shape& shape) {
  if (is_egress(base) || is_ingress(base)) return shape.leaves;
  if (base.hook->number == NF_INET_LOCAL_IN) return true;
  if (base.hook->number == NF_INET_LOCAL_OUT) return false;
  const std::int32_t there = shape.leaves ? kSourcePriority : kDestinationPriority;
  if (base.hook->priority == there) return std::nullopt;
  return base.hook->priority > there;
}

void cross_translation(const Shape& shape, Packets& packets) {
  std::swap(packets[own_field(shape)], packets.other_own);
  packets.is_behind_translation = true;
}

Packets on_leg(const Packets& first, const Shape& shape) {
  Packets packets;
  packets.fields = first.fields;
  packets.other_own = first.other_own;
  if (goes_back(shape.leg)) {
    std::swap(packets[Field::source], packets[Field::destination]);
    std::swap(packets[Field::source_port], packets[Field::destination_port]);
  } else if (!packets.other_own.empty()) {
    // This node sends from the address that it took the first packet at; peers send to theirs.
    std::swap(packets[Field::destination], packets.other_own);
  }
  return packets;
}

std::vector<Packets> without(const Shape& shape, const Packets& packets, const Packets& others) {
  Registers registers{};
  std::vector<Part> parts;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    const std::size_t size = shape.size_of(field);
    for (std::size_t byte = 0; byte < size; ++byte) registers[at + byte] = Byte::of(field, byte);
    parts.push_back({at, size, others[field]});
    at += size;
  }
  Split split = divide(shape, packets, registers, parts);
  if (split.answer == Split::Answer::no) return {packets};
  for (Packets& rest : split.no) rest.assumed = {};
  return std::move(split.no);
}

std::int32_t effective_priority(const kernel::NfChain& base) {
  if (base.type != "nat") return base.hook->priority;
  const bool destination =
      base.hook->number == NF_INET_PRE_ROUTING || base.hook->number == NF_INET_LOCAL_OUT;
  return destination ? kDestinationPriority : kSourcePriority;
}

}  // namespace nettune::firewall::walk
