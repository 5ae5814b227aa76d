// SPDX-License-Identifier: Apache-2.0
#include "checks/lldp.hpp"

#include <gtest/gtest.h>
#include <random>

#include "base/text.hpp"
#include "unit/support/lldp_bytes.hpp"

namespace nettune::checks {
namespace {

using namespace test;
using Octets = std::array<std::uint8_t, 8>;

TEST(ChecksLldp, SaysWhoAndWhat) {
  const auto heard = parse_lldp(leaf());
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->chassis, "0c:42:a1:00:00:01");
  EXPECT_EQ(heard->port, "swp3");
  EXPECT_EQ(heard->port_text, "to node 7");
  EXPECT_EQ(heard->system, "leaf1");
  EXPECT_EQ(heard->ttl_s, 120);
  ASSERT_TRUE(heard->ets);
  EXPECT_EQ(heard->ets->class_of, (Octets{0, 0, 0, 1, 0, 0, 2, 0}));
  EXPECT_EQ(heard->ets->share_of, (Octets{50, 50, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(heard->ets->algorithm_of, (Octets{2, 2, 0, 0, 0, 0, 0, 0}));
  ASSERT_TRUE(heard->ets_recommended);
  EXPECT_EQ(heard->pfc, 0x08);
  ASSERT_TRUE(heard->apps);
  ASSERT_EQ(heard->apps->size(), 3U);
  EXPECT_EQ((*heard->apps)[0].protocol, (kinds::dcb::DcbProtocol{5, 26}));
  EXPECT_EQ((*heard->apps)[0].priority, 3);
  EXPECT_EQ((*heard->apps)[1].protocol, (kinds::dcb::DcbProtocol{5, 48}));
  EXPECT_EQ((*heard->apps)[1].priority, 6);
  EXPECT_EQ((*heard->apps)[2].protocol, (kinds::dcb::DcbProtocol{1, 0x8915}));
  EXPECT_FALSE(heard->has_cee);
  EXPECT_TRUE(heard->has_dcb());
}

TEST(ChecksLldp, NeedsWhatComesFirst) {
  const Buffer port = tlv(2, octets({5}) + characters("swp3"));
  const Buffer chassis = tlv(1, octets({4, 0x0c, 0x42, 0xa1, 0, 0, 1}));
  const Buffer ttl = tlv(3, octets({0, 120}));
  EXPECT_FALSE(parse_lldp({}));
  EXPECT_FALSE(parse_lldp(end_of_unit()));
  EXPECT_FALSE(parse_lldp(port + chassis + ttl));
  EXPECT_FALSE(parse_lldp(chassis + port));
  EXPECT_FALSE(parse_lldp(chassis + port + tlv(3, octets({120}))));
  EXPECT_TRUE(parse_lldp(chassis + port + ttl)) << "the end may be missing";
}

TEST(ChecksLldp, WhatStandsBehindTheEndIsNotRead) {
  const auto heard = parse_lldp(who() + end_of_unit() + ieee8021(11, octets({8, 0x08})));
  ASSERT_TRUE(heard);
  EXPECT_FALSE(heard->pfc);
}

TEST(ChecksLldp, AnotherLengthIsAnotherForm) {
  for (const auto& [subtype, info] :
       std::initializer_list<std::pair<int, Buffer>>{{9, ets_info() + octets({0})},
                                                     {10, Buffer(20)},
                                                     {11, octets({8})},
                                                     {11, octets({8, 8, 8})},
                                                     {12, octets({0, 0x65, 0})},
                                                     {12, octets({0})},
                                                     {12, {}}}) {
    const auto heard = parse_lldp(who() + ieee8021(subtype, info));
    ASSERT_TRUE(heard);
    EXPECT_FALSE(heard->has_dcb()) << subtype << " with " << info.size();
  }
}

TEST(ChecksLldp, ASecondThatIsNotUnderstoodTakesNothingBack) {
  for (const int subtype : {9, 10}) {
    const auto heard = parse_lldp(who() + ieee8021(subtype, ets_info()) +
                                  ieee8021(subtype, ets_info() + octets({0})));
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->ets.has_value(), subtype == 9);
    EXPECT_EQ(heard->ets_recommended.has_value(), subtype == 10);
  }
}

TEST(ChecksLldp, ALongTableComesInParts) {
  const auto heard = parse_lldp(who() + ieee8021(12, octets({0, 0x65, 0, 26})) +
                                ieee8021(12, octets({0, 0xc5, 0, 48})));
  ASSERT_TRUE(heard && heard->apps);
  EXPECT_EQ(heard->apps->size(), 2U);
}

TEST(ChecksLldp, OthersSubtypesAreOthers) {
  // CEE's DCBX, and an organisation whose subtype 11 is not PFC.
  const auto heard = parse_lldp(who() + tlv(127, octets({0x00, 0x1b, 0x21, 2, 1, 2})) +
                                tlv(127, octets({0x00, 0x12, 0x0f, 11, 8, 8})));
  ASSERT_TRUE(heard);
  EXPECT_TRUE(heard->has_cee);
  EXPECT_FALSE(heard->has_dcb());
}

TEST(ChecksLldp, NamesAreMadePrintable) {
  const auto heard =
      parse_lldp(tlv(1, octets({7}) + characters("a\x1b[31m")) + tlv(2, octets({7}) + octets({0})) +
                 tlv(3, octets({0, 1})) + tlv(5, Buffer(511, std::byte{'x'})));
  ASSERT_TRUE(heard);
  EXPECT_FALSE(has_control_characters(heard->chassis)) << heard->chassis;
  EXPECT_FALSE(has_control_characters(heard->port));
  EXPECT_EQ(heard->system.size(), 255U);
}

/// Exactly so many bytes on the heap, so that a read behind them is seen by AddressSanitizer.
void read_all(Buffer bytes) {
  bytes.shrink_to_fit();
  const auto heard = parse_lldp(bytes);
  if (!heard) return;
  for (const std::string& text : {heard->chassis, heard->port, heard->port_text, heard->system})
    EXPECT_FALSE(has_control_characters(text));
  if (!heard->ets) return;
  for (const std::uint8_t traffic_class : heard->ets->class_of) EXPECT_LT(traffic_class, 16);
}

TEST(ChecksLldp, EveryCutIsSurvived) {
  const Buffer whole = leaf();
  for (std::size_t size = 0; size < whole.size(); ++size)
    read_all({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
}

TEST(ChecksLldp, LengthsMayLie) {
  for (std::size_t length = 0; length < 512; ++length)
    for (const int type : {0, 1, 4, 5, 127})
      read_all(who() + lying_tlv(type, length, octets({0x00, 0x80, 0xc2, 12, 0, 1, 2})));
}

TEST(ChecksLldp, SurvivesWhatIsNoLldp) {
  std::mt19937 random(20250806);
  const Buffer whole = leaf();
  for (int round = 0; round < 20000; ++round) {
    Buffer bytes = whole;
    for (auto i = random() % 12; i > 0; --i)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 3 == 0) bytes.resize(random() % bytes.size());
    read_all(std::move(bytes));
    Buffer noise(random() % 80);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random() % (round % 2 ? 256 : 6));
    read_all(who() + noise);
    read_all(std::move(noise));
  }
}

}  // namespace
}  // namespace nettune::checks
