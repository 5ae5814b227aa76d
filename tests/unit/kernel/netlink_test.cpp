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
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

#include "kernel/ethtool.hpp"
#include "kernel/genetlink.hpp"
#include "kernel/qdisc.hpp"
#include "kernel/rtnl_parse.hpp"
#include "unit/kernel/fixture.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

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
