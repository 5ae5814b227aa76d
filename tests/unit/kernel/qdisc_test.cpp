// SPDX-License-Identifier: Apache-2.0
#include "kernel/qdisc.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "kernel/netlink.hpp"
#include "unit/kernel/fixture.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

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

}  // namespace
}  // namespace nettune::kernel
