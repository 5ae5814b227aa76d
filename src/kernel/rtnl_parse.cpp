// SPDX-License-Identifier: Apache-2.0
#include "kernel/rtnl_parse.hpp"

#include <arpa/inet.h>
#include <array>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

namespace nettune::kernel {
namespace {

template <class T, class Field>
void take(Field& field, Bytes payload) {
  if (const auto value = value_of<T>(payload)) field = static_cast<Field>(*value);
}

/// More than MAX_ADDR_LEN bytes are not a hardware address.
HardwareAddress hardware_address(Bytes bytes) {
  HardwareAddress address;
  if (bytes.size() > address.bytes.size()) return address;
  std::memcpy(address.bytes.data(), bytes.data(), bytes.size());
  address.size = static_cast<std::uint8_t>(bytes.size());
  return address;
}

void take_link_info(Link& link, Bytes nested) {
  Bytes data;  // its meaning depends on the kind, wherever that is
  each_attribute(nested, [&](const Attribute& attribute) {
    if (attribute.type == IFLA_INFO_KIND) link.kind = text_of(attribute.payload);
    if (attribute.type == IFLA_INFO_DATA) data = attribute.payload;
  });
  if (link.kind != "ipoib") return;
  each_attribute(data, [&](const Attribute& attribute) {
    const auto mode = value_of<std::uint16_t>(attribute.payload);
    if (attribute.type == IFLA_IPOIB_MODE && mode)
      link.ipoib_connected = *mode == IPOIB_MODE_CONNECTED;
  });
}

void take_link_attribute(Link& link, const Attribute& attribute) {
  const Bytes payload = attribute.payload;
  switch (attribute.type) {
    case IFLA_IFNAME:
      link.name = text_of(payload);
      break;
    case IFLA_MTU:
      take<std::uint32_t>(link.mtu, payload);
      break;
    case IFLA_MIN_MTU:
      take<std::uint32_t>(link.min_mtu, payload);
      break;
    case IFLA_MAX_MTU:
      take<std::uint32_t>(link.max_mtu, payload);
      break;
    case IFLA_TXQLEN:
      take<std::uint32_t>(link.txqueuelen, payload);
      break;
    case IFLA_OPERSTATE:
      take<std::uint8_t>(link.operstate, payload);
      break;
    case IFLA_CARRIER:
      if (const auto up = value_of<std::uint8_t>(payload)) link.carrier = *up != 0;
      break;
    case IFLA_LINK:
      take<std::int32_t>(link.link, payload);
      break;
    case IFLA_LINK_NETNSID:
      if (const auto id = value_of<std::int32_t>(payload)) link.link_netns = *id;
      break;
    case IFLA_MASTER:
      take<std::int32_t>(link.master, payload);
      break;
    case IFLA_LINKINFO:
      take_link_info(link, payload);
      break;
    case IFLA_ADDRESS:
      link.mac = hardware_address(payload);
      break;
    case IFLA_PERM_ADDRESS:
      link.permanent_mac = hardware_address(payload);
      break;
    case IFLA_PARENT_DEV_BUS_NAME:
      link.parent_bus = text_of(payload);
      break;
    case IFLA_PARENT_DEV_NAME:
      link.parent_device = text_of(payload);
      break;
    default:
      break;
  }
}

/// Address bytes of the family as text; empty if they are too few.
std::string address_text(int family, Bytes bytes) {
  const std::size_t size = family == AF_INET ? 4 : 16;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (bytes.size() < size || inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr) {
    return {};
  }
  return text.data();
}

/// RTA_MULTIPATH: rtnexthop headers whose lengths include the attributes after each.
void take_multipath(Route& route, Bytes rest) {
  while (const auto hop = value_of<rtnexthop>(rest)) {
    if (hop->rtnh_len < sizeof(rtnexthop) || hop->rtnh_len > rest.size()) return;
    if (hop->rtnh_ifindex > 0) route.ifindexes.push_back(hop->rtnh_ifindex);
    each_attribute(behind<rtnexthop>(rest.first(hop->rtnh_len)), [&](const Attribute& attribute) {
      if (attribute.type == RTA_GATEWAY && route.gateway.empty())
        route.gateway = address_text(route.family, attribute.payload);
    });
    rest = behind_aligned(rest, hop->rtnh_len);
  }
}

}  // namespace

bool parse_link_into(Link& link, Bytes payload) {
  const auto header = value_of<ifinfomsg>(payload);
  if (!header) return false;
  link = Link();
  link.ifindex = header->ifi_index;
  link.flags = header->ifi_flags;
  link.hardware = header->ifi_type;
  each_attribute(behind<ifinfomsg>(payload),
                 [&](const Attribute& attribute) { take_link_attribute(link, attribute); });
  return true;
}

std::optional<Link> parse_link(Bytes payload) {
  Link link;
  if (!parse_link_into(link, payload)) return std::nullopt;
  return link;
}

std::optional<InterfaceAddress> parse_address(Bytes payload) {
  const auto header = value_of<ifaddrmsg>(payload);
  if (!header || (header->ifa_family != AF_INET && header->ifa_family != AF_INET6)) {
    return std::nullopt;
  }
  InterfaceAddress address;
  address.family = header->ifa_family;
  address.ifindex = static_cast<int>(header->ifa_index);
  address.prefix = header->ifa_prefixlen;
  bool local = false;
  each_attribute(behind<ifaddrmsg>(payload), [&](const Attribute& attribute) {
    // On a point-to-point link IFA_ADDRESS is the other end and IFA_LOCAL this end.
    if (attribute.type == IFA_LOCAL || (attribute.type == IFA_ADDRESS && !local)) {
      local = local || attribute.type == IFA_LOCAL;
      address.text = address_text(address.family, attribute.payload);
    }
  });
  if (address.text.empty()) return std::nullopt;
  return address;
}

std::optional<RouteMessage> parse_route(Bytes payload) {
  const auto header = value_of<rtmsg>(payload);
  if (!header) return std::nullopt;
  RouteMessage message;
  message.type = header->rtm_type;
  message.cloned = (header->rtm_flags & RTM_F_CLONED) != 0;
  Route& route = message.route;
  route.family = header->rtm_family;
  route.table = header->rtm_table;
  route.is_default = header->rtm_dst_len == 0;
  each_attribute(behind<rtmsg>(payload), [&](const Attribute& attribute) {
    const auto number = value_of<std::uint32_t>(attribute.payload);
    if (attribute.type == RTA_TABLE && number) route.table = *number;
    if (attribute.type == RTA_OIF && number) route.ifindexes.push_back(static_cast<int>(*number));
    if (attribute.type == RTA_NH_ID && number) message.nexthop = *number;
    if (attribute.type == RTA_PRIORITY && number) route.priority = *number;
    if (attribute.type == RTA_GATEWAY)
      route.gateway = address_text(route.family, attribute.payload);
    if (attribute.type == RTA_MULTIPATH) take_multipath(route, attribute.payload);
  });
  if (!route.ifindexes.empty()) message.nexthop = 0;
  return message;
}

std::optional<Nexthop> parse_nexthop(Bytes payload) {
  if (!value_of<nhmsg>(payload)) return std::nullopt;
  Nexthop hop;
  each_attribute(behind<nhmsg>(payload), [&](const Attribute& attribute) {
    if (attribute.type == NHA_ID) take<std::uint32_t>(hop.id, attribute.payload);
    if (attribute.type == NHA_OIF) take<std::uint32_t>(hop.ifindex, attribute.payload);
    if (attribute.type != NHA_GROUP) return;
    Bytes members = attribute.payload;
    while (const auto member = value_of<nexthop_grp>(members)) {
      hop.group.push_back(member->id);
      members = members.subspan(sizeof(nexthop_grp));
    }
  });
  return hop;
}

}  // namespace nettune::kernel
