// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/observe_variables.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "tools/doctor/probe/gather.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

const nettune::nccl::Catalog& catalog() {
  static const nettune::nccl::Catalog read = [] {
    std::ifstream file(NETTUNE_SOURCE_DIR "/catalog/nccl.toml");
    std::ostringstream text;
    text << file.rdbuf();
    auto parsed = nettune::nccl::parse_catalog(text.str(), "nccl.toml");
    EXPECT_TRUE(parsed);
    return parsed ? std::move(*parsed) : nettune::nccl::Catalog();
  }();
  return read;
}

/// The values of a node with this nccl.conf, by variable.
std::map<std::string, std::string> values(const std::string& conf, Machine machine,
                                          std::string_view what = "nccl.variable") {
  test::FakeNode tree;
  tree.file("etc/nccl.conf", conf);
  const auto root = kernel::Directory::open_node(tree.root());
  EXPECT_TRUE(root);
  machine.assignments.clear();
  machine.environment.clear();
  probe::read_environment({*root, false}, machine);
  Sightings sightings;
  observe_variables(machine, catalog(), sightings);
  std::map<std::string, std::string> found;
  for (const facts::Observation& seen : sightings.take())
    if (seen.what == what) found[seen.device] = seen.value.value_or("-");
  return found;
}

TEST(DoctorObserveVariables, WhatTheNodeDoesNotHaveIsAFault) {
  const Machine node = test::training_node();
  using Values = std::map<std::string, std::string>;
  EXPECT_EQ(values("NCCL_IB_HCA=mlx5_0,mlx5_1\n", node), (Values{{"NCCL_IB_HCA", "good"}}));
  EXPECT_EQ(values("NCCL_IB_HCA=mlx5_8\n", node), (Values{{"NCCL_IB_HCA", "missing"}}));
  EXPECT_EQ(values("NCCL_IB_HCA=mlx5_0,mlx5_8\n", node), (Values{{"NCCL_IB_HCA", "objection"}}));
  EXPECT_EQ(values("NCCL_SOCKET_IFNAME=bond7\n", node),
            (Values{{"NCCL_SOCKET_IFNAME", "missing"}}));
  EXPECT_EQ(values("NCCL_IB_GID_INDEX=9\n", node), (Values{{"NCCL_IB_GID_INDEX", "missing"}}));
  EXPECT_EQ(values("NCCL_NCHANNELS=4\n", node), (Values{{"NCCL_NCHANNELS", "objection"}}));
}

TEST(DoctorObserveVariables, WhatWasNotReadIsNotMissing) {
  Machine node = test::training_node();
  for (facts::NetDevice& device : node.facts.net) device.addresses.clear();
  node.facts.rdma.clear();
  EXPECT_EQ(values("NCCL_SOCKET_IFNAME=bond7\n", node).at("NCCL_SOCKET_IFNAME"), "-");
  EXPECT_EQ(values("NCCL_IB_HCA=mlx5_8\n", node).at("NCCL_IB_HCA"), "-");
}

TEST(DoctorObserveVariables, TurnedOffOnANodeThatHasIt) {
  const Machine node = test::training_node();
  const auto off = [&](const std::string& conf, const Machine& machine) {
    return values(conf, machine, "nccl.turned-off").begin()->second;
  };
  EXPECT_EQ(off("NCCL_DEBUG=WARN\n", node), "nothing");
  EXPECT_EQ(off("NCCL_IB_DISABLE=1\n", node), "rdma");
  EXPECT_EQ(off("NCCL_IB_DISABLE=0\n", node), "nothing");
  EXPECT_EQ(off("NCCL_NET=Socket\n", node), "rdma");
  EXPECT_EQ(off("NCCL_P2P_DISABLE=1\n", node), "p2p");
  Machine apart = node;
  for (GpuState& gpu : *apart.nvidia.gpus.value) gpu.nvlinks_up.reset();
  apart.facts.rdma.clear();
  EXPECT_EQ(off("NCCL_P2P_DISABLE=1\n", apart), "nothing");
  EXPECT_EQ(off("NCCL_IB_DISABLE=1\n", apart), "nothing");
}

TEST(DoctorObserveVariables, OfTheFilesThatJobsGetAndOfNoConditionalLine) {
  test::FakeNode tree;
  tree.file("etc/environment", "NCCL_IB_TC=106\n");
  tree.file("etc/profile.d/nccl.sh",
            "export NCCL_IB_HCA=mlx5_0\nif [ -e /x ]; then export NCCL_ALGO=Ring; fi\n");
  const auto root = kernel::Directory::open_node(tree.root());
  Machine machine;
  probe::read_environment({*root, false}, machine);
  EXPECT_EQ(machine.environment,
            (std::map<std::string, std::string>{{"NCCL_IB_HCA", "mlx5_0"}, {"NCCL_IB_TC", "106"}}));
}

}  // namespace
}  // namespace nettune::tools::doctor
