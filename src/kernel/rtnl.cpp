// SPDX-License-Identifier: Apache-2.0
#include "kernel/rtnl.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <map>
#include <net/if.h>
#include <sys/socket.h>

#include "base/text.hpp"
#include "kernel/netlink.hpp"
#include "kernel/rtnl_parse.hpp"

namespace nettune::kernel {
namespace {

constexpr std::uint16_t kDump = NLM_F_DUMP;
/// Unused pages cost nothing; growing touches all of them again.
constexpr std::size_t kManyItems = 2048;

/// One dump; `parse` turns a message of type `wanted` into an item, or nothing.
template <class T, class Parse>
Result<std::vector<T>> dump_into(NetlinkSession& session, Request request, std::uint16_t wanted,
                                 Parse parse) {
  std::vector<T> items;
  items.reserve(kManyItems);
  TRY(session.dump(
      std::move(request), [&] { items.clear(); },
      [&](const Message& message) {
        if (message.type != wanted) return;
        if (auto item = parse(message.payload)) items.push_back(std::move(*item));
      }));
  return items;
}

using Nexthops = std::map<std::uint32_t, Nexthop>;

Result<Nexthops> dump_nexthops(NetlinkSession& session) {
  Request request(RTM_GETNEXTHOP, kDump);
  request.header(nhmsg{});
  TRY_ASSIGN(const std::vector<Nexthop> list,
             dump_into<Nexthop>(session, std::move(request), RTM_NEWNEXTHOP, parse_nexthop));
  Nexthops by_id;
  for (const Nexthop& hop : list) by_id[hop.id] = hop;
  return by_id;
}

std::vector<int> devices_of(const Nexthops& nexthops, std::uint32_t id) {
  const auto found = nexthops.find(id);
  if (found == nexthops.end()) return {};
  std::vector<int> devices;
  if (found->second.ifindex > 0) devices.push_back(found->second.ifindex);
  // A group has no groups as members (nexthop.c, valid_group_nh).
  for (const std::uint32_t member : found->second.group) {
    const auto hop = nexthops.find(member);
    if (hop != nexthops.end() && hop->second.ifindex > 0) devices.push_back(hop->second.ifindex);
  }
  return devices;
}

Result<std::vector<RouteMessage>> dump_family(NetlinkSession& session, int family) {
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(family);
  Request request(RTM_GETROUTE, kDump);
  request.header(header);
  // A kernel without IPv6 answers for IPv4 again, so the family is checked.
  return dump_into<RouteMessage>(
      session, std::move(request), RTM_NEWROUTE, [family](Bytes payload) {
        auto message = parse_route(payload);
        if (message &&
            (message->type != RTN_UNICAST || message->cloned || message->route.family != family)) {
          message.reset();
        }
        return message;
      });
}

struct Destination {
  unsigned char family = AF_UNSPEC;
  std::array<std::byte, 16> bytes{};
  std::size_t size = 0;
};

std::optional<Destination> parse_destination(const std::string& text) {
  Destination destination;
  if (inet_pton(AF_INET, text.c_str(), destination.bytes.data()) == 1) {
    destination.family = AF_INET;
    destination.size = 4;
    return destination;
  }
  if (inet_pton(AF_INET6, text.c_str(), destination.bytes.data()) == 1) {
    destination.family = AF_INET6;
    destination.size = 16;
    return destination;
  }
  return std::nullopt;
}

bool means_no_route(int sys) {
  // Prohibit and blackhole routes answer EACCES and EINVAL (fib_semantics.c, fib_props).
  return sys == ENETUNREACH || sys == EHOSTUNREACH || sys == EACCES || sys == EINVAL;
}

Result<> set_link_number(int ifindex, int attribute, std::uint32_t value, std::string_view what) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  ifinfomsg header{};
  header.ifi_family = AF_UNSPEC;
  header.ifi_index = ifindex;
  Request request(RTM_SETLINK, NLM_F_ACK);
  request.header(header).put(attribute, value);
  if (auto done = session.request(std::move(request)); !done) {
    return fail_in(cat("setting ", what, " ", value, " on interface number ", ifindex),
                   std::move(done).error());
  }
  return {};
}

}  // namespace

std::string HardwareAddress::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{size} * 3);
  for (const std::uint8_t byte : std::span(bytes).first(size)) {
    if (!text.empty()) text += ':';
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

Result<std::vector<Link>> dump_links() {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Request request(RTM_GETLINK, kDump);
  request.header(ifinfomsg{});
  // Excludes the counters of IPv6 and of virtual functions, half of the bytes; the device's own are
  // always sent (rtnl_fill_ifinfo, net/core/rtnetlink.c, 6.1).
  request.put(IFLA_EXT_MASK, std::uint32_t{RTEXT_FILTER_SKIP_STATS});
  std::vector<Link> links;
  auto done = session.dump(
      std::move(request), [&] { links.clear(); },
      [&](const Message& message) {
        Link link;
        if (message.type == RTM_NEWLINK && parse_link_into(link, message.payload))
          links.push_back(std::move(link));
      });
  if (!done) return fail_in("reading the links", std::move(done).error());
  return links;
}

namespace {

/// FNV-1a over texts and their ends.
class Checksum {
 public:
  void add(std::string_view text) {
    for (const char byte : text) add(static_cast<std::uint8_t>(byte));
    add(0);
  }
  void add(std::uint8_t byte) { sum_ = (sum_ ^ byte) * 0x100000001B3; }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xCBF29CE484222325;
};

/// Mixes every bit into all others (the finalizer of SplitMix64), so that sums stay distinct.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

std::string link_token(const std::vector<Link>& links) {
  std::uint64_t sum = 0;
  for (const Link& link : links) {
    Checksum one;
    one.add(link.name);
    one.add(link.parent_device);
    one.add(link.kind);
    for (const std::uint8_t byte :
         std::span(link.permanent_mac.bytes).first(link.permanent_mac.size))
      one.add(byte);
    sum += mixed(one.value()) + 1;  // and their number
  }
  return cat(sum);
}

Result<std::vector<Route>> dump_routes() {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  std::vector<Route> routes;
  std::optional<Nexthops> nexthops;
  for (const int family : {AF_INET, AF_INET6}) {
    auto messages = dump_family(session, family);
    if (!messages && messages.error().code == Errc::unsupported) continue;
    if (!messages) return fail_in("reading the routes", std::move(messages).error());
    for (RouteMessage& message : *messages) {
      if (message.nexthop != 0) {
        if (!nexthops) {
          TRY_ASSIGN(nexthops, dump_nexthops(session));
        }
        message.route.ifindexes = devices_of(*nexthops, message.nexthop);
      }
      routes.push_back(std::move(message.route));
    }
  }
  return routes;
}

Result<std::vector<InterfaceAddress>> dump_addresses() {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Request request(RTM_GETADDR, kDump);
  request.header(ifaddrmsg{});
  auto addresses =
      dump_into<InterfaceAddress>(session, std::move(request), RTM_NEWADDR, parse_address);
  if (!addresses) return fail_in("reading the addresses", std::move(addresses).error());
  return addresses;
}

Result<int> route_device(const std::string& address) {
  // "fe80::1%eth0": the zone is the answer.
  if (const auto zone = address.find('%'); zone != std::string::npos) {
    return static_cast<int>(if_nametoindex(address.c_str() + zone + 1));
  }
  const auto destination = parse_destination(address);
  if (!destination) {
    return fail(Errc::invalid, cat("'", printable(address), "' is not an IPv4 or IPv6 address"));
  }
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  rtmsg header{};
  header.rtm_family = destination->family;
  header.rtm_dst_len = static_cast<unsigned char>(destination->size * 8);
  Request request(RTM_GETROUTE, NLM_F_ACK);
  request.header(header).put_bytes(RTA_DST, Bytes(destination->bytes).first(destination->size));
  int ifindex = 0;
  auto done = session.request(std::move(request), [&](const Message& message) {
    const auto route = parse_route(message.payload);
    if (message.type != RTM_NEWROUTE || !route || route->route.ifindexes.empty()) return;
    if (route->type == RTN_UNICAST || route->type == RTN_LOCAL) {
      ifindex = route->route.ifindexes.front();
    }
  });
  if (done) return ifindex;
  if (means_no_route(done.error().sys)) return 0;
  return fail_in(cat("looking up the route to ", address), std::move(done).error());
}

Result<> set_mtu(int ifindex, std::uint32_t mtu) {
  return set_link_number(ifindex, IFLA_MTU, mtu, "mtu");
}

Result<> set_txqueuelen(int ifindex, std::uint32_t length) {
  return set_link_number(ifindex, IFLA_TXQLEN, length, "txqueuelen");
}

}  // namespace nettune::kernel
