// SPDX-License-Identifier: Apache-2.0
#include "node/device_index.hpp"

#include <gtest/gtest.h>
#include <net/if.h>

namespace nettune::node {
namespace {

facts::Facts node_with_lo() {
  facts::Facts facts;
  facts::NetDevice lo;
  lo.name = "lo";
  lo.ifindex = static_cast<int>(::if_nametoindex("lo"));
  lo.identity = "name lo";
  facts::NetDevice gone = lo;
  gone.name = "nettune-gone";
  gone.ifindex = 1 << 30;
  gone.identity = "name nettune-gone";
  // Today lo has the index that it had under another name.
  facts::NetDevice renamed = lo;
  renamed.name = "before";
  renamed.identity = "name before";
  facts.net = {lo, gone, renamed};
  return facts;
}

Plan plan_of(const std::string& device, const std::string& address) {
  Plan plan;
  PlanItem item;
  item.setting.address.text = address;
  item.setting.device = device;
  item.verdict = Verdict::different;
  plan.items.push_back(item);
  return plan;
}

TEST(NodeDeviceIndex, FollowTheIndexAndNotTheName) {
  const DeviceIndexes indexes(node_with_lo());
  const auto at = [&](const char* address, const char* device) {
    const auto found = indexes.locate(Address{address}, device);
    return found ? found->text : std::string("nothing");
  };
  EXPECT_EQ(at("link:lo:mtu", "name lo"), "link:lo:mtu");
  EXPECT_EQ(at("link:before:mtu", "name before"), "link:lo:mtu");
  EXPECT_EQ(at("sysctl:net.ipv4.conf.before.rp_filter", "name before"),
            "sysctl:net.ipv4.conf.lo.rp_filter");
  EXPECT_EQ(at("link:nettune-gone:mtu", "name nettune-gone"), "nothing");
  EXPECT_EQ(at("link:eth9:mtu", "name eth9"), "nothing");
  EXPECT_EQ(at("rdma:mlx5_0/1:cma-roce-tos", "name before"), "nothing") << "no interface";
}

TEST(NodeDeviceIndex, AreKeptInTheToken) {
  const DeviceIndexes indexes(node_with_lo());
  const std::string token =
      indexes.with_indexes("123 abc", plan_of("name before", "link:before:mtu"));
  EXPECT_NE(token, "123 abc");
  EXPECT_EQ(without_indexes(token), "123 abc");
  EXPECT_EQ(without_indexes(indexes.with_indexes("", plan_of("name before", "link:before:mtu"))),
            "");
  EXPECT_EQ(indexes.with_indexes("123", plan_of("pci 0000:01:00.0 port 0", "link:lo:mtu")), "123");
  const DeviceIndexes read = DeviceIndexes::parse(token);
  EXPECT_EQ(read.locate(Address{"link:before:mtu"}, "name before"), Address{"link:lo:mtu"});
  EXPECT_FALSE(read.locate(Address{"link:lo:mtu"}, "name lo")) << "not of the plan";
  for (const char* const bad : {"", "123", "1 #", "1 #x=lo", "1 #0=lo", "1 #-3=lo", "1 #5"})
    EXPECT_FALSE(DeviceIndexes::parse(bad).locate(Address{"link:lo:mtu"}, "name lo")) << bad;
}

}  // namespace
}  // namespace nettune::node
