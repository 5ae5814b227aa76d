// SPDX-License-Identifier: Apache-2.0
#include "kernel/rtnl_parse.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

#include "kernel/netlink.hpp"
#include "unit/kernel/fixture.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

TEST(KernelRtnlParseLink, IsReadWhole) {
  const Buffer mac = {std::byte{0x0c}, std::byte{0x42}, std::byte{0xa1},
                      std::byte{0},    std::byte{1},    std::byte{0xff}};
  const Buffer buffer =
      raw_bytes(link_header()) + attribute(IFLA_IFNAME, text_bytes("ens1f0np0")) +
      attribute(IFLA_MTU, raw_bytes(9000U)) + attribute(IFLA_MAX_MTU, raw_bytes(9978U)) +
      attribute(IFLA_TXQLEN, raw_bytes(1000U)) +
      attribute(IFLA_OPERSTATE, Buffer(1, std::byte{6})) +
      attribute(IFLA_CARRIER, Buffer(1, std::byte{1})) + attribute(IFLA_MASTER, raw_bytes(40)) +
      attribute(IFLA_ADDRESS, mac) + attribute(IFLA_PERM_ADDRESS, mac) +
      attribute(IFLA_PARENT_DEV_NAME, text_bytes("0000:3b:00.0")) +
      attribute(IFLA_PARENT_DEV_BUS_NAME, text_bytes("pci")) +
      attribute(IFLA_LINKINFO, attribute(IFLA_INFO_KIND, text_bytes("vlan"))) +
      attribute(60000 & NLA_TYPE_MASK, Buffer(3));
  const auto link = parse_link(buffer);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->ifindex, 12);
  EXPECT_EQ(link->name, "ens1f0np0");
  EXPECT_EQ(link->mtu, 9000U);
  EXPECT_EQ(link->max_mtu, 9978U);
  EXPECT_EQ(link->min_mtu, 0U);
  EXPECT_EQ(link->txqueuelen, 1000U);
  EXPECT_EQ(link->carrier, true);
  EXPECT_EQ(link->master, 40);
  EXPECT_EQ(link->mac.text(), "0c:42:a1:00:01:ff");
  EXPECT_EQ(link->permanent_mac.text(), "0c:42:a1:00:01:ff");
  EXPECT_EQ(link->parent_device, "0000:3b:00.0");
  EXPECT_EQ(link->parent_bus, "pci");
  EXPECT_EQ(link->kind, "vlan");
  EXPECT_FALSE(link->link_netns);
}

TEST(KernelRtnlParseLink, ShortAttributesCountAsNotSaid) {
  const Buffer buffer = raw_bytes(link_header()) + attribute(IFLA_MTU, Buffer(3)) +
                        attribute(IFLA_CARRIER, {}) + attribute(IFLA_LINK_NETNSID, Buffer(2)) +
                        attribute(IFLA_LINKINFO, Buffer(3)) + attribute(IFLA_ADDRESS, Buffer(200));
  const auto link = parse_link(buffer);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->mtu, 0U);
  EXPECT_FALSE(link->carrier);
  EXPECT_FALSE(link->link_netns);
  EXPECT_EQ(link->kind, "");
  EXPECT_EQ(link->mac.text(), "");
}

TEST(KernelRtnlParseLink, TheModeOfIpoibIsOnlyThatOfIpoib) {
  const auto mode_of = [](const std::string& kind, int type, const Buffer& mode) {
    // The kind may stand behind what it explains.
    const auto link =
        parse_link(raw_bytes(link_header()) +
                   attribute(IFLA_LINKINFO, attribute(IFLA_INFO_DATA, attribute(type, mode)) +
                                                attribute(IFLA_INFO_KIND, text_bytes(kind))));
    return link ? link->ipoib_connected : std::nullopt;
  };
  EXPECT_EQ(mode_of("ipoib", IFLA_IPOIB_MODE, raw_bytes(std::uint16_t{1})), true);
  EXPECT_EQ(mode_of("ipoib", IFLA_IPOIB_MODE, raw_bytes(std::uint16_t{0})), false);
  EXPECT_EQ(mode_of("ipoib", IFLA_IPOIB_PKEY, raw_bytes(std::uint16_t{1})), std::nullopt);
  EXPECT_EQ(mode_of("ipoib", IFLA_IPOIB_MODE, Buffer(1)), std::nullopt);
  EXPECT_EQ(mode_of("vlan", IFLA_IPOIB_MODE, raw_bytes(std::uint16_t{1})), std::nullopt);
}

TEST(KernelRtnlParseLink, NeedsItsHeader) {
  EXPECT_FALSE(parse_link(Buffer(sizeof(ifinfomsg) - 1)));
  EXPECT_TRUE(parse_link(Buffer(sizeof(ifinfomsg))));
}

TEST(KernelRtnlParseLink, ANameWithoutItsEndStopsAtTheAttribute) {
  const Buffer buffer = raw_bytes(link_header()) +
                        attribute(IFLA_IFNAME, Buffer(4, std::byte{'x'})) +
                        attribute(IFLA_MTU, raw_bytes(0x41414141U));
  EXPECT_EQ(parse_link(buffer)->name, "xxxx");
}

rtmsg route_header(unsigned char destination_bits) {
  rtmsg header{};
  header.rtm_family = AF_INET;
  header.rtm_table = 254;
  header.rtm_type = RTN_UNICAST;
  header.rtm_dst_len = destination_bits;
  return header;
}

Buffer hop(std::uint16_t length, int ifindex) {
  rtnexthop one{};
  one.rtnh_len = length;
  one.rtnh_ifindex = ifindex;
  return raw_bytes(one);
}

TEST(KernelRtnlParseRoute, HasEveryNexthopAndTheLongTable) {
  const Buffer hops = hop(16, 3) + attribute(RTA_GATEWAY, Buffer(4)) + hop(8, 4);
  const Buffer buffer = raw_bytes(route_header(0)) + attribute(RTA_TABLE, raw_bytes(70000U)) +
                        attribute(RTA_MULTIPATH, hops);
  const auto route = parse_route(buffer);
  ASSERT_TRUE(route);
  EXPECT_TRUE(route->route.is_default);
  EXPECT_EQ(route->route.table, 70000U);
  EXPECT_EQ(route->route.ifindexes, (std::vector<int>{3, 4}));
}

TEST(KernelRtnlParseRoute, HostileNexthopsEndTheWalk) {
  for (const int length : {0, 7, 9, 60000}) {
    const Buffer buffer =
        raw_bytes(route_header(24)) +
        attribute(RTA_MULTIPATH, hop(8, 3) + hop(static_cast<std::uint16_t>(length), 4));
    const auto route = parse_route(buffer);
    ASSERT_TRUE(route);
    EXPECT_EQ(route->route.ifindexes, std::vector<int>{3}) << length;
  }
}

TEST(KernelRtnlParseRoute, AnObjectCountsOnlyWithoutDevices) {
  const Buffer object = raw_bytes(route_header(0)) + attribute(RTA_NH_ID, raw_bytes(7U));
  EXPECT_EQ(parse_route(object)->nexthop, 7U);
  EXPECT_EQ(parse_route(object + attribute(RTA_OIF, raw_bytes(3U)))->nexthop, 0U);

  const nexthop_grp one{5, 0, 0, 0};
  const nexthop_grp two{6, 0, 0, 0};
  const Buffer group = raw_bytes(nhmsg{}) + attribute(NHA_ID, raw_bytes(7U)) +
                       attribute(NHA_GROUP, raw_bytes(one) + raw_bytes(two) + Buffer(3));
  const auto parsed = parse_nexthop(group);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->group, (std::vector<std::uint32_t>{5, 6}));
}

TEST(KernelRtnlParseAddress, OnAPointToPointLinkItIsOurs) {
  ifaddrmsg header{};
  header.ifa_family = AF_INET;
  header.ifa_prefixlen = 32;
  header.ifa_index = 3;
  const Buffer peer = attribute(IFA_ADDRESS, {std::byte{10}, {}, {}, std::byte{2}});
  const Buffer own = attribute(IFA_LOCAL, {std::byte{10}, {}, {}, std::byte{1}});
  EXPECT_EQ(parse_address(raw_bytes(header) + peer + own)->text, "10.0.0.1");
  EXPECT_EQ(parse_address(raw_bytes(header) + own + peer)->text, "10.0.0.1");
  EXPECT_FALSE(parse_address(raw_bytes(header) + attribute(IFA_LOCAL, Buffer(3))));
  header.ifa_family = AF_INET6;
  EXPECT_FALSE(parse_address(raw_bytes(header) + own));
  header.ifa_family = 128;
  EXPECT_FALSE(parse_address(raw_bytes(header) + own));
}

}  // namespace
}  // namespace nettune::kernel
