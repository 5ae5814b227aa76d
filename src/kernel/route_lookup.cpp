// SPDX-License-Identifier: Apache-2.0
#include "kernel/route_lookup.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "kernel/rtnl_parse.hpp"

namespace nettune::kernel {
namespace {

std::uint8_t family_of(bool ipv6) { return ipv6 ? AF_INET6 : AF_INET; }
std::size_t bytes_of_address(bool ipv6) { return ipv6 ? 16 : 4; }

Bytes address_bytes(const RouteAddress& address, bool ipv6) {
  return std::as_bytes(std::span(address)).first(bytes_of_address(ipv6));
}

/// A missing destination means all of them.
RoutedPrefix prefix_of(int length, Bytes destination) {
  RoutedPrefix prefix;
  prefix.length = length;
  const auto size = std::min(destination.size(), prefix.address.size());
  if (size > 0) std::memcpy(prefix.address.data(), destination.data(), size);
  return prefix;
}

template <class Header, class Parse>
Result<> dump_prefixes(NetlinkSession& session, std::uint16_t type, std::uint16_t answer,
                       const Header& header, const Parse& parse,
                       std::vector<RoutedPrefix>& prefixes) {
  const std::size_t before = prefixes.size();
  Request request(type, NLM_F_DUMP);
  request.header(header);
  return session.dump(
      std::move(request), [&] { prefixes.resize(before); },
      [&](const Message& message) {
        if (message.type != answer) return;
        if (const auto prefix = parse(message.payload)) prefixes.push_back(*prefix);
      });
}

/// Whether the destination is unreachable, or has no entry.
bool is_no_way(int sys) { return sys == ENETUNREACH || sys == EHOSTUNREACH || sys == EACCES; }

}  // namespace

std::optional<RoutedPrefix> parse_route_prefix(Bytes payload) {
  const auto header = value_of<rtmsg>(payload);
  if (!header) return std::nullopt;
  Bytes destination;
  each_attribute(behind<rtmsg>(payload), [&](const Attribute& attribute) {
    if (attribute.type == RTA_DST) destination = attribute.payload;
  });
  return prefix_of(header->rtm_dst_len, destination);
}

std::optional<RoutedPrefix> parse_rule_prefix(Bytes payload) {
  const auto header = value_of<fib_rule_hdr>(payload);
  if (!header) return std::nullopt;
  Bytes destination;
  each_attribute(behind<fib_rule_hdr>(payload), [&](const Attribute& attribute) {
    if (attribute.type == FRA_DST) destination = attribute.payload;
  });
  return prefix_of(header->dst_len, destination);
}

Result<RouteLookup> RouteLookup::open() {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  return RouteLookup(std::move(session));
}

Result<std::vector<RoutedPrefix>> RouteLookup::prefixes(bool ipv6) {
  std::vector<RoutedPrefix> prefixes;
  rtmsg routes{};
  routes.rtm_family = family_of(ipv6);
  fib_rule_hdr rules{};
  rules.family = family_of(ipv6);
  for (auto done :
       {dump_prefixes(session_, RTM_GETROUTE, RTM_NEWROUTE, routes, parse_route_prefix, prefixes),
        dump_prefixes(session_, RTM_GETRULE, RTM_NEWRULE, rules, parse_rule_prefix, prefixes)}) {
    // A kernel without policy routing, or without the family, has none.
    if (!done && done.error().sys != EOPNOTSUPP && done.error().sys != EAFNOSUPPORT)
      return fail_in("reading the destinations of routes", std::move(done).error());
  }
  return prefixes;
}

Result<MatchedRoute> RouteLookup::find(const RouteRequest& wanted) {
  const auto bits = static_cast<std::uint8_t>(bytes_of_address(wanted.ipv6) * 8);
  rtmsg header{};
  header.rtm_family = family_of(wanted.ipv6);
  header.rtm_dst_len = bits;
  header.rtm_flags = RTM_F_FIB_MATCH;
  if (wanted.source) header.rtm_src_len = bits;
  Request request(RTM_GETROUTE, NLM_F_ACK);
  request.header(header).put_bytes(RTA_DST, address_bytes(wanted.destination, wanted.ipv6));
  if (wanted.source) request.put_bytes(RTA_SRC, address_bytes(*wanted.source, wanted.ipv6));
  if (wanted.mark != 0) request.put(RTA_MARK, wanted.mark);
  if (wanted.ifindex != 0) request.put(RTA_OIF, wanted.ifindex);
  MatchedRoute matched;
  auto done = session_.request(std::move(request), [&](const Message& message) {
    if (message.type != RTM_NEWROUTE) return;
    const auto route = parse_route(message.payload);
    if (!route) return;
    matched.found = true;
    matched.type = route->type;
    for (const int index : route->route.ifindexes)
      matched.ifindexes.push_back(static_cast<std::uint32_t>(index));
  });
  if (done || is_no_way(done.error().sys)) return matched;
  return fail_in("looking up a route", std::move(done).error());
}

}  // namespace nettune::kernel
