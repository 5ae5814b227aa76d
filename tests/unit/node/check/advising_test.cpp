// SPDX-License-Identifier: Apache-2.0
#include "node/check/advising.hpp"

#include <gtest/gtest.h>

namespace nettune::node::check {
namespace {

using Names = std::set<std::string>;

facts::Facts a_node() {
  facts::Facts facts;
  facts::NetDevice net;
  net.name = "fab0";
  net.identity = "pci 0000:3b:00.0 port 0";
  facts.net.push_back(net);
  facts::RdmaDevice rdma;
  rdma.name = "mlx5_7";
  rdma.identity = "rdma pci 0000:5e:00.0";
  facts.rdma.push_back(rdma);
  return facts;
}

TEST(NodeCheckAdvising, LooksAtWhatSettingsName) {
  std::vector<Setting> settings(3);
  settings[0].address.text = "dcb:fab0:pfc";
  settings[1].address.text = "sysctl:net.ipv4.tcp_sack";
  settings[2].address.text = "rdma:mlx5_0/1:cma-roce-tos";
  EXPECT_EQ(devices_of(settings, {}, a_node()), (Names{"fab0", "mlx5_0"}));
}

TEST(NodeCheckAdvising, LooksAtWhatTheProfileChose) {
  std::vector<Setting> settings(1);
  settings[0].address.text = "nccl.conf:NCCL_IB_HCA";
  // InfiniBand without IPoIB, which was called otherwise then.
  const Member port{"ib", "mlx5_0/1", "rdma pci 0000:5e:00.0 port 1"};
  const Member interface { "fabric", "eth0", "pci 0000:3b:00.0 port 0" };
  const Member gone{"fabric", "eth9", "pci 0000:99:00.0 port 0"};
  EXPECT_EQ(devices_of(settings, {port}, a_node()), Names{"mlx5_7"});
  EXPECT_EQ(devices_of(settings, {interface, gone}, a_node()), Names{"fab0"});
}

}  // namespace
}  // namespace nettune::node::check
