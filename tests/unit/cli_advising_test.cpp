// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "node/check/advising.hpp"

namespace nettune::cli {
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

TEST(Advising, LooksAtWhatSettingsName) {
  Look look;
  look.wanted.push_back({"dcb:fab0:pfc", Relation::exact, "3"});
  look.wanted.push_back({"sysctl:net.ipv4.tcp_sack", Relation::exact, "1"});
  look.wanted.push_back({"rdma:mlx5_0/1:cma-roce-tos", Relation::exact, "106"});
  EXPECT_EQ(devices_of(look, {}, a_node()), (Names{"fab0", "mlx5_0"}));
}

TEST(Advising, LooksAtWhatTheProfileChose) {
  Look look;
  look.wanted.push_back({"nccl.conf:NCCL_IB_HCA", Relation::exact, "=mlx5_0"});
  // InfiniBand without IPoIB, which was called otherwise then.
  const Member port{"ib", "mlx5_0/1", "rdma pci 0000:5e:00.0 port 1"};
  const Member interface { "fabric", "eth0", "pci 0000:3b:00.0 port 0" };
  const Member gone{"fabric", "eth9", "pci 0000:99:00.0 port 0"};
  EXPECT_EQ(devices_of(look, {port}, a_node()), Names{"mlx5_7"});
  EXPECT_EQ(devices_of(look, {interface, gone}, a_node()), Names{"fab0"});
}

}  // namespace
}  // namespace nettune::cli
