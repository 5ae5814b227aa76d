// SPDX-License-Identifier: Apache-2.0
#include "node/check/listening.hpp"

#include <gtest/gtest.h>

#include "unit/support/lldp_bytes.hpp"

namespace nettune::node::check {
namespace {

using namespace test;

TEST(NodeCheckListening, EndsWhereASwitchHasSaidWhatItHas) {
  checks::Heard heard;
  EXPECT_FALSE(take_unit(octets({1, 2, 3}), heard));
  EXPECT_FALSE(heard.neighbour);
  EXPECT_FALSE(take_unit(who() + tlv(5, characters("leaf1")), heard));
  ASSERT_TRUE(heard.neighbour);
  EXPECT_EQ(heard.neighbour->system, "leaf1");
  EXPECT_FALSE(take_unit(who() + ieee8021(12, octets({0})), heard)) << "a table without entries";
  EXPECT_TRUE(take_unit(leaf(), heard));
}

TEST(NodeCheckListening, WhatIsTakenBackWasNotHeard) {
  checks::Heard heard;
  EXPECT_FALSE(take_unit(who() + tlv(5, characters("leaf1")), heard));
  const Buffer another = tlv(1, octets({4, 0x0c, 0x42, 0xa1, 0, 0, 2})) +
                         tlv(2, octets({5}) + characters("swp3")) + tlv(3, octets({0, 0}));
  EXPECT_FALSE(take_unit(another, heard));
  EXPECT_TRUE(heard.neighbour) << "another's farewell";
  EXPECT_FALSE(take_unit(who(0), heard));
  EXPECT_FALSE(heard.neighbour);
}

}  // namespace
}  // namespace nettune::node::check
