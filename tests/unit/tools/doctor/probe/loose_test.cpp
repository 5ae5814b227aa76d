// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/probe/loose.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/doctor/observe.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::tools::doctor::probe {
namespace {

TEST(DoctorProbeLoose, LspciBuildsTheTreeAndTheAcsBits) {
  Machine machine;
  take_lspci(
      "15:01.0 PCI bridge [0604]: Intel Corporation Device [8086:352a] (prog-if 00 [Normal "
      "decode])\n"
      "\tBus: primary=15, secondary=16, subordinate=22, sec-latency=0\n"
      "\tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n"
      "\t\tLnkCap:\tPort #1, Speed 32GT/s, Width x16, ASPM not supported\n"
      "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- "
      "DirectTrans-\n"
      "16:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330] (rev a1)\n"
      "\tRegion 2: Memory at 3a000000000 (64-bit, prefetchable) [size=128G]\n"
      "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16 (ok)\n"
      "\tKernel driver in use: nvidia\n"
      "17:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7] (rev ff)\n",
      machine);
  ASSERT_TRUE(machine.pci);
  const PciFunction* const gpu = machine.find_pci("0000:16:00.0");
  ASSERT_NE(gpu, nullptr);
  EXPECT_TRUE(gpu->is_nvidia_gpu());
  EXPECT_EQ(gpu->parent, "0000:15:01.0");
  EXPECT_EQ(gpu->now->speed_tenths, 25);
  EXPECT_EQ(gpu->bars.at(0).size, std::uint64_t{128} << 30);
  EXPECT_EQ(*machine.find_pci("0000:15:01.0")->acs, 0x1d);
  EXPECT_TRUE(machine.find_pci("0000:17:00.0")->silent);
}

TEST(DoctorProbeLoose, IbstatKnowsCardsAndSoftwareDevices) {
  Machine machine;
  take_ibstat(
      "CA 'mlx5_0'\n\tCA type: MT4129\n\tFirmware version: 28.40.1000\n\tPort 1:\n"
      "\t\tState: Initializing\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tSM lid: 0\n"
      "\t\tLink layer: InfiniBand\n"
      "CA 'rxe0'\n\tCA type:\n\tPort 1:\n\t\tState: Active\n\t\tRate: 2.5\n",
      machine);
  ASSERT_EQ(machine.facts.rdma.size(), 2U);
  EXPECT_EQ(machine.facts.rdma[0].pci_id, "15b3:1021");
  EXPECT_EQ(machine.facts.rdma[0].ports.at(0).state, "INIT");
  EXPECT_EQ(*machine.ports.at(0).sm_lid, 0);
  EXPECT_EQ(machine.facts.rdma[1].pci_id, "");
  EXPECT_EQ(rdma_cards(machine).size(), 1U);
}

TEST(DoctorProbeLoose, DevinfoTopologyCountersAndNvlink) {
  Machine machine;
  take_devinfo(
      "hca_id:\tmlx5_0\n\tvendor_part_id:\t\t4129\n\t\tport:\t1\n"
      "\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tGID[  3]:\t\t::ffff:10.0.0.1, RoCE v2\n",
      machine);
  ASSERT_EQ(machine.facts.rdma.size(), 1U);
  EXPECT_EQ(machine.facts.rdma[0].ports.at(0).gids.at(0).gid, "::ffff:10.0.0.1");
  take_topology(
      "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV4\tPIX\t0-3\nGPU1\tNV4\t X \tSYS\t0-3\n\n"
      "NIC Legend:\n\n  NIC0: mlx5_0\n",
      machine);
  ASSERT_EQ(machine.topology.size(), 4U);
  EXPECT_EQ(machine.topology[1].to, "mlx5_0");
  EXPECT_EQ(machine.topology[3].distance, "SYS");
  take_counters("mlx5_0", "link_downed 255\n  rx_crc_errors_phy: 12\nNIC statistics:\n", machine);
  EXPECT_EQ(machine.ports.back().counters.at("rx_crc_errors_phy"), 12U);
  take_dcgmi_nvlink("GPUs:\n    gpuId 0:\n        U D X _\nNvSwitches:\n", machine);
  EXPECT_EQ(machine.nvidia.gpus->at(0).nvlinks, 2);
  EXPECT_EQ(machine.nvidia.gpus->at(0).nvlinks_up, 1);
}

TEST(DoctorProbeLoose, SmiXmlReadsOneGpu) {
  Machine machine;
  take_smi_xml(
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"v12.dtd\">\n<nvidia_smi_log>\n"
      "<driver_version>550.54.14</driver_version><cuda_version>12.4</cuda_version>\n"
      "<gpu id=\"00000000:1B:00.0\"><product_name>NVIDIA A100-SXM4-80GB</product_name>\n"
      "<mig_mode><current_mig>Enabled</current_mig></mig_mode>\n"
      "<fabric><state>N/A</state></fabric><performance_state>P8</performance_state>\n"
      "<pci><pci_gpu_link_info><pcie_gen><max_link_gen>4</max_link_gen>"
      "<current_link_gen>1</current_link_gen></pcie_gen><link_widths>"
      "<max_link_width>16x</max_link_width><current_link_width>8x</current_link_width>"
      "</link_widths></pci_gpu_link_info></pci>\n"
      "<ecc_errors><volatile><sram_uncorrectable>1</sram_uncorrectable>"
      "<dram_uncorrectable>2</dram_uncorrectable></volatile></ecc_errors>\n"
      "<remapped_rows><remapped_row_failure>Yes</remapped_row_failure></remapped_rows>\n"
      "</gpu></nvidia_smi_log>\n",
      machine);
  ASSERT_TRUE(machine.nvidia.gpus);
  const GpuState& gpu = machine.nvidia.gpus->front();
  EXPECT_EQ(gpu.pci_address, "0000:1b:00.0");
  EXPECT_EQ(gpu.mig, true);
  EXPECT_EQ(gpu.fabric_state, "");
  EXPECT_EQ(gpu.performance_state, 8);
  EXPECT_EQ(gpu.link->lanes, 8);
  EXPECT_EQ(gpu.max_link->speed_tenths, 160);
  EXPECT_EQ(gpu.ecc_uncorrected, 3);
  EXPECT_EQ(gpu.remap_failure, true);
  EXPECT_EQ(machine.nvidia.cuda_major, 12);
}

}  // namespace
}  // namespace nettune::tools::doctor::probe
