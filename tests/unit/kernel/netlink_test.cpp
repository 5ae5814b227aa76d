// SPDX-License-Identifier: Apache-2.0
#include "kernel/netlink.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <random>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

#include "kernel/ethtool.hpp"
#include "kernel/genetlink.hpp"
#include "kernel/qdisc.hpp"
#include "kernel/rtnl_parse.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

ifinfomsg link_header() {
  ifinfomsg header{};
  header.ifi_index = 12;
  header.ifi_type = 1;
  header.ifi_flags = 0x1043;
  return header;
}

std::vector<Attribute> attributes_in(const Buffer& buffer) {
  std::vector<Attribute> attributes;
  each_attribute(Bytes(buffer), [&](const Attribute& one) { attributes.push_back(one); });
  return attributes;
}

TEST(KernelNetlinkAttributes, AreWalkedInOrder) {
  const Buffer buffer = attribute(1, text_bytes("abc")) + attribute(2, raw_bytes(9000U));
  const auto found = attributes_in(buffer);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].type, 1);
  EXPECT_EQ(text_of(found[0].payload), "abc");
  EXPECT_EQ(found[1].type, 2);
  EXPECT_EQ(value_of<std::uint32_t>(found[1].payload), 9000U);
}

TEST(KernelNetlinkAttributes, EndAtALengthThatDoesNotFit) {
  EXPECT_TRUE(attributes_in({}).empty());
  for (const int length : {0, 1, 3, 9, 100, 65535}) {
    const Buffer lying = lying_attribute(1, static_cast<std::uint16_t>(length), Buffer(4));
    EXPECT_TRUE(attributes_in(lying).empty()) << length;
    EXPECT_EQ(attributes_in(attribute(7, {}) + lying).size(), 1U) << length;
  }
}

TEST(KernelNetlinkAttributes, TheLastOneNeedsNoPadding) {
  const Buffer buffer = lying_attribute(1, 5, Buffer(1));
  const auto found = attributes_in(buffer);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].payload.size(), 1U);
}

TEST(KernelNetlinkAttributes, NestedBitIsTakenOff) {
  const Buffer buffer = attribute(5 | NLA_F_NESTED, {});
  ASSERT_EQ(attributes_in(buffer).size(), 1U);
  EXPECT_EQ(attributes_in(buffer)[0].type, 5);
}

TEST(KernelNetlinkMessages, EndAtALengthThatDoesNotFit) {
  Buffer buffer = message(RTM_NEWLINK, 0, Buffer(16));
  buffer.pop_back();
  Bytes rest(buffer);
  EXPECT_FALSE(next_message(rest));
  EXPECT_FALSE(rest.empty());
}

TEST(KernelNetlinkAnswer, HasTheTextOfTheExtendedAck) {
  const Buffer text = attribute(NLMSGERR_ATTR_MSG, text_bytes("mtu too large"));
  const int code = -EINVAL;
  nlmsghdr asked{};
  asked.nlmsg_len = sizeof(asked) + 20;
  const Buffer capped = raw_bytes(code) + raw_bytes(asked) + text;
  const Buffer whole = raw_bytes(code) + raw_bytes(asked) + Buffer(20) + text;
  for (const auto& [payload, flags] :
       {std::pair(capped, NLM_F_CAPPED | NLM_F_ACK_TLVS), std::pair(whole, 0 | NLM_F_ACK_TLVS)}) {
    const Buffer buffer = message(NLMSG_ERROR, static_cast<std::uint16_t>(flags), payload);
    Bytes rest(buffer);
    const auto answer = parse_answer(*next_message(rest));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->sys, EINVAL);
    EXPECT_EQ(answer->text, "mtu too large");
  }
}

TEST(KernelNetlinkAnswer, SurvivesHostileLengths) {
  nlmsghdr asked{};
  asked.nlmsg_len = 0xfffffff0U;
  const int code = -EPERM;
  const Buffer buffer =
      message(NLMSG_ERROR, NLM_F_ACK_TLVS, raw_bytes(code) + raw_bytes(asked) + Buffer(8));
  Bytes rest(buffer);
  const auto answer = parse_answer(*next_message(rest));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->sys, EPERM);
  EXPECT_EQ(answer->text, "");
  EXPECT_EQ(kernel_error(*answer).code, Errc::denied);

  const Buffer cut = message(NLMSG_ERROR, 0, Buffer(2));
  Bytes cut_rest(cut);
  EXPECT_FALSE(parse_answer(*next_message(cut_rest)));
}

TEST(KernelNetlinkAnswer, ACodeOutOfRangeIsAFailureStill) {
  const int code = -2000000000;
  const Buffer buffer = message(NLMSG_ERROR, 0, raw_bytes(code));
  Bytes rest(buffer);
  EXPECT_EQ(parse_answer(*next_message(rest))->sys, EIO);
}

TEST(KernelNetlinkSession, NamesWhatTheSystemSaid) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto session = NetlinkSession::open(NETLINK_ROUTE);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().sys, EMFILE);
  EXPECT_EQ(session.error().text, "netlink socket: Too many open files");
}

TEST(KernelNetlinkSession, NamesWhyARequestCouldNotBeSent) {
  auto session = NetlinkSession::open(NETLINK_ROUTE);
  ASSERT_TRUE(session) << session.error().text;
  // More than any socket takes at once.
  constexpr std::size_t kPart = 60000;
  Request request(RTM_GETLINK, NLM_F_ACK, 100 * (kPart + 4) + 64);
  request.header(link_header());
  const Buffer part(kPart);
  for (int i = 0; i < 100; ++i) request.put_bytes(IFLA_IFALIAS, part);
  const auto sent = session->request(std::move(request));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().sys, EMSGSIZE);
  EXPECT_EQ(sent.error().text, "netlink send: Message too long");
}

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

TEST(KernelQdisc, IsReadWhole) {
  tcmsg header{};
  header.tcm_ifindex = 12;
  header.tcm_handle = 0x80010000;
  header.tcm_parent = TC_H_ROOT;
  const auto qdisc = parse_qdisc(raw_bytes(header) + attribute(TCA_KIND, text_bytes("fq_codel")) +
                                 attribute(TCA_OPTIONS, Buffer(8)));
  ASSERT_TRUE(qdisc);
  EXPECT_EQ(qdisc->ifindex, 12);
  EXPECT_EQ(qdisc->handle, 0x80010000);
  EXPECT_EQ(qdisc->parent, TC_H_ROOT);
  EXPECT_EQ(qdisc->kind, "fq_codel");
  EXPECT_FALSE(parse_qdisc(Buffer(sizeof(tcmsg) - 1)));
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

TEST(KernelEthtool, SpeedStandsInFrontOfBase) {
  EXPECT_EQ(mode_speed_mbps("200000baseCR4/Full"), 200000);
  EXPECT_EQ(mode_speed_mbps("10baseT/Half"), 10);
  EXPECT_FALSE(mode_speed_mbps("Autoneg"));
  EXPECT_FALSE(mode_speed_mbps("FIBRE"));
  EXPECT_FALSE(mode_speed_mbps("1000"));
  EXPECT_FALSE(mode_speed_mbps("base"));
  EXPECT_FALSE(mode_speed_mbps("99999999999999999999999999base"));
  EXPECT_FALSE(mode_speed_mbps("0baseT/Full"));
}

Buffer mode(const std::string& name) {
  return attribute(ETHTOOL_A_BITSET_BITS_BIT,
                   attribute(ETHTOOL_A_BITSET_BIT_INDEX, raw_bytes(1U)) +
                       attribute(ETHTOOL_A_BITSET_BIT_NAME, text_bytes(name)));
}

TEST(KernelEthtool, TheFastestOfTheReply) {
  const Buffer modes =
      attribute(ETHTOOL_A_BITSET_BITS, mode("Autoneg") + mode("100000baseSR4/Full") +
                                           mode("200000baseCR4/Full") + mode("25000baseCR/Full"));
  const Buffer reply = raw_bytes(genlmsghdr{ETHTOOL_MSG_LINKMODES_GET_REPLY, 1, 0}) +
                       attribute(ETHTOOL_A_LINKMODES_OURS, modes) +
                       attribute(ETHTOOL_A_LINKMODES_SPEED, raw_bytes(100000U));
  const LinkModes parsed = parse_link_modes(reply);
  EXPECT_EQ(parsed.max_speed_mbps, 200000);
  EXPECT_EQ(parsed.speed_mbps, 100000);
}

TEST(KernelEthtool, UnknownStaysUnknown) {
  const Buffer reply =
      raw_bytes(genlmsghdr{}) + attribute(ETHTOOL_A_LINKMODES_SPEED, raw_bytes(0xffffffffU));
  EXPECT_FALSE(parse_link_modes(reply).speed_mbps);
  EXPECT_FALSE(parse_link_modes(reply).max_speed_mbps);
  EXPECT_FALSE(parse_link_modes({}).max_speed_mbps);
}

// Run under the sanitizers, this says that no byte outside the span is touched.
TEST(KernelNetlinkParsers, SurviveAnyBytes) {
  std::mt19937 random(20241121);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t size = random() % 160;
    // Exactly `size` bytes on the heap, so that a read behind them is seen.
    Buffer bytes(size);
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(random() % 4 == 0 ? random() % 256 : random() % 20);
    }
    bytes.shrink_to_fit();
    (void)parse_link(bytes);
    (void)parse_route(bytes);
    (void)parse_address(bytes);
    (void)parse_nexthop(bytes);
    (void)parse_qdisc(bytes);
    (void)parse_link_modes(bytes);
    (void)parse_family_id(bytes);
    Bytes rest(bytes);
    while (const auto each = next_message(rest)) (void)parse_answer(*each);
  }
}

}  // namespace
}  // namespace nettune::kernel
