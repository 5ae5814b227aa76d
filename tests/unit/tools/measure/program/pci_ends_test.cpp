// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/pci_ends.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "kernel/sysfs.hpp"
#include "tools/measure/rdma/endpoint.hpp"
#include "tools/measure/rdma/gpu_memory.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::tools::measure::program {
namespace {

using namespace test;

/// Two switches, each with a card and GPUs, below one root port; one GPU at another root.
class MeasureProgramPciEnds : public ::testing::Test {
 protected:
  MeasureProgramPciEnds() {
    gpu("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", 0);
    gpu("pci0000:00/0000:00:01.0/0000:11:00.0/0000:12:00.0/0000:13:00.0", 0);
    gpu("pci0000:80/0000:80:01.0/0000:81:00.0", 1);
    node_.pci(kCard, "0x15b3", "0x1021", "mlx5_core", 0);
  }
  void gpu(const std::string& at, int numa_node) {
    node_.pci(at, "0x10de", "0x2330", "nvidia", numa_node, "0x030200");
  }
  void link(const std::string& address, const std::string& attribute, const std::string& value) {
    const std::string at = cat("sys/bus/pci/devices/", address);
    node_.file(cat(at, "/", attribute), value + "\n");
  }
  std::optional<GpuEnd> nearest(const std::string& card, std::optional<int> numa_node) {
    const auto root = kernel::Directory::open(node_.root());
    std::vector<facts::Gpu> gpus;
    for (const char* const address : {"0000:03:00.0", "0000:13:00.0", "0000:81:00.0"})
      gpus.push_back({address, "10de:2330", driver_, address[5] == '8' ? 1 : 0});
    return program::nearest_gpu(*root, gpus, card, numa_node);
  }

  static constexpr const char* kCard =
      "pci0000:00/0000:00:01.0/0000:11:00.0/0000:12:01.0/0000:14:00.0";
  test::FakeNode node_;
  std::string driver_ = "nvidia";
};

TEST_F(MeasureProgramPciEnds, BelowTheSameSwitch) {
  EXPECT_EQ(nearest("0000:14:00.0", 0)->pci_address, "0000:13:00.0");
}

TEST_F(MeasureProgramPciEnds, ElseOnTheSameNumaNodeElseTheFirst) {
  EXPECT_EQ(nearest("", 1)->pci_address, "0000:81:00.0");
  EXPECT_EQ(nearest("", {})->pci_address, "0000:03:00.0");
}

TEST_F(MeasureProgramPciEnds, OnlyNvidiasDriverHasLibcuda) {
  driver_ = "vfio-pci";
  EXPECT_FALSE(nearest("0000:14:00.0", 0));
}

TEST_F(MeasureProgramPciEnds, TheSlowLinkOfAnIdleGpuIsNoCeiling) {
  // The GPU and the port above it slow their link down; the switch's link to the root does not.
  for (const char* const address : {"0000:13:00.0", "0000:12:00.0"}) {
    link(address, "current_link_speed", "2.5 GT/s PCIe");
    link(address, "max_link_speed", "32.0 GT/s PCIe");
    link(address, "current_link_width", "16");
  }
  link("0000:11:00.0", "current_link_speed", "16.0 GT/s PCIe");
  link("0000:11:00.0", "current_link_width", "16");
  auto found = nearest("0000:14:00.0", 0);
  EXPECT_EQ(found->pci_gtps, 16);
  EXPECT_EQ(found->pci_lanes, 16);
  link("0000:12:00.0", "max_link_speed", "8.0 GT/s PCIe");  // the slot can do no more
  EXPECT_EQ(nearest("0000:14:00.0", 0)->pci_gtps, 8);
  link("0000:13:00.0", "current_link_width", "1");  // a bad contact
  found = nearest("0000:14:00.0", 0);
  EXPECT_EQ(found->pci_gtps, 8);
  EXPECT_EQ(found->pci_lanes, 1);
}

}  // namespace
}  // namespace nettune::tools::measure::program
