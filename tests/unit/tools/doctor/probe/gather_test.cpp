// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/probe/gather.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/child.hpp"
#include "tools/doctor/probe/loose.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::tools::doctor::probe {
namespace {

using namespace test;

TEST(DoctorProbeChild, GivesItsTextBack) {
  auto child = Child::start("work", [] { return std::string(300'000, 'x'); });
  ASSERT_TRUE(child);
  const auto text = child->finish(20'000);
  ASSERT_TRUE(text) << text.error().text;
  EXPECT_EQ(text->size(), 300'000U);
}

TEST(DoctorProbeChild, OneThatHangsIsLeftAndNamed) {
  auto child = Child::start("NVML", []() -> std::string {
    while (true) ::pause();
  });
  ASSERT_TRUE(child);
  const auto text = child->finish(50);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::busy);
  EXPECT_EQ(text.error().text, "NVML did not answer within 50 ms");
}

TEST(DoctorProbeChild, OneThatCrashesCostsNothingElse) {
  auto child = Child::start("NVML", []() -> std::string {
    ::signal(SIGABRT, SIG_DFL);
    ::raise(SIGKILL);
    return "";
  });
  ASSERT_TRUE(child);
  const auto text = child->finish(20'000);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().text, "NVML crashed (signal 9)");
}

Nvidia nvml_in_mode(const char* mode) {
  ::setenv("FAKE_NVML", mode, 1);
  Nvidia nvidia;
  parse_nvml(ask_nvml(NETTUNE_FAKE_NVML), nvidia);
  ::unsetenv("FAKE_NVML");
  return nvidia;
}

TEST(DoctorProbeNvml, ReadsWhatTheLibraryKnows) {
  const Nvidia nvidia = nvml_in_mode("");
  ASSERT_TRUE(nvidia.gpus) << nvidia.nvml_error;
  EXPECT_EQ(nvidia.driver_version, "550.163.01");
  EXPECT_EQ(nvidia.cuda_major, 12);
  EXPECT_EQ(nvidia.cuda_minor, 4);
  ASSERT_EQ(nvidia.gpus->size(), 2U);
  const GpuState& gpu = nvidia.gpus->front();
  EXPECT_EQ(gpu.pci_address, "0000:19:00.0");
  EXPECT_EQ(gpu.nvlinks, 18);
  EXPECT_EQ(gpu.nvlinks_up, 17);
  EXPECT_EQ(gpu.remap_pending, true);
  EXPECT_EQ(gpu.throttle, std::vector<std::string>{"hw_thermal"});
  // What the library has no function for is not known.
  EXPECT_FALSE(gpu.ecc_uncorrected);
  EXPECT_FALSE(gpu.mig);
  EXPECT_EQ(gpu.compute_mode, "");
}

TEST(DoctorProbeNvml, AMismatchALostGpuAndNoLibraryAreSaid) {
  EXPECT_EQ(nvml_in_mode("mismatch").nvml_error, "Driver/library version mismatch");
  const Nvidia lost = nvml_in_mode("lost");
  ASSERT_TRUE(lost.gpus);
  EXPECT_TRUE(lost.gpus->back().lost());
  Nvidia none;
  parse_nvml(ask_nvml("/nowhere/libnvidia-ml.so.1"), none);
  EXPECT_FALSE(none.gpus);
}

TEST(DoctorProbeNvml, AHangIsOneOfTheChild) {
  ::setenv("FAKE_NVML", "hang", 1);
  auto child = Child::start("NVML", [] { return ask_nvml(NETTUNE_FAKE_NVML); });
  ASSERT_TRUE(child);
  const auto text = child->finish(100);
  ::unsetenv("FAKE_NVML");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::busy);
}

TEST(DoctorProbeVerbs, ParsesWhatEachDeviceSaid) {
  Machine machine;
  machine.ports.push_back({"mlx5_0", 1, {}, {}, {}, {}, {}});
  parse_verbs(
      "count 2\ndevice mlx5_0\ndmabuf yes\nmtu 1 4096\ndevice rxe0\ndmabuf no\n"
      "device mlx5_9\nerror Permission denied\n",
      machine);
  ASSERT_EQ(machine.verbs.size(), 3U);
  EXPECT_TRUE(*machine.verbs[0].dmabuf);
  EXPECT_FALSE(*machine.verbs[1].dmabuf);
  EXPECT_FALSE(machine.verbs[2].dmabuf);
  EXPECT_EQ(machine.ports[0].active_mtu.value, 4096);
}

TEST(DoctorProbeNames, ParsesTheLookUp) {
  const auto own = parse_own_name(
      "name gpu17\ncanonical gpu17.cluster\naddress 127.0.1.1\naddress ::1\nfqdn gpu17.cluster\nms "
      "3\n");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->addresses, (std::vector<std::string>{"127.0.1.1", "::1"}));
  EXPECT_EQ(own->fqdn, "gpu17.cluster");
  EXPECT_EQ(own->took_ms, 3);
  EXPECT_FALSE(parse_own_name("nothing"));
}

TEST(DoctorProbeNames, OfATreeByItsHostsFile) {
  FakeNode node;
  node.file("etc/hostname", "gpu17\n");
  node.file("etc/hosts", "127.0.0.1 localhost\n# 10.0.0.17 gpu17\n127.0.1.1 gpu17.cluster gpu17\n");
  const auto root = Directory::open(node.root());
  ASSERT_TRUE(root);
  const Known<Lookup> own = own_name_of_files(*root);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->addresses, std::vector<std::string>{"127.0.1.1"});
  EXPECT_EQ(own->canonical, "gpu17.cluster");
  EXPECT_EQ(hosts_line(*root, *own), "/etc/hosts line 3: 127.0.1.1 gpu17.cluster gpu17");
  node.file("etc/hosts", "127.0.1.1\tgpu17.cluster\tgpu17 # by the installer\n");
  EXPECT_EQ(hosts_line(*root, *own), "/etc/hosts line 1: 127.0.1.1 gpu17.cluster gpu17");
  node.file("etc/hosts", "127.0.0.1 localhost\n");
  EXPECT_FALSE(own_name_of_files(*root)) << "a name server may know it";
}

Machine gathered(const FakeNode& node) {
  GatherRequest request;
  request.root = node.root();
  auto machine = gather(request);
  EXPECT_TRUE(machine) << machine.error().text;
  return machine ? std::move(*machine) : Machine();
}

TEST(DoctorProbeGather, LimitsOfTheJobsOfServices) {
  FakeNode node;
  const auto limits = [](const char* memlock, const char* files) {
    return cat("Limit                     Soft Limit           Hard Limit           Units     \n",
               "Max stack size            8388608              unlimited            bytes     \n",
               "Max open files            ", files,
               "                 524288               files     \n", "Max locked memory         ",
               memlock, "              8388608              bytes     \n");
  };
  node.process(812, "slurmd");
  node.file("proc/812/limits", limits("8388608", "1024"));
  node.process(700, "containerd");
  node.file("proc/700/limits", limits("unlimited", "1048576"));
  node.process(650, "sshd");
  node.file("proc/650/limits", limits("8388608", "1024"));
  node.file("etc/pam.d/sshd", "session required pam_limits.so\n");
  node.file("etc/security/limits.d/rdma.conf", "# all\n* - memlock unlimited\n");
  const Machine machine = gathered(node);
  ASSERT_EQ(machine.services.size(), 3U);
  EXPECT_EQ(machine.services[0].service, "slurmd");
  ASSERT_TRUE(machine.services[0].memlock);
  EXPECT_EQ(**machine.services[0].memlock.value, 8388608U);
  EXPECT_EQ(machine.services[1].service, "containerd");
  EXPECT_FALSE(machine.services[1].memlock.value->has_value()) << "unlimited";
  EXPECT_EQ(machine.services[2].service, "ssh");
  EXPECT_FALSE(machine.services[2].memlock.value->has_value()) << "pam_limits gives more";
  EXPECT_EQ(**machine.services[2].nofile.value, 1024U);
}

TEST(DoctorProbeGather, AUnitThatDoesNotRunHasTheLimitOfItsDropIn) {
  FakeNode node;
  node.directory("proc/1");
  node.file("usr/lib/systemd/system/slurmd.service", "[Service]\nLimitNOFILE=131072\n");
  EXPECT_EQ(**gathered(node).services.at(0).memlock.value, 8U << 20);
  node.file("etc/systemd/system/slurmd.service.d/nettune.conf",
            "[Service]\nLimitMEMLOCK=infinity\n");
  const Machine machine = gathered(node);
  // slurmd itself is not limited; a job gets the limit of the shell that submits it.
  EXPECT_FALSE(machine.services.at(0).memlock);
  node.file("etc/slurm/slurm.conf", "PropagateResourceLimitsExcept=MEMLOCK\n");
  EXPECT_FALSE(gathered(node).services.at(0).memlock.value->has_value());
}

TEST(DoctorProbeGather, AMissingShmIsNoFileSystemThatHangs) {
  FakeNode node;
  const auto root = Directory::open(node.root());
  ASSERT_TRUE(root);
  Machine machine;
  take_space({*root, true}, "/ 1000 500 0 0\n", machine);
  EXPECT_FALSE(machine.shm);
  EXPECT_EQ(machine.shm.gap.why, "there is no /dev/shm");
  Machine silent;
  take_space({*root, true}, std::nullopt, silent);
  EXPECT_NE(silent.shm.gap.why, "there is no /dev/shm");
}

TEST(DoctorProbeGather, SegmentsThatNobodyHasOpenAreLeftOverButNotInAContainer) {
  FakeNode node;
  node.file("dev/shm/nccl-Ab3dEf", "");
  EXPECT_EQ(gathered(node).shm_leftovers, std::vector<std::string>{"nccl-Ab3dEf"});
  node.file("run/systemd/container", "docker\n");
  const Machine inside = gathered(node);
  EXPECT_TRUE(inside.shm_leftovers.empty());
  EXPECT_FALSE(inside.notes.empty());
}

TEST(DoctorProbeGather, PciTreesKnowTheirBridges) {
  FakeNode node;
  const std::string port = "pci0000:15/0000:15:01.0";
  node.pci(port, "0x8086", "0x352a", "pcieport", 0, "0x060400");
  node.pci(port + "/0000:19:00.0", "0x10de", "0x2330", "nvidia", 0, "0x030200");
  const std::string gpu = cat("sys/devices/", port, "/0000:19:00.0/");
  node.file(gpu + "current_link_speed", "32.0 GT/s PCIe\n");
  node.file(gpu + "current_link_width", "8\n");
  node.file(gpu + "max_link_speed", "32.0 GT/s PCIe\n");
  node.file(gpu + "max_link_width", "16\n");
  node.file(gpu + "config", std::string(64, '\0'));
  node.file(gpu + "resource",
            "0x0000000000000000 0x0000000000ffffff 0x0000000020040200\n"
            "0x0000006000000000 0x0000007fffffffff 0x000000000014220c\n");
  const Machine machine = gathered(node);
  ASSERT_TRUE(machine.pci);
  const PciFunction* const function = machine.find_pci("0000:19:00.0");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->parent, "0000:15:01.0");
  EXPECT_EQ(function->now->lanes, 8);
  EXPECT_EQ(function->most->speed_tenths, 320);
  ASSERT_EQ(function->bars.size(), 2U);
  EXPECT_FALSE(function->bars[0].assigned);
  EXPECT_TRUE(function->bars[1].prefetchable_64);
  EXPECT_EQ(function->bars[1].size, std::uint64_t{1} << 37);
  EXPECT_FALSE(function->acs);
  EXPECT_EQ(function->acs.gap.blank, facts::Blank::not_permitted);
}

TEST(DoctorProbeGather, HostileTreesAreReadWithoutHarm) {
  FakeNode node;
  node.file("sys/class/infiniband/\x1b[31m/ports/1/state", "4: ACTIVE\n");
  node.file("proc/cmdline", std::string(200'000, '='));
  node.file("nettune/nvml", "gpu \ngpu x\nnvlinks 99999999999999999999\nthrottle -1\n");
  node.file("nvidia-smi.xml", std::string(100'000, '<'));
  node.file("lspci.txt", ":\n : :\n00:00.0 \n\tRegion : \n\tLnkCap: Speed GT/s, Width x\n");
  node.file("ibstat.txt", "CA 'a\nPort 1:\nState\n");
  node.file("kernel.log", "[\n[999999999999999999999.1] x\n;;;\n6,,,;\n");
  const Machine machine = gathered(node);
  EXPECT_FALSE(observe(machine).empty());
}

TEST(DoctorProbeKernelLogLines, ReadsTheFormsOfALine) {
  const KernelLog log = parse_kernel_log(
      "[   12.500000] NVRM: one\n"
      "6,3973,227996636,-;two\n"
      "Aug 17 06:18:01 host systemd-networkd[5398]: ib6: lost carrier\n"
      "kern  :warn  : 2025-01-21T04:41:44,285060+00:00 four\n"
      "five\n");
  ASSERT_EQ(log.lines.size(), 5U);
  EXPECT_EQ(log.lines[0].text, "NVRM: one");
  EXPECT_DOUBLE_EQ(*log.lines[0].at_s, 12.5);
  EXPECT_EQ(log.lines[1].text, "two");
  EXPECT_NEAR(*log.lines[1].at_s, 227.996636, 1e-6);
  EXPECT_EQ(log.lines[2].text, "systemd-networkd[5398]: ib6: lost carrier");
  EXPECT_TRUE(log.lines[2].at_s);
  EXPECT_EQ(log.lines[3].text, "four");
  EXPECT_FALSE(log.lines[4].at_s);
}

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
