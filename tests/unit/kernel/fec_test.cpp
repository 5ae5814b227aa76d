// SPDX-License-Identifier: Apache-2.0
#include "kernel/fec.hpp"

#include <gtest/gtest.h>
#include <linux/devlink.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "unit/kernel/fixture.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

TEST(KernelFec, IsTheNameOfALinkMode) {
  const auto reply = [](std::uint32_t mode) {
    return kHead + attribute(ETHTOOL_A_FEC_AUTO, raw_bytes(std::uint8_t{1})) +
           attribute(ETHTOOL_A_FEC_ACTIVE, raw_bytes(mode));
  };
  EXPECT_EQ(parse_fec(reply(ETHTOOL_LINK_MODE_FEC_NONE_BIT)), "none");
  EXPECT_EQ(parse_fec(reply(ETHTOOL_LINK_MODE_FEC_RS_BIT)), "rs");
  EXPECT_EQ(parse_fec(reply(ETHTOOL_LINK_MODE_FEC_BASER_BIT)), "baser");
  EXPECT_EQ(parse_fec(reply(ETHTOOL_LINK_MODE_FEC_LLRS_BIT)), "llrs");
  EXPECT_FALSE(parse_fec(reply(3)));
  EXPECT_FALSE(parse_fec(kHead)) << "a link that is down has none";
  EXPECT_FALSE(parse_fec(kHead + attribute(ETHTOOL_A_FEC_ACTIVE, raw_bytes(std::uint8_t{50}))));
}

}  // namespace
}  // namespace nettune::kernel
