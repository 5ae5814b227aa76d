// SPDX-License-Identifier: Apache-2.0
#include "facts/platform.hpp"

#include <gtest/gtest.h>

#include "facts/json.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::facts {
namespace {

using namespace test;

Facts collected(const FakeNode& node) {
  auto facts = collect(node.sources());
  EXPECT_TRUE(facts) << (facts ? "" : facts.error().text);
  if (!facts) return {};
  // A plan needs nothing of it, and does not pay for it.
  EXPECT_EQ(facts->node.platform.vendor, "");
  EXPECT_TRUE(describe(node.root(), *facts));
  return *facts;
}

TEST(FactsPlatform, FirmwareCpuMemoryAndKernelOptions) {
  FakeNode node;
  node.file("sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
  node.file("sys/class/dmi/id/product_name", "PowerEdge XE9680\n");
  node.file("sys/class/dmi/id/board_name", "0XYZ\n");
  node.file("sys/class/dmi/id/board_vendor", "To be filled by O.E.M.\n");
  node.file("sys/class/dmi/id/bios_version", "2.1.5\n");
  node.file("sys/class/dmi/id/bios_date", "03/04/2024\n");
  node.file("sys/class/dmi/id/ec_firmware_release", "7.10\n");
  node.file("sys/class/dmi/id/product_serial", "SECRET1\n");
  node.file("sys/class/dmi/id/product_uuid", "4c4c4544-SECRET2\n");
  node.file("proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\n"
            "microcode\t: 0x2b000603\n\nprocessor\t: 1\n");
  node.file("proc/meminfo", "MemTotal:       2113420812 kB\nMemFree:  1 kB\n");
  const std::string empty(40, '\0');
  for (int i = 0; i < 3; ++i) {
    std::string raw = empty;
    if (i < 2) raw[0x0d] = '\x7f';
    node.file(cat("sys/firmware/dmi/entries/17-", i, "/raw"), raw);
  }
  node.file("proc/cmdline",
            "BOOT_IMAGE=/boot/vmlinuz-6.1.0-37 root=UUID=4bd1c60e-SECRET3 ro quiet iommu=pt "
            "console=tty0 console=ttyS0 cloud=https://SECRET4/x ip=10.0.0.7::SECRET5 "
            "rd.luks.uuid=SECRET6 disk=0123456789abcdef0123 -- SECRET7\n");
  const Facts facts = collected(node);
  const Platform& platform = facts.node.platform;
  EXPECT_EQ(platform.vendor, "Dell Inc.");
  EXPECT_EQ(platform.product, "PowerEdge XE9680");
  EXPECT_EQ(platform.board, "0XYZ");
  EXPECT_EQ(platform.board_vendor, "");
  EXPECT_EQ(platform.bios_version, "2.1.5");
  EXPECT_EQ(platform.bios_date, "03/04/2024");
  EXPECT_EQ(platform.controller_firmware, "7.10");
  EXPECT_EQ(platform.cpu_model, "Intel(R) Xeon(R) Platinum 8480C");
  EXPECT_EQ(platform.microcode, "0x2b000603");
  EXPECT_EQ(platform.memory_mib, 2063887);
  EXPECT_EQ(platform.dimms, 2);
  std::string options;
  ASSERT_TRUE(platform.kernel_options);
  for (const KernelOption& one : *platform.kernel_options)
    options += cat(one.name, "=", one.value, ";");
  EXPECT_EQ(options, "console=tty0 ttyS0;iommu=pt;quiet=;ro=;");
  const std::string text = to_json(facts);
  EXPECT_EQ(text.find("SECRET"), std::string::npos) << text;
  const auto read = from_json(text);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(to_json(*read), text);
}

TEST(FactsPlatform, PowerManagementAndIommu) {
  FakeNode node;
  const std::string cpu = "sys/devices/system/cpu/";
  for (int i = 0; i < 3; ++i)
    node.file(cat(cpu, "cpufreq/policy", i, "/scaling_governor"),
              i == 1 ? "powersave\n" : "performance\n");
  node.file(cpu + "cpufreq/policy0/scaling_driver", "intel_pstate\n");
  node.file(cpu + "cpuidle/current_driver", "intel_idle\n");
  node.file(cpu + "cpuidle/current_governor_ro", "menu\n");
  const char* const names[] = {"POLL", "C1", "C6"};
  for (int i = 0; i < 3; ++i) {
    node.file(cat(cpu, "cpu0/cpuidle/state", i, "/name"), cat(names[i], "\n"));
    node.file(cat(cpu, "cpu0/cpuidle/state", i, "/disable"), i == 2 ? "1\n" : "0\n");
  }
  node.directory("sys/class/iommu/dmar0");
  node.file("sys/kernel/iommu_groups/7/type", "identity\n");
  const Platform platform = collected(node).node.platform;
  EXPECT_EQ(platform.governor, "performance, powersave");
  EXPECT_EQ(platform.cpufreq_driver, "intel_pstate");
  EXPECT_EQ(platform.cpuidle_driver, "intel_idle");
  EXPECT_EQ(platform.cpuidle_governor, "menu");
  EXPECT_EQ(platform.idle_states, (std::vector<std::string>{"POLL", "C1"}));
  EXPECT_EQ(platform.iommu, "passthrough");
}

TEST(FactsPlatform, CardsHaveTheirBoardDriverAndLink) {
  FakeNode node;
  node.pci("pci0000:3a/0000:3b:00.0", "0x15b3", "0x1021", "mlx5_core", 0);
  node.rdma("mlx5_0", "pci0000:3a/0000:3b:00.0", "InfiniBand", "4: ACTIVE", "400 Gb/sec (4X NDR)");
  const std::string pci = "sys/devices/pci0000:3a/0000:3b:00.0";
  node.file(pci + "/current_link_speed", "32.0 GT/s PCIe\n");
  node.file(pci + "/current_link_width", "16\n");
  node.file("sys/class/infiniband/mlx5_0/board_id", "MT_0000000838\n");
  EXPECT_EQ(collected(node).rdma.at(0).driver_version, "");
  node.directory("sys/module/mlx5_core");
  EXPECT_EQ(collected(node).rdma.at(0).driver_version, kOwnDriver);
  node.file("sys/module/mlx5_core/version", "24.10-0.7.0\n");
  const RdmaDevice card = collected(node).rdma.at(0);
  EXPECT_EQ(card.driver_version, "24.10-0.7.0");
  EXPECT_EQ(card.psid, "MT_0000000838");
  EXPECT_EQ(card.pcie_speed, "32.0 GT/s");
  EXPECT_EQ(card.pcie_width, 16);
  node.file(pci + "/current_link_speed", "Unknown\n");
  node.file(pci + "/current_link_width", "255\n");
  EXPECT_EQ(collected(node).rdma.at(0).pcie_speed, "");
  EXPECT_EQ(collected(node).rdma.at(0).pcie_width, std::nullopt);
}

TEST(FactsPlatform, WhatIsNotThereIsLeftOut) {
  FakeNode node;
  const Facts facts = collected(node);
  EXPECT_FALSE(facts.node.platform.kernel_options);
  EXPECT_FALSE(facts.node.platform.dimms);
  EXPECT_FALSE(facts.node.platform.idle_states);
  EXPECT_EQ(iommu_mode(Iommu()), "");
  // A document from before has no platform, and gets none.
  const auto old = from_json(R"({"schema": 1, "node": {"hostname": "a"}})");
  ASSERT_TRUE(old);
  EXPECT_EQ(to_json(*old).find("platform"), std::string::npos);
}

}  // namespace
}  // namespace nettune::facts
