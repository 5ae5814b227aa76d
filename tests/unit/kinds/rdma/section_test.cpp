// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::rdma {
namespace {

class KindsRdmaSection : public test::ProfileTest {};

TEST_F(KindsRdmaSection, RdmaPortsOfASet) {
  for (const char* const name : {"ens1", "ens2", "ens3", "bond0"}) device(name);
  facts.net[0].rdma_devices = {"mlx5_0"};
  facts.net[1].rdma_devices = facts.net[3].rdma_devices = {"mlx5_bond_0"};
  for (const char* const name : {"mlx5_0", "mlx5_bond_0"}) {
    facts::RdmaDevice rdma;
    rdma.name = name;
    rdma.identity = std::string("rdma pci of ") + name;
    rdma.ports.emplace_back();
    facts.rdma.push_back(rdma);
  }
  facts.rdma[0].ports[0].netdev = "other";
  facts.rdma[0].ports.emplace_back();
  facts.rdma[0].ports[1].number = 2;
  facts.rdma[0].ports[1].netdev = "ens1";
  facts.rdma[1].ports[0].netdev = "bond0";
  const std::string set = "[devices.d]\nmatch = { name = \"*\" }\n[rdma.d]\n";
  const auto result =
      good(set +
           "cma-roce-mode = \"RoCE v2\"\ncma-roce-tos = { value = 106, optional = true }\n"
           "cc-np_cnp_dscp = 48\n");
  EXPECT_EQ(test::value(result, "rdma:mlx5_0/2:cma-roce-tos"), "106");
  EXPECT_EQ(test::value(result, "rdma:mlx5_0/1:cma-roce-tos"), "-");
  EXPECT_EQ(test::value(result, "rdma:mlx5_bond_0/1:cma-roce-mode"), "RoCE v2")
      << "of bond and member, once";
  EXPECT_EQ(test::value(result, "rdma:mlx5_bond_0/1:cc-np_cnp_dscp"), "48");
  EXPECT_EQ(test::find(result, "rdma:mlx5_0/2:cma-roce-tos")->device, "rdma pci of mlx5_0");
  ASSERT_EQ(test::value(result, "rdma:mlx5_0:cma"), "present");
  EXPECT_EQ(test::find(result, "rdma:mlx5_0:cma")->device, "rdma pci of mlx5_0");
  EXPECT_FALSE(test::find(result, "rdma:mlx5_0:cma")->optional) << "the mode in it is not";
  EXPECT_TRUE(test::any_has(result.desired.notes, "ens3 has no RDMA port"));
  EXPECT_EQ(test::value(good(set + "traffic-class = 106\n"), "rdma:mlx5_0:cma"), "-");
  EXPECT_TRUE(
      test::find(good(set + "cma-roce-tos = { value = 1, optional = true }\n"), "rdma:mlx5_0:cma")
          ->optional);
  bad(set + "cma-roce-tos = 256\n", 7, {"[rdma.d] cma-roce-tos", "256", "0 to 255"});
  bad(set + "cma-roce-tos = \"106\"\n", 7, {"an integer", "a string"});
  bad(set + "cma-roce-mode = \"v2\"\n", 7, {"v2", "RoCE v2"});
  bad(set + "cma-rose-mode = \"RoCE v2\"\n", 7, {"cma-rose-mode", "\"cma-roce-mode\""});
  bad(set + "cc-np_cnp_dcsp = 48\n", 7, {"\"cc-np_cnp_dscp\""});
  bad(set + "cc-np_cnp_dscp = \"many\"\n", 7, {"cc-np_cnp_dscp", "an integer"});
  bad(set + "cc-rp_ai_rate = 4294967296\n", 7, {"4294967295"});
}

}  // namespace
}  // namespace nettune::kinds::rdma
