// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/doctor/machine.hpp"

namespace nettune::test {

/// A node of which every rule of doctor says good: two GPUs and two RoCE cards, each pair below a
/// PCIe switch of its own, on two NUMA nodes, with an NVSwitch.
inline tools::doctor::PciFunction pci_function(const std::string& address, const std::string& id,
                                               const std::string& klass, const std::string& parent,
                                               int numa_node) {
  tools::doctor::PciFunction function;
  function.address = address;
  function.id = id;
  function.klass = klass;
  function.parent = parent;
  function.numa_node = numa_node;
  function.now = function.most = tools::doctor::PciLink{320, 16};
  function.acs = 0;
  function.max_payload = 256;
  function.relaxed_ordering = true;
  function.aer_uncorrected = function.aer_corrected = 0;
  if (id == "15b3:1021") function.most_vfs = 16;
  return function;
}

inline std::vector<tools::doctor::PciFunction> pci_of_training_node() {
  std::vector<tools::doctor::PciFunction> all;
  for (const int node : {0, 1}) {
    const std::string bus = node == 0 ? "0000:1" : "0000:2";
    all.push_back(pci_function(bus + "5:01.0", "8086:352a", "0x060400", "", node));
    all.push_back(pci_function(bus + "6:00.0", "1000:c030", "0x060400", bus + "5:01.0", node));
    all.push_back(pci_function(bus + "7:00.0", "1000:c030", "0x060400", bus + "6:00.0", node));
    all.push_back(pci_function(bus + "7:01.0", "1000:c030", "0x060400", bus + "6:00.0", node));
    all.push_back(pci_function(bus + "9:00.0", "10de:2330", "0x030200", bus + "7:00.0", node));
    all.back().driver = "nvidia";
    all.back().bars = {{0, 0x3a000000000, 16U << 20, true, true},
                       {2, 0x3a100000000, std::uint64_t{128} << 30, true, true}};
    all.push_back(pci_function(bus + "a:00.0", "15b3:1021", "0x020000", bus + "7:01.0", node));
  }
  all.push_back(pci_function("0000:35:00.0", "10de:22a3", "0x068000", "", 0));
  return all;
}

inline tools::doctor::GpuState gpu_of_training_node(const std::string& address) {
  tools::doctor::GpuState gpu;
  gpu.pci_address = address;
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.performance_state = 0;
  gpu.ecc_uncorrected = 0;
  gpu.remap_pending = gpu.remap_failure = gpu.mig = gpu.mig_pending = false;
  gpu.persistence = true;
  gpu.compute_mode = "default";
  gpu.recovery_action = "none";
  gpu.throttle.emplace();
  gpu.power_limit_w = gpu.default_power_limit_w = 700;
  gpu.bar1_mib = 131072;
  gpu.retired_pages = gpu.banks_without_rows = gpu.ecc_corrected = 0;
  gpu.application_mhz = gpu.most_mhz = 1980;
  gpu.nvlinks = gpu.nvlinks_up = 18;
  gpu.fabric_state = "completed";
  gpu.fabric_status = "success";
  return gpu;
}

inline facts::NetDevice interface_of_training_node(const std::string& name, int ifindex,
                                                   const std::string& address, int mtu) {
  facts::NetDevice device;
  device.name = name;
  device.ifindex = ifindex;
  device.physical = true;
  device.operstate = "up";
  device.addresses = {address};
  device.mtu = mtu;
  device.link_layer = "Ethernet";
  device.speed_mbps = mtu > 1500 ? 400'000 : 10'000;
  return device;
}

inline void add_card(tools::doctor::Machine& machine, int number, const std::string& address) {
  const std::string digit = std::to_string(number);
  facts::NetDevice net =
      interface_of_training_node("fab" + digit, 10 + number, "10.1" + digit + ".0.17/16", 9000);
  net.rdma_devices = {"mlx5_" + digit};
  machine.facts.net.push_back(net);
  facts::RdmaPort port;
  port.link_layer = "Ethernet";
  port.state = "ACTIVE";
  port.physical_state = "LinkUp";
  port.rate = "400 Gb/sec (4X NDR)";
  port.rate_gbps = 400;
  port.netdev = net.name;
  port.gids = {{0, "fe80:0000:0000:0000:0000:00ff:fe00:0001", "RoCE v2", net.name},
               {3, "0000:0000:0000:0000:0000:ffff:0a0a:0011", "RoCE v2", net.name}};
  port.gids_listed = true;
  facts::RdmaDevice device;
  device.name = "mlx5_" + digit;
  device.pci_address = address;
  device.pci_id = "15b3:1021";
  device.driver = "mlx5_core";
  device.firmware = "28.39.1002";
  device.psid = "MT_0000000838";
  device.ports = {port};
  machine.facts.rdma.push_back(device);
  tools::doctor::PortState state;
  state.device = device.name;
  state.counters = {{"symbol_error", 0}, {"link_downed", 3}};
  state.later = state.counters;
  state.active_mtu = 4096;
  state.sm_lid = 0;
  machine.ports.push_back(state);
  machine.verbs.push_back({device.name, true});
}

inline tools::doctor::Peer peer_of_training_node() {
  tools::doctor::Peer peer;
  peer.host = "gpu18";
  peer.paths = {{"fab0 (10.10.0.17)", "fab0 of gpu18 (10.10.0.18)", 9000, true, 9000}};
  peer.names = {
      {"gpu18", "gpu17", std::vector<std::string>{"10.0.0.18"}, {"10.0.0.18", "10.10.0.18"}}};
  peer.ports = {{29400, "gpu18", "reachable", "10.0.0.18 port 29400 answers"}};
  peer.our_gids = {{"mlx5_0/1", 3}};
  peer.their_gids = peer.our_gids;
  return peer;
}

inline tools::doctor::Machine training_node() {
  tools::doctor::Machine machine;
  machine.facts.node.hostname = "gpu17";
  machine.facts.node.kernel = "6.1.0-37-amd64";
  machine.facts.firewall.owner = "none";
  machine.facts.net = {interface_of_training_node("eth0", 2, "10.0.0.17/24", 1500)};
  machine.facts.net[0].default_route = true;
  machine.release = "12";
  machine.virtual_machine = false;
  machine.command_line = std::string("BOOT_IMAGE=/vmlinuz ro quiet");
  machine.pci = pci_of_training_node();
  add_card(machine, 0, "0000:1a:00.0");
  add_card(machine, 1, "0000:2a:00.0");
  machine.counter_gap_ms = 1000;
  machine.iommu = false;
  machine.nvidia.module_version = std::string("550.163.01");
  machine.nvidia.library_version = std::string("550.163.01");
  machine.nvidia.open_module = true;
  machine.nvidia.cuda_major = 12;
  machine.nvidia.cuda_minor = 4;
  machine.nvidia.gpus = std::vector<tools::doctor::GpuState>{gpu_of_training_node("0000:19:00.0"),
                                                             gpu_of_training_node("0000:29:00.0")};
  machine.nvidia.fabric_manager = machine.nvidia.nvlsm = machine.nvidia.imex =
      tools::doctor::ServiceState::active;
  machine.nvidia.fabric_modules_missing = std::vector<std::string>();
  machine.nvidia.device_nodes = {{"/dev/nvidiactl", tools::doctor::NodeState::usable}};
  machine.rdma_nodes = {{"/dev/infiniband/uverbs0", tools::doctor::NodeState::usable}};
  machine.peer_memory = true;
  machine.services = {{"slurmd", "/proc/812/limits", std::optional<std::uint64_t>(),
                       std::optional<std::uint64_t>(131072),
                       std::optional<std::uint64_t>(8U << 20)}};
  machine.remove_ipc = std::string("no");
  tools::doctor::Lookup own;
  own.name = "gpu17";
  own.addresses = {"10.0.0.17"};
  own.canonical = own.fqdn = "gpu17.cluster";
  own.took_ms = 1;
  machine.own_name = own;
  machine.listeners = std::vector<tools::doctor::Listener>();
  machine.log = tools::doctor::KernelLog{{}, "the journal", true};
  machine.file_systems = {
      tools::doctor::FileSystem{"/", std::uint64_t{1} << 40, std::uint64_t{1} << 39, 0, 0}};
  machine.shm =
      tools::doctor::FileSystem{"/dev/shm", std::uint64_t{1} << 38, std::uint64_t{1} << 38, 0, 0};
  machine.root_is_read_only = false;
  machine.governors = {{"policy0", "performance"}};
  machine.clocksource = std::string("tsc");
  machine.numa_balancing = std::string("0");
  machine.time_sync = std::string("synchronised");
  machine.edac = std::pair<std::int64_t, std::int64_t>(4, 0);
  machine.torch = {{"/opt/conda/lib/python3.11/site-packages/torch", "2.5.1+cu124", "12.4"}};
  machine.nccl = {
      {"/opt/conda/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2", "2.21.5", ""}};
  machine.cudnn = {{"/opt/conda/include", "9.1.0", ""}};
  machine.ofed = std::string("23.10-0.5.5");
  machine.bonds = {{"bond0", "802.3ad", "layer3+4", {"fab0", "fab1"}, {}}};
  machine.nvidia.gsp = {{"0000:19:00.0", "550.163.01"}, {"0000:29:00.0", "550.163.01"}};
  machine.statistics["fab0"] = {{"rx_corrected_bits_phy", 7}, {"rx_pause_ctrl_phy", 0},
                                {"tx_pause_ctrl_phy", 0},     {"rx_prio3_pause", 7},
                                {"tx_prio3_pause", 7},        {"rx_prio3_pause_duration", 9000},
                                {"rx_discards_phy", 4},       {"tx_discards_phy", 0}};
  machine.statistics_later = machine.statistics;
  machine.container = tools::doctor::Container{false, std::optional<std::uint64_t>(), true};
  machine.peer = peer_of_training_node();
  tools::doctor::JobProcess job;
  job.pid = 812;
  job.name = "python3";
  job.libraries = std::map<std::string, std::string>{
      {"/opt/conda/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2", "2.21.5"},
      {"/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0", ""}};
  job.environment = std::map<std::string, std::string>{{"NCCL_DEBUG", "INFO"}};
  job.wanted = std::map<std::string, std::string>{{"NCCL_IB_TC", "106"}};
  machine.job = job;
  machine.ras = tools::doctor::Ras{true, "Errors\n======\n\nWarnings\n========\n", ""};
  return machine;
}

}  // namespace nettune::test
