// SPDX-License-Identifier: Apache-2.0
#include "kernel/dcbnl.hpp"

#include <gtest/gtest.h>
#include <net/if.h>
#include <random>

#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

Buffer answer(const Buffer& attributes) {
  return raw_bytes(dcbmsg{0, DCB_CMD_IEEE_GET, 0}) + attributes;
}

/// As a kernel with all tables answers.
Buffer whole() {
  ieee_ets ets{};
  ets.prio_tc[3] = 3;
  ieee_pfc pfc{};
  pfc.pfc_en = 8;
  pfc.delay = 7;
  ieee_maxrate rate{};
  rate.tc_maxrate[7] = 100000;
  dcbnl_buffer buffer{};
  buffer.buffer_size[0] = 1000;
  const Buffer apps = attribute(DCB_ATTR_IEEE_APP, raw_bytes(dcb_app{5, 3, 26})) +
                      attribute(DCB_ATTR_IEEE_APP, raw_bytes(dcb_app{3, 3, 4791})) +
                      attribute(DCB_ATTR_IEEE_APP_UNSPEC, raw_bytes(dcb_app{5, 7, 7}));
  return answer(attribute(DCB_ATTR_IFNAME, raw_bytes("eth1")) +
                attribute(DCB_ATTR_IEEE | NLA_F_NESTED,
                          attribute(DCB_ATTR_IEEE_ETS, raw_bytes(ets)) +
                              attribute(DCB_ATTR_IEEE_MAXRATE, raw_bytes(rate)) +
                              attribute(DCB_ATTR_IEEE_PFC, raw_bytes(pfc)) +
                              attribute(DCB_ATTR_DCB_BUFFER, raw_bytes(buffer)) +
                              attribute(DCB_ATTR_IEEE_APP_TABLE, apps)) +
                attribute(DCB_ATTR_DCBX, raw_bytes(std::uint8_t{9})));
}

TEST(KernelDcbnl, TakesAnAnswerApart) {
  const Dcb dcb = parse_dcb(whole());
  ASSERT_TRUE(dcb.ets && dcb.pfc && dcb.maxrate && dcb.buffer && dcb.dcbx);
  EXPECT_EQ(dcb.ets->prio_tc[3], 3);
  EXPECT_EQ(dcb.pfc->pfc_en, 8);
  EXPECT_EQ(dcb.pfc->delay, 7);
  EXPECT_EQ(dcb.maxrate->tc_maxrate[7], 100000U);
  EXPECT_EQ(dcb.buffer->buffer_size[0], 1000U);
  EXPECT_EQ(*dcb.dcbx, 9);
  ASSERT_EQ(dcb.apps.size(), 2U);
  EXPECT_EQ(dcb.apps[1].protocol, 4791);
}

TEST(KernelDcbnl, WhatIsNotThereIsNotThere) {
  const Dcb dcb = parse_dcb(answer(attribute(DCB_ATTR_IEEE, {})));
  EXPECT_FALSE(dcb.ets || dcb.pfc || dcb.maxrate || dcb.buffer || dcb.dcbx);
  EXPECT_TRUE(dcb.apps.empty());
  // A table that is cut short is none.
  const Buffer cut(sizeof(ieee_pfc) - 1);
  EXPECT_FALSE(parse_dcb(answer(attribute(DCB_ATTR_IEEE, attribute(DCB_ATTR_IEEE_PFC, cut)))).pfc);
}

TEST(KernelDcbnl, HostileBytesAreReadSafely) {
  const Buffer good = whole();
  for (std::size_t size = 0; size <= good.size(); ++size) {
    // On the heap, of exactly this size: a sanitizer sees one byte too far.
    const Buffer part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    (void)parse_dcb(part);
    (void)parse_dcb_result(part, DCB_ATTR_IEEE);
  }
  std::mt19937 random(11);
  for (int round = 0; round < 5000; ++round) {
    Buffer bent = good;
    for (int i = 0; i < 3; ++i)
      bent[random() % bent.size()] = static_cast<std::byte>(random() % 256);
    (void)parse_dcb(bent);
    (void)parse_dcb_result(bent, DCB_ATTR_IEEE);
  }
}

TEST(KernelDcbnl, AResultIsASignedByte) {
  const auto result = [](std::uint8_t byte) {
    return parse_dcb_result(answer(attribute(DCB_ATTR_IEEE, raw_bytes(byte))), DCB_ATTR_IEEE);
  };
  EXPECT_EQ(result(0), 0);
  EXPECT_EQ(result(0xEA), -22);
  EXPECT_EQ(result(2), 2);
  EXPECT_EQ(parse_dcb_result(answer({}), DCB_ATTR_IEEE), std::nullopt);
  EXPECT_EQ(parse_dcb_result({}, DCB_ATTR_IEEE), std::nullopt);
  EXPECT_EQ(parse_dcb_result(answer(attribute(DCB_ATTR_IEEE, {})), DCB_ATTR_IEEE), std::nullopt);
}

TEST(KernelDcbnl, AsksTheKernel) {
  const std::vector<std::string> names = {"lo", "no-such-if"};
  const auto all = get_dcb(names);
  ASSERT_EQ(all.size(), 2U);
  // Loopback has no DCB in any kernel; a kernel without DCB says the same of every interface.
  ASSERT_FALSE(all[0]);
  EXPECT_EQ(all[0].error().code, Errc::unsupported) << all[0].error().text;
  ASSERT_FALSE(all[1]);
  EXPECT_TRUE(all[1].error().code == Errc::not_found || all[1].error().code == Errc::unsupported);
  const auto refused = set_dcb("no-such-if", ieee_pfc{});
  ASSERT_FALSE(refused);
}

}  // namespace
}  // namespace nettune::kernel
