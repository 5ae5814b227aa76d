// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/rendezvous.hpp"

#include <gtest/gtest.h>

#include "tools/doctor/observe.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

Lookup lookup(std::vector<std::string> addresses) {
  Lookup own;
  own.name = "gpu17";
  own.canonical = "gpu17.cluster";
  own.fqdn = "gpu17.cluster";
  own.addresses = std::move(addresses);
  return own;
}

TEST(DoctorRendezvous, TorchsRuleForEachFormOfEndpoint) {
  const Lookup debian = lookup({"127.0.1.1"});
  EXPECT_EQ(matches_this_host("localhost", {}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("127.0.0.1", {"127.0.0.1"}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("gpu17", {"127.0.1.1"}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("gpu17.cluster", {"127.0.1.1"}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("10.0.0.17", {"10.0.0.17"}, debian), HostMatch::others);
  const Lookup mended = lookup({"10.0.0.17"});
  EXPECT_EQ(matches_this_host("10.0.0.17", {"10.0.0.17"}, mended), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("alias", {"10.0.0.17"}, mended), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("gpu18", {"10.0.0.18"}, mended), HostMatch::others);
  EXPECT_EQ(matches_this_host("10.0.0.17", {"10.0.0.17"}, lookup({})), HostMatch::raises);
  EXPECT_EQ(matches_this_host("gpu17", {}, lookup({})), HostMatch::hosts);
}

TEST(DoctorRendezvous, GlooTakesTheFirstAddressThatCanBeBound) {
  const std::vector<std::string> local = {"10.0.0.17"};
  EXPECT_EQ(gloo_address(lookup({"127.0.1.1", "10.0.0.17"}), local), "127.0.1.1");
  EXPECT_EQ(gloo_address(lookup({"10.9.9.9", "10.0.0.17"}), local), "10.0.0.17");
  EXPECT_EQ(gloo_address(lookup({}), local), "127.0.0.1");
}

TEST(DoctorRendezvous, NcclTakesIbThenAnyThenDockerThenLo) {
  facts::Facts facts;
  const auto add = [&](const std::string& name, const std::string& address) {
    facts.net.push_back(test::interface_of_training_node(
        name, static_cast<int>(facts.net.size()) + 1, address, 1500));
  };
  add("lo", "127.0.0.1/8");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "lo");
  add("docker0", "172.17.0.1/16");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "docker0");
  add("eth0", "10.0.0.17/24");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "eth0");
  add("ib0", "10.1.0.17/24");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "ib0");
  EXPECT_EQ(nccl_socket_interface(facts, "eth").name, "eth0");
  EXPECT_EQ(nccl_socket_interface(facts, "=eth").name, "");
  EXPECT_EQ(nccl_socket_interface(facts, "^lo,docker,ib").name, "eth0");
  facts.net[2].operstate = "down";
  EXPECT_EQ(nccl_socket_interface(facts, "eth").name, "");
}

}  // namespace
}  // namespace nettune::tools::doctor
