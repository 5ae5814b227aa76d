// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/hardware.hpp"

#include <gtest/gtest.h>

#include "unit/support/facts_tree.hpp"
#include "unit/support/model_disk.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::node::qualify {
namespace {

TEST(NodeQualifyHardware, KernelSeries) {
  EXPECT_EQ(kernel_series("6.1.0-37-amd64"), "6.1");
  EXPECT_EQ(kernel_series("6.12.48+deb13-amd64"), "6.12");
  EXPECT_EQ(kernel_series("6"), "6");
  EXPECT_EQ(kernel_series("6.5-rc1"), "6.5");
  EXPECT_EQ(kernel_series("6."), "6.");
}

TEST(NodeQualifyHardware, TheDriverIsThatOfThePciFunction) {
  Hardware ipoib{"mlx5_core", "", "", "15b3:101b", "6.1"};
  take_driver_info({"mlx5_core[ib_ipoib]", "6.1.0", "20.31.1014 (MT_0000000222)"}, ipoib);
  EXPECT_EQ(ipoib.driver, "mlx5_core");
  EXPECT_EQ(ipoib.driver_version, "6.1.0");
  EXPECT_EQ(ipoib.firmware, "20.31.1014 (MT_0000000222)");
  Hardware veth;
  take_driver_info({"veth", "1.0", ""}, veth);
  EXPECT_EQ(veth.driver, "veth");
}

TEST(NodeQualifyHardware, IsTheSameWithIpoibAndWithout) {
  test::FakeNode tree;
  tree.file("sys/class/infiniband/mlx5_0/board_id", "MT_0000000222\n");
  facts::Facts facts;
  facts.rdma.resize(1);
  facts.rdma[0].name = "mlx5_0";
  facts.rdma[0].driver = "mlx5_core";
  facts.rdma[0].pci_id = "15b3:101b";
  facts.rdma[0].firmware = "20.31.1014";
  const Hardware hardware = hardware_of(facts, "mlx5_0", tree.path("sys"));
  EXPECT_EQ(hardware.driver, "mlx5_core");
  EXPECT_EQ(hardware.pci_id, "15b3:101b");
  EXPECT_EQ(hardware.firmware, "20.31.1014 (MT_0000000222)");
}

}  // namespace
}  // namespace nettune::node::qualify
