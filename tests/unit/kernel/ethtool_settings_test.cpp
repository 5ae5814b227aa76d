// SPDX-License-Identifier: Apache-2.0
#include "kernel/ethtool_settings.hpp"

#include <gtest/gtest.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

const Buffer kReply = raw_bytes(genlmsghdr{ETHTOOL_MSG_RINGS_GET_REPLY, 1, 0});

Buffer header(const std::string& name) {
  return attribute(1 | NLA_F_NESTED, attribute(ETHTOOL_A_HEADER_DEV_INDEX, raw_bytes(7U)) +
                                         attribute(ETHTOOL_A_HEADER_DEV_NAME, text_bytes(name)));
}

Buffer one_bit(const std::string& name, bool value) {
  Buffer fields = attribute(ETHTOOL_A_BITSET_BIT_INDEX, raw_bytes(3U)) +
                  attribute(ETHTOOL_A_BITSET_BIT_NAME, text_bytes(name));
  if (value) fields = fields + attribute(ETHTOOL_A_BITSET_BIT_VALUE, {});
  return attribute(ETHTOOL_A_BITSET_BITS_BIT | NLA_F_NESTED, fields);
}

Buffer bitset(int type, bool no_mask, const std::vector<std::pair<std::string, bool>>& members) {
  Buffer bits;
  for (const auto& [name, value] : members) bits = bits + one_bit(name, value);
  Buffer set = attribute(ETHTOOL_A_BITSET_SIZE, raw_bytes(64U)) +
               attribute(ETHTOOL_A_BITSET_BITS | NLA_F_NESTED, bits);
  if (no_mask) set = attribute(ETHTOOL_A_BITSET_NOMASK, {}) + set;
  return attribute(type | NLA_F_NESTED, set);
}

TEST(KernelEthtoolSettings, HasNumbersByAttribute) {
  const Buffer reply = kReply + header("ens1") +
                       attribute(ETHTOOL_A_RINGS_RX_MAX, raw_bytes(8192U)) +
                       attribute(ETHTOOL_A_RINGS_RX, raw_bytes(1024U)) +
                       attribute(ETHTOOL_A_RINGS_TX_PUSH, raw_bytes(std::uint8_t{1}));
  const EthtoolState state = parse_ethtool(EthtoolGroup::rings, reply);
  EXPECT_EQ(state.interface, "ens1");
  EXPECT_EQ(state.numbers.at(ETHTOOL_A_RINGS_RX_MAX), 8192U);
  EXPECT_EQ(state.numbers.at(ETHTOOL_A_RINGS_RX), 1024U);
  EXPECT_EQ(state.numbers.at(ETHTOOL_A_RINGS_TX_PUSH), 1U);
  EXPECT_FALSE(state.numbers.contains(ETHTOOL_A_RINGS_TX));
  EXPECT_FALSE(state.numbers.contains(1)) << "the header is no number";
}

TEST(KernelEthtoolSettings, ANumberOfAnotherLengthIsNone) {
  for (const std::size_t size : {0U, 2U, 3U, 5U, 8U}) {
    const Buffer reply = kReply + attribute(ETHTOOL_A_RINGS_RX, Buffer(size, std::byte{1}));
    EXPECT_TRUE(parse_ethtool(EthtoolGroup::rings, reply).numbers.empty()) << size;
  }
}

TEST(KernelEthtoolSettings, FeaturesAreFoundInFourSets) {
  const Buffer reply =
      kReply + header("ens1") +
      bitset(ETHTOOL_A_FEATURES_HW, false, {{"rx-lro", true}, {"rx-gro", true}, {"vlan", false}}) +
      bitset(ETHTOOL_A_FEATURES_WANTED, true, {{"rx-lro", false}, {"rx-gro", false}}) +
      bitset(ETHTOOL_A_FEATURES_ACTIVE, true, {{"rx-gro", false}, {"vlan", false}}) +
      bitset(ETHTOOL_A_FEATURES_NOCHANGE, true, {{"vlan", false}});
  const auto bits = parse_ethtool(EthtoolGroup::features, reply).bits;
  ASSERT_EQ(bits.size(), 3U);
  EXPECT_TRUE(bits.at("rx-lro").wanted);
  EXPECT_FALSE(bits.at("rx-lro").on) << "asked for, and not given";
  EXPECT_FALSE(bits.at("rx-lro").fixed);
  EXPECT_TRUE(bits.at("rx-gro").on);
  EXPECT_TRUE(bits.at("vlan").on);
  EXPECT_TRUE(bits.at("vlan").fixed);
}

TEST(KernelEthtoolSettings, AllThatAMaskNamesAreFlags) {
  const Buffer reply =
      kReply + header("ens1") +
      bitset(ETHTOOL_A_PRIVFLAGS_FLAGS, false, {{"fw-lldp-agent", true}, {"other", false}});
  const auto bits = parse_ethtool(EthtoolGroup::flags, reply).bits;
  ASSERT_EQ(bits.size(), 2U);
  EXPECT_TRUE(bits.at("fw-lldp-agent").on);
  EXPECT_FALSE(bits.at("other").on);
  EXPECT_FALSE(bits.at("other").fixed);
}

TEST(KernelEthtoolSettings, BitsWithoutANameAreLeftOut) {
  const Buffer nameless = attribute(
      ETHTOOL_A_BITSET_BITS | NLA_F_NESTED,
      attribute(ETHTOOL_A_BITSET_BITS_BIT, attribute(ETHTOOL_A_BITSET_BIT_VALUE, {})) +
          attribute(ETHTOOL_A_BITSET_BITS_BIT, lying_attribute(ETHTOOL_A_BITSET_BIT_NAME, 200)));
  const Buffer reply = kReply + attribute(ETHTOOL_A_PRIVFLAGS_FLAGS, nameless);
  EXPECT_TRUE(parse_ethtool(EthtoolGroup::flags, reply).bits.empty());
}

TEST(KernelEthtoolSettings, ATooShortOneIsEmpty) {
  for (std::size_t size = 0; size < sizeof(genlmsghdr); ++size) {
    const EthtoolState state = parse_ethtool(EthtoolGroup::features, Buffer(size));
    EXPECT_TRUE(state.interface.empty() && state.bits.empty() && state.numbers.empty());
  }
}

// ethnl_set_pause(), net/ethtool/pause.c, hands on what a driver says, if it is not negative.
TEST(KernelEthtoolSettings, APositiveAnswerIsASuccess) {
  const Buffer buffer = message(NLMSG_ERROR, 0, raw_bytes(1) + raw_bytes(nlmsghdr{}));
  Bytes rest(buffer);
  const auto answer = parse_answer(*next_message(rest));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->sys, 0);
}

// Cut and bent in every place; the sanitizers look over the shoulder.
TEST(KernelEthtoolSettings, SurvivesAnyBytes) {
  const Buffer whole = kReply + header("ens1") +
                       bitset(ETHTOOL_A_FEATURES_HW, false, {{"rx-lro", true}, {"rx-gro", false}}) +
                       bitset(ETHTOOL_A_FEATURES_ACTIVE, true, {{"rx-gro", false}});
  std::mt19937 random(1);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    Buffer bent(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    for (int turn = 0; turn < 20; ++turn) {
      for (const auto group : {EthtoolGroup::rings, EthtoolGroup::features, EthtoolGroup::flags})
        (void)parse_ethtool(group, bent);
      if (!bent.empty()) bent[random() % bent.size()] = static_cast<std::byte>(random());
    }
  }
}

}  // namespace
}  // namespace nettune::kernel
