// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/ip_set_match.hpp"

#include <algorithm>
#include <linux/netfilter.h>
#include <linux/netfilter/xt_set.h>
#include <map>
#include <netinet/in.h>
#include <string_view>
#include <utility>

#include "firewall/walk/conditions.hpp"

namespace nettune::firewall::walk {
namespace {

struct IpSetType {
  std::string_view name;
  bool address = false;
  bool port = false;
};
// Of the other types, some look at the link, some at two addresses, and some at other sets.
constexpr IpSetType kIpSetTypes[] = {{"hash:ip", true},
                                     {"hash:net", true},
                                     {"bitmap:ip", true},
                                     {"bitmap:port", false, true},
                                     {"hash:ip,port", true, true},
                                     {"hash:net,port", true, true}};

using Spans = std::vector<std::pair<rules::U128, rules::U128>>;

rules::Ranges ranges_of(const Spans& spans) {
  std::vector<rules::Interval> intervals;
  for (const auto& [first, last] : spans) intervals.push_back({first, last});
  return rules::Ranges(std::move(intervals));
}

/// The addresses of an element.
std::pair<rules::U128, rules::U128> span_of(const kernel::IpSetElement& element, bool ipv6) {
  const std::size_t size = rules::address_bytes(ipv6);
  const rules::U128 low =
      rules::ones(static_cast<unsigned>(size) * 8 - static_cast<unsigned>(element.prefix));
  const rules::U128 address = rules::number_of(kernel::Bytes(element.address).first(size));
  return {address & ~low, address | low};
}

/// What a rule asks of a set: which one, and which values of a packet.
struct IpSetQuestion {
  std::uint16_t index = 0;
  std::size_t dimension = 0;
  std::uint32_t flags = 0;

  bool is_inverted() const { return (flags & IPSET_INV_MATCH) != 0; }
  /// Whether the value of that dimension, from 1, is the source's.
  bool of_source(std::size_t dimension_of_value) const {
    return (flags & (1U << dimension_of_value)) != 0;
  }
};

IpSetQuestion question_of(const xt_set_info& info) { return {info.index, info.dim, info.flags}; }

template <class Info>
std::optional<IpSetQuestion> question_with_counters(const rules::XtMatch& match) {
  const auto info = kernel::value_of<Info>(match.info);
  constexpr std::uint32_t kOnlyCounts =
      IPSET_FLAG_SKIP_COUNTER_UPDATE | IPSET_FLAG_SKIP_SUBCOUNTER_UPDATE;
  if (!info || info->packets.op != IPSET_COUNTER_NONE || info->bytes.op != IPSET_COUNTER_NONE ||
      (info->flags & ~kOnlyCounts) != 0) {
    return std::nullopt;
  }
  return question_of(info->match_set);
}

std::optional<IpSetQuestion> question_of(const rules::XtMatch& match) {
  if (match.revision == 4) return question_with_counters<xt_set_info_match_v4>(match);
  if (match.revision == 3) return question_with_counters<xt_set_info_match_v3>(match);
  if (match.revision != 1 && match.revision != 2) return std::nullopt;
  const auto info = kernel::value_of<xt_set_info_match_v1>(match.info);
  if (!info || (info->match_set.flags & IPSET_RETURN_NOMATCH) != 0) return std::nullopt;
  return question_of(info->match_set);
}

bool has_ip_ports(const Shape& shape) {
  return shape.protocol == IPPROTO_TCP || shape.protocol == IPPROTO_UDP;
}

/// The span of registers that one packet's values fill.
class Values {
 public:
  Values(const Shape& shape, const IpSetQuestion& question, bool has_address) {
    const std::size_t size = shape.size_of(Field::source);
    if (has_address) {
      const Field field = question.of_source(1) ? Field::source : Field::destination;
      for (std::size_t i = 0; i < size; ++i) registers_[i] = Byte::of(field, i);
      address_size_ = size;
    }
    if (!has_ip_ports(shape)) {
      // ip_set_getport.c, get_port(): the type and the code of ICMP.
      registers_[kPortAt] = Byte::of(shape.icmp_type);
      registers_[kPortAt + 1] = Byte::of(0);
      return;
    }
    const std::size_t at = has_address ? 2 : 1;
    const Field port = question.of_source(at) ? Field::source_port : Field::destination_port;
    registers_[kPortAt] = Byte::of(port, 0);
    registers_[kPortAt + 1] = Byte::of(port, 1);
  }

  Split in(const ReadyIpSet::Group& group, const Shape& shape, const Packets& packets) const {
    std::vector<Part> parts;
    if (!group.addresses.empty()) parts.push_back({0, address_size_, group.addresses});
    if (!group.ports.empty()) parts.push_back({kPortAt, 2, group.ports});
    return divide(shape, packets, registers_, parts);
  }

 private:
  static constexpr std::size_t kPortAt = 16;
  Registers registers_{};
  std::size_t address_size_ = 0;
};

/// ip_set_getport.c: a set with protocols compares that, too; bitmap:port takes TCP and UDP.
bool may_hold(const ReadyIpSet::Group& group, const Shape& shape) {
  if (group.ports.empty()) return true;
  return group.protocol == 0 ? has_ip_ports(shape) : group.protocol == shape.protocol;
}

}  // namespace

std::optional<ReadyIpSet> make_ready(const kernel::IpSet& set) {
  const IpSetType* type = nullptr;
  for (const IpSetType& one : kIpSetTypes)
    if (one.name == set.type) type = &one;
  if (type == nullptr || !set.is_plain) return std::nullopt;
  const bool ipv6 = set.family == NFPROTO_IPV6;
  std::map<std::pair<std::uint8_t, std::uint16_t>, Spans> by_port;
  for (const kernel::IpSetElement& element : set.elements) {
    auto& spans = by_port[{element.protocol, element.port}];
    if (type->address) spans.push_back(span_of(element, ipv6));
  }
  // Ports with the same addresses are one group.
  std::map<std::pair<std::uint8_t, Spans>, std::vector<rules::Interval>> by_addresses;
  for (auto& [port, spans] : by_port) {
    std::sort(spans.begin(), spans.end());
    by_addresses[{port.first, std::move(spans)}].push_back({port.second, port.second});
  }
  ReadyIpSet ready;
  ready.family = set.family;
  ready.dimension = (type->address ? 1U : 0U) + (type->port ? 1U : 0U);
  ready.has_address = type->address;
  for (auto& [key, ports] : by_addresses) {
    ReadyIpSet::Group group{ranges_of(key.second), {}, key.first};
    if (type->port) group.ports = rules::Ranges(std::move(ports));
    ready.groups.push_back(std::move(group));
  }
  if (ready.groups.size() > kMostPieces) return std::nullopt;
  return ready;
}

Split divide_by_ip_set(const Shape& shape, const Packets& packets, const rules::XtMatch& match,
                       const FindIpSet& find) {
  const auto question = question_of(match);
  if (!question || shape.arp != 0) return {};
  const ReadyIpSet* const set = find(question->index);
  if (set == nullptr) return {};
  std::vector<Packets> inside;
  std::vector<Packets> outside{packets};
  const std::uint8_t family = shape.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
  // ip_set_core.c, ip_set_test(): otherwise the set is not even looked at.
  if (question->dimension >= set->dimension &&
      (set->family == family || set->family == NFPROTO_UNSPEC)) {
    const Values values(shape, *question, set->has_address);
    for (const ReadyIpSet::Group& group : set->groups) {
      if (!may_hold(group, shape)) continue;
      std::vector<Packets> rest;
      for (Packets& some : outside) {
        Split split = values.in(group, shape, some);
        if (!sort_into(inside, rest, std::move(split), std::move(some))) return {};
      }
      outside = std::move(rest);
      if (inside.size() + outside.size() > kMostPieces) return {};
    }
  }
  Split split = split_of(std::move(inside), std::move(outside));
  return question->is_inverted() ? inverted(std::move(split)) : split;
}

}  // namespace nettune::firewall::walk
