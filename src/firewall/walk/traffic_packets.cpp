// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/traffic_packets.hpp"

#include <algorithm>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <utility>
#include <vector>

namespace nettune::firewall::walk {
namespace {

// The kernel does not hand out these ports, so connections do not come from them.
constexpr rules::Interval kSourcePorts{1024, 65535};
constexpr rules::Interval kAnyPort{1, 65535};

rules::Interval multicast(bool ipv6) {
  if (ipv6) return {rules::U128{0xFF} << 120, ~rules::U128{0}};
  return {0xE0000000, 0xEFFFFFFF};
}

/// The destinations of a packet to this node when its addresses are not known: any but "this"
/// network, loopback, multicast and the reserved ones.
rules::Ranges any_destination(bool ipv6) {
  if (ipv6) {
    return rules::Ranges(rules::Interval{2, multicast(true).first - 1});
  }
  return rules::Ranges(
      std::vector<rules::Interval>{{0x01000000, 0x7EFFFFFF}, {0x80000000, 0xDFFFFFFF}});
}

/// The ICMP type of the answer.
std::uint8_t answer_to(std::uint8_t icmp_type) {
  if (icmp_type == ICMP_ECHO) return ICMP_ECHOREPLY;
  return icmp_type == ICMP6_ECHO_REQUEST ? ICMP6_ECHO_REPLY : icmp_type;
}

/// The ports of who begins. Those of UDP may be a card's choice, as for RoCE.
rules::Interval first_ports(const Traffic& traffic) {
  const bool by_kernel = traffic.outgoing && traffic.protocol == rules::Protocol::tcp;
  return by_kernel && traffic.own_ports ? rules::interval_of(*traffic.own_ports) : kSourcePorts;
}

}  // namespace

Shape shape_of(const Traffic& traffic, Leg leg, Connection connection) {
  Shape shape;
  shape.ipv6 = !traffic.peers.empty() && traffic.peers.front().ipv6;
  shape.protocol = rules::number_of(traffic.protocol);
  shape.interface = traffic.interface;
  shape.interface_index = traffic.interface_index;
  shape.icmp_type = traffic.icmp_type;
  if (traffic.icmp_type == 0) shape.icmp_type = shape.ipv6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
  if (goes_back(leg)) shape.icmp_type = answer_to(shape.icmp_type);
  shape.leaves = traffic.outgoing != goes_back(leg);
  shape.leg = leg;
  shape.connection = connection;
  shape.arp = traffic.arp;
  shape.hardware = traffic.hardware;
  shape.tagged = traffic.tagged;
  const auto& receivers = shape.leaves ? traffic.peers : traffic.own;
  const rules::Interval groups = multicast(shape.ipv6);
  shape.multicast =
      !receivers.empty() && std::all_of(receivers.begin(), receivers.end(), [&](const auto& one) {
        const rules::Interval to = rules::interval_of(one);
        return groups.first <= to.first && to.last <= groups.last;
      });
  const auto set_free = [&](Field field) { shape.free[static_cast<std::size_t>(field)] = true; };
  set_free(goes_back(leg) ? Field::destination_port : Field::source_port);
  if (traffic.own.empty()) set_free(shape.leaves ? Field::source : Field::destination);
  return shape;
}

Field own_field(const Shape& shape) { return shape.leaves ? Field::source : Field::destination; }

rules::Ranges own_addresses(const Traffic& traffic, const Shape& shape) {
  rules::Ranges own = rules::ranges_of(traffic.own, shape.ipv6);
  return own.empty() ? any_destination(shape.ipv6) : own;
}

Packets packets_of(const Traffic& traffic, const Shape& shape, Mark connection_mark) {
  Packets packets;
  std::vector<rules::Interval> ports;
  for (const auto& range : traffic.ports) ports.push_back(rules::interval_of(range));
  const bool answers = goes_back(shape.leg);
  packets[shape.leaves ? Field::destination : Field::source] =
      rules::ranges_of(traffic.peers, shape.ipv6);
  packets[own_field(shape)] = own_addresses(traffic, shape);
  packets[answers ? Field::destination_port : Field::source_port] =
      rules::Ranges(first_ports(traffic));
  packets[answers ? Field::source_port : Field::destination_port] =
      ports.empty() ? rules::Ranges(kAnyPort) : rules::Ranges(std::move(ports));
  packets.connection_mark = connection_mark;
  return packets;
}

}  // namespace nettune::firewall::walk
