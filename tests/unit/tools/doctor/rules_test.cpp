// SPDX-License-Identifier: Apache-2.0
// Every row of doctor has a good, a bad and an unknown case: a rule without them fails here.
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

#include "base/text.hpp"
#include "tools/doctor/findings.hpp"
#include "tools/doctor/observe.hpp"
#include "unit/tools/doctor/node.hpp"
#include "unit/tools/doctor/shipped_rules.hpp"

namespace nettune::tools::doctor {
namespace {

using checks::Opinion;
using checks::Rule;
using test::shipped_rules;
using test::training_node;

using Change = std::function<void(Machine&)>;

/// How a rule comes to each verdict. `good` is for what the healthy node does not have.
struct RowCase {
  std::string rule;
  Change bad;
  Change unknown;
  Change good = [](Machine&) {};
};

/// A kernel log of one line, and one that cannot be read.
RowCase log_row(const std::string& rule, const std::string& line) {
  return {rule,
          [line](Machine& m) {
            m.log.value->lines.push_back({10.0, line});
          },
          [](Machine& m) { m.log = not_permitted("the kernel log is for root"); }};
}

/// A property of the first GPU that it may not report.
RowCase gpu_row(const std::string& rule, const std::function<void(GpuState&)>& bad) {
  return {rule, [bad](Machine& m) { bad(m.nvidia.gpus.value->front()); },
          [](Machine& m) { m.nvidia.gpus = unknown("NVML does not answer"); }};
}

facts::Observation observed(const std::string& what, std::optional<std::string> value) {
  facts::Observation seen;
  seen.device = "fab0";
  seen.what = what;
  seen.value = std::move(value);
  seen.speed_gbps = 400;
  return seen;
}

/// What `check` looks at, too: its observations are tested with it.
RowCase check_row(const std::string& rule, const std::string& what, const std::string& good,
                  const std::string& bad, int speed = 400) {
  const auto give = [what, speed](std::optional<std::string> value) -> Change {
    return [=](Machine& m) {
      m.of_check = {observed(what, value)};
      m.of_check[0].speed_gbps = speed;
    };
  };
  return {rule, give(bad), give(std::nullopt), give(good)};
}

void make_infiniband(Machine& m) {
  for (facts::RdmaDevice& device : m.facts.rdma) {
    device.ports[0].link_layer = "InfiniBand";
    device.ports[0].gids.clear();
  }
  for (PortState& port : m.ports) port.sm_lid = 1;
}

facts::RdmaPort& first_port(Machine& m) { return m.facts.rdma[0].ports[0]; }

PciFunction& function(Machine& m, const std::string& address) {
  for (PciFunction& one : *m.pci.value)
    if (one.address == address) return one;
  return m.pci.value->front();
}

void no_pci(Machine& m) { m.pci = unknown("the recording has no PCI bus"); }

std::vector<RowCase> network_rows() {
  const auto no_name = [](Machine& m) { m.own_name = unknown("no name server answers"); };
  return {
      {"network-address",
       [](Machine& m) {
         for (facts::NetDevice& device : m.facts.net) device.operstate = "down";
       },
       [](Machine& m) {
         for (facts::NetDevice& device : m.facts.net) device.addresses.clear();
       }},
      {"name-own", [](Machine& m) { m.own_name.value->addresses = {"127.0.1.1"}; }, no_name},
      {"rendezvous-host", [](Machine& m) { m.own_name.value->addresses = {"127.0.1.1"}; }, no_name},
      {"gloo-address", [](Machine& m) { m.own_name.value->addresses = {"127.0.1.1"}; }, no_name},
      {"name-fqdn", [](Machine& m) { m.own_name.value->fqdn = "localhost.localdomain"; }, no_name},
      {"name-unique", [](Machine& m) { m.own_name.value->name = "debian"; },
       [](Machine& m) {
         m.own_name = unknown("");
         m.facts.node.hostname = "";
       }},
      {"name-lookup", [](Machine& m) { m.own_name.value->took_ms = 5004; }, no_name},
      {"nccl-interface",
       [](Machine& m) {
         m.facts.net.insert(m.facts.net.begin(), test::interface_of_training_node(
                                                     "virbr0", 1, "192.168.122.1/24", 1500));
       },
       [](Machine& m) {
         for (facts::NetDevice& device : m.facts.net) device.addresses.clear();
       }},
      check_row("nccl-variable", "nccl.variable", "good", "missing"),
      check_row("nccl-variable-value", "nccl.variable", "good", "objection"),
      check_row("nccl-turned-off", "nccl.turned-off", "nothing", "rdma"),
      {"rendezvous-port",
       [](Machine& m) {
         m.listeners.value->push_back({29500, "", "python3 (812)"});
       },
       [](Machine& m) { m.listeners = unknown("/proc/net/tcp could not be read"); }},
      {"firewall-ephemeral",
       [](Machine& m) {
         m.facts.firewall.owner = "nftables";
         m.facts.firewall.chains = {
             {"inet", "filter", "input", "input", 0, "drop", "", true, false}};
       },
       [](Machine& m) { m.facts.firewall.owner = ""; }},
      {"demanded", [](Machine& m) { m.of_check = {observed("demand.present", "missing")}; },
       [](Machine& m) { m.of_check = {observed("demand.present", std::nullopt)}; },
       [](Machine& m) { m.of_check = {observed("demand.present", "present")}; }},
  };
}

std::vector<RowCase> limit_rows() {
  const auto closed = [](Machine& m) {
    m.services[0].memlock = m.services[0].nofile = m.services[0].stack = not_permitted("root");
  };
  const auto shm = [](std::uint64_t mib) -> Change {
    return [mib](Machine& m) { m.shm.value->free = mib << 20; };
  };
  return {
      {"memlock",
       [](Machine& m) { m.services[0].memlock = std::optional<std::uint64_t>(8U << 20); }, closed},
      {"nofile", [](Machine& m) { m.services[0].nofile = std::optional<std::uint64_t>(1024); },
       closed},
      {"stack", [](Machine& m) { m.services[0].stack = std::optional<std::uint64_t>(); }, closed},
      {"remove-ipc", [](Machine& m) { m.remove_ipc = std::string("yes"); },
       [](Machine& m) { m.remove_ipc = unknown("there is no /etc/systemd"); }},
      {"shm-size", shm(63), [](Machine& m) { m.shm = unknown("not recorded"); }},
      {"shm-leftovers", [](Machine& m) { m.shm_leftovers = {"nccl-abc"}; },
       [](Machine& m) { m.shm = unknown("not recorded"); }},
  };
}

std::vector<RowCase> rdma_rows() {
  return {
      {"rdma-port",
       [](Machine& m) {
         first_port(m).state = "DOWN";
         first_port(m).physical_state = "Polling";
       },
       [](Machine& m) { first_port(m).state = ""; }},
      {"rdma-rate", [](Machine& m) { first_port(m).rate_gbps = 200; },
       [](Machine& m) { first_port(m).rate_gbps.reset(); }},
      {"rdma-rate-card",
       [](Machine& m) {
         for (facts::RdmaDevice& device : m.facts.rdma) device.ports[0].rate_gbps = 200;
         m.facts.net[1].max_speed_mbps = 400'000;
       },
       [](Machine& m) { first_port(m).rate_gbps.reset(); }},
      {"subnet-manager",
       [](Machine& m) {
         make_infiniband(m);
         m.ports[0].sm_lid = 0;
       },
       [](Machine& m) {
         make_infiniband(m);
         m.ports[0].sm_lid = unknown("it could not be read");
       },
       make_infiniband},
      {"rdma-link-layers", [](Machine& m) { first_port(m).link_layer = "InfiniBand"; },
       [](Machine& m) {
         for (facts::RdmaDevice& device : m.facts.rdma) device.ports[0].state = "DOWN";
       }},
      {"rdma-firmware", [](Machine& m) { m.facts.rdma[0].firmware = "28.36.1010"; },
       [](Machine& m) {
         for (facts::RdmaDevice& device : m.facts.rdma) device.firmware = "";
       }},
      {"rdma-ceiling",
       [](Machine& m) {
         function(m, "0000:1a:00.0").now = PciLink{160, 16};
       },
       no_pci},
      {"rdma-interface", [](Machine& m) { m.facts.net[1].operstate = "down"; },
       [](Machine& m) { m.facts.net[1].rdma_devices.clear(); }},
      {"rdma-nodes",
       [](Machine& m) { m.rdma_nodes["/dev/infiniband/uverbs1"] = NodeState::missing; },
       [](Machine& m) { m.rdma_nodes.clear(); }},
      {"rdma-counters", [](Machine& m) { m.ports[0].later["symbol_error"] = 7; },
       [](Machine& m) {
         m.ports[0].counters = {{"link_downed", 255}};
         m.ports[0].later = m.ports[0].counters;
       }},
      {"roce-gid", [](Machine& m) { first_port(m).gids.resize(1); },
       [](Machine& m) {
         for (facts::Gid& gid : first_port(m).gids) gid.type = "";
       }},
      {"roce-mtu", [](Machine& m) { m.ports[0].active_mtu = 1024; },
       [](Machine& m) {
         m.ports[0].active_mtu = unknown("not asked");
         first_port(m).netdev = "gone0";
       }},
      {"link-flaps",
       [](Machine& m) {
         for (int i = 0; i < 5; ++i)
           m.log.value->lines.push_back({4000.0 + i, "mlx5_core 0000:1a:00.0 fab0: Link down"});
       },
       [](Machine& m) { m.log = not_permitted("the kernel log is for root"); }},
      check_row("infiniband-port", "ib.state", "ACTIVE", "DOWN"),
      check_row("pkey-first", "ib.pkey-first", "full", "limited"),
      check_row("pkey-default", "ib.pkey-default", "full", "absent"),
      check_row("fec-200g", "link.fec", "rs", "none"),
      check_row("fec-100g", "link.fec", "rs", "none", 100),
      check_row("firmware-waits", "firmware.stored", "running", "waiting"),
      check_row("firmware-roce", "firmware.roce", "on", "off"),
      check_row("interrupts-near", "irq.outside-node", "0", "4"),
  };
}

std::vector<RowCase> pci_rows() {
  const auto acs = [](const char* address, int bits) -> Change {
    return [=](Machine& m) { function(m, address).acs = bits; };
  };
  const auto closed = [](const char* address) -> Change {
    return [=](Machine& m) { function(m, address).acs = not_permitted("root alone"); };
  };
  const auto bridged = [](Machine& m) {
    for (GpuState& gpu : *m.nvidia.gpus.value) {
      gpu.name = "NVIDIA RTX 5880 Ada";
      gpu.nvlinks_up.reset();
    }
    m.iommu = true;
    m.iommu_groups = {{"identity", 40}};
  };
  const auto with = [](const Change& first, const Change& second) -> Change {
    return [=](Machine& m) {
      first(m);
      second(m);
    };
  };
  return {
      check_row("pci-max-read-request", "pci.max-read-request", "4096", "512"),
      check_row("pci-acs", "pci.acs-redirect", "off", "on"),
      {"pci-link", [](Machine& m) { function(m, "0000:19:00.0").now->lanes = 8; }, no_pci},
      {"pci-uplink", [](Machine& m) { function(m, "0000:16:00.0").now->lanes = 8; }, no_pci},
      {"pci-slot", [](Machine& m) { function(m, "0000:15:01.0").most->speed_tenths = 160; },
       no_pci},
      {"pci-gone", [](Machine& m) { function(m, "0000:19:00.0").silent = true; }, no_pci},
      {"gpu-bar", [](Machine& m) { function(m, "0000:19:00.0").bars[1].assigned = false; },
       [](Machine& m) {
         function(m, "0000:19:00.0").bars.clear();
         m.nvidia.gpus.value->front().bar1_mib.reset();
       }},
      {"gpu-bar-size",
       [](Machine& m) {
         function(m, "0000:19:00.0").bars = {{1, 0xe0000000, 256U << 20, true, true}};
         m.nvidia.gpus.value->front().bar1_mib = 256;
       },
       [](Machine& m) {
         function(m, "0000:19:00.0").bars.clear();
         m.nvidia.gpus.value->front().bar1_mib.reset();
       }},
      {"numa-known", [](Machine& m) { function(m, "0000:19:00.0").numa_node.reset(); }, no_pci},
      {"iommu-mode",
       [](Machine& m) {
         m.iommu = true;
         m.iommu_groups = {{"DMA-FQ", 40}};
       },
       [](Machine& m) { m.iommu = unknown("not recorded"); }},
      {"acs-path", acs("0000:17:00.0", 0x1d), closed("0000:17:00.0")},
      {"acs-root-port", with(bridged, acs("0000:15:01.0", 0x1d)),
       with(bridged, closed("0000:15:01.0")), bridged},
      {"boot-option", [](Machine& m) { m.command_line = std::string("ro pci=realloc,noacs"); },
       [](Machine& m) { m.command_line = unknown("not recorded"); }},
  };
}

std::vector<RowCase> card_rows() {
  return {
      {"pci-max-payload", [](Machine& m) { function(m, "0000:1a:00.0").max_payload = 128; },
       [](Machine& m) { function(m, "0000:1a:00.0").max_payload.reset(); }},
      {"pci-relaxed-ordering",
       [](Machine& m) { function(m, "0000:1a:00.0").relaxed_ordering = false; },
       [](Machine& m) { function(m, "0000:1a:00.0").relaxed_ordering.reset(); }},
      // The bridge above counts the errors of the same link.
      {"pci-aer", [](Machine& m) { function(m, "0000:17:01.0").aer_uncorrected = 2; },
       [](Machine& m) { function(m, "0000:1a:00.0").aer_uncorrected.reset(); }},
      {"pci-sriov", [](Machine& m) { function(m, "0000:1a:00.0").most_vfs = 0; }, no_pci},
      {"rdma-ofed", [](Machine& m) { m.ofed = std::string("5.4-3.7.5"); },
       [](Machine& m) { m.ofed = std::string("inbox"); }},
      {"bond-members", [](Machine& m) { m.bonds[0].down = {"fab1"}; },
       [](Machine& m) { m.bonds[0].members.clear(); }},
      {"bond-hash", [](Machine& m) { m.bonds[0].hash = "layer2"; },
       [](Machine& m) { m.bonds[0].hash = ""; }},
      {"gpu-gsp", [](Machine& m) { m.nvidia.gsp["0000:19:00.0"] = "535.54.03"; },
       [](Machine& m) { m.nvidia.module_version = unknown("not recorded"); }},
      {"cudnn-version", [](Machine& m) { m.cudnn[0].version = "8.5.0"; },
       [](Machine& m) { m.cudnn[0].version = ""; }},
      // 400 Gb/s for a second: 4e11 bits, of which 4e6 are one in 1e5.
      {"link-ber",
       [](Machine& m) { m.statistics_later["fab0"]["rx_corrected_bits_phy"] = 4'000'007; },
       [](Machine& m) { m.statistics_later["fab0"].erase("rx_corrected_bits_phy"); }},
      {"link-pause", [](Machine& m) { m.statistics_later["fab0"]["rx_pause_ctrl_phy"] = 9; },
       [](Machine& m) { m.statistics_later.clear(); }},
      // 150 ms of 1 s.
      {"link-pause-priority",
       [](Machine& m) { m.statistics_later["fab0"]["rx_prio3_pause_duration"] = 159'000; },
       [](Machine& m) { m.statistics_later["fab0"].erase("rx_prio3_pause_duration"); }},
      {"link-discards", [](Machine& m) { m.statistics_later["fab0"]["rx_discards_phy"] = 9; },
       [](Machine& m) {
         m.statistics_later["fab0"].erase("rx_discards_phy");
         m.statistics_later["fab0"].erase("tx_discards_phy");
       }},
      {"container-network", [](Machine& m) { m.container->own_network = true; },
       [](Machine& m) { m.container->own_network = unknown("not read"); }},
      {"container-memlock",
       [](Machine& m) { m.container->memlock = std::optional<std::uint64_t>(64U << 10); },
       [](Machine& m) { m.container->memlock = unknown("not read"); }},
      {"container-numa", [](Machine& m) { m.container->numa_calls = false; },
       [](Machine& m) { m.container.reset(); }},
  };
}

std::vector<RowCase> peer_rows() {
  return {
      {"peer-path-mtu", [](Machine& m) { m.peer->paths[0].carries = 1500; },
       [](Machine& m) { m.peer->paths[0].carries = unknown("no socket"); }},
      {"peer-name",
       [](Machine& m) { m.peer->names[0].resolved = std::vector<std::string>{"127.0.1.1"}; },
       [](Machine& m) { m.peer->names[0].resolved = unknown("the peer did not say"); }},
      {"peer-port", [](Machine& m) { m.peer->ports[0].state = "dropped"; },
       [](Machine& m) { m.peer->ports[0].state.clear(); }},
      {"peer-gid-index",
       [](Machine& m) {
         m.environment["NCCL_IB_GID_INDEX"] = "3";
         m.peer->their_gids = std::map<std::string, int>{{"mlx5_0/1", 5}};
       },
       [](Machine& m) { m.peer->their_gids = unknown("the peer did not say"); }},
  };
}

std::vector<RowCase> job_rows() {
  const auto closed = [](Machine& m) {
    m.job->libraries = not_permitted("another user's");
    m.job->environment = not_permitted("another user's");
  };
  return {
      {"job-nccl",
       [](Machine& m) { (*m.job->libraries.value)["/usr/lib/libnccl.so.2.18.5"] = "2.18.5"; },
       closed},
      {"job-verbs",
       [](Machine& m) {
         m.job->libraries.value->erase("/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0");
       },
       closed},
      {"job-environment", [](Machine& m) { (*m.job->environment.value)["NCCL_IB_TC"] = "0"; },
       closed},
  };
}

/// A node whose NVSwitches are managed by an InfiniBand function of a card.
void manage_switches(Machine& m) {
  facts::RdmaDevice device = m.facts.rdma[0];
  device.name = "mlx5_8";
  device.pci_address = "0000:d2:00.1";
  m.facts.rdma.push_back(device);
  m.pci.value->push_back(test::pci_function("0000:d2:00.0", "15b3:1021", "0x020700", "", 0));
  m.pci.value->back().manages_switch = true;
}

void make_rack(Machine& m) {
  for (GpuState& gpu : *m.nvidia.gpus.value) gpu.name = "NVIDIA GB200";
  m.pci.value->pop_back();
}

Change with(const Change& first, const Change& then) {
  return [=](Machine& m) {
    first(m);
    then(m);
  };
}

std::vector<RowCase> gpu_rows() {
  return {
      {"probe-answers",
       [](Machine& m) { m.silent_probes = {"NVML did not answer within 2000 ms"}; },
       [](Machine& m) { m.of_check = {observed("probe.answers", std::nullopt)}; }},
      {"gpu-module",
       [](Machine& m) {
         m.nvidia.module_version = unknown("no nvidia module is loaded");
         m.nvidia.module_is_absent = true;
         m.nvidia.module_for_kernel = false;
       },
       [](Machine& m) {
         m.nvidia.module_version = unknown("no nvidia module is loaded");
         m.nvidia.module_is_absent = true;
         m.nvidia.module_for_kernel = unknown("not there");
       }},
      {"gpu-driver", [](Machine& m) { m.nvidia.library_version = std::string("550.54.14"); },
       [](Machine& m) { m.nvidia.module_version = unknown("not recorded"); }},
      {"gpu-count", [](Machine& m) { m.nvidia.gpus.value->pop_back(); },
       [](Machine& m) { m.nvidia.gpus = unknown("NVML does not answer"); }},
      {"gpu-device-nodes",
       [](Machine& m) { m.nvidia.device_nodes["/dev/nvidia-uvm"] = NodeState::missing; },
       [](Machine& m) { m.nvidia.device_nodes.clear(); }},
      log_row("gpu-xid", "NVRM: Xid (PCI:0000:19:00): 79, pid=1, GPU has fallen off the bus."),
      log_row("gpu-xid-application", "NVRM: Xid (PCI:0000:19:00): 13, pid=1, Graphics Exception"),
      gpu_row("gpu-answers", [](GpuState& gpu) { gpu.take("pstate", Answer::reset_required); }),
      gpu_row("gpu-retired-pages", [](GpuState& gpu) { gpu.retired_pages = 60; }),
      gpu_row("gpu-row-banks", [](GpuState& gpu) { gpu.banks_without_rows = 1; }),
      gpu_row("gpu-ecc-corrected", [](GpuState& gpu) { gpu.ecc_corrected_later = 9; }),
      gpu_row("gpu-power-far", [](GpuState& gpu) { gpu.power_limit_w = 400; }),
      gpu_row("gpu-clocks", [](GpuState& gpu) { gpu.application_mhz = 1200; }),
      {"fabric-modules",
       with(manage_switches,
            [](Machine& m) {
              m.nvidia.fabric_modules_missing = std::vector<std::string>{"ib_umad"};
            }),
       with(manage_switches, [](Machine& m) { m.nvidia.fabric_modules_missing = unknown("-"); }),
       manage_switches},
      {"nvlsm", with(manage_switches, [](Machine& m) { m.nvidia.nvlsm = ServiceState::inactive; }),
       with(manage_switches, [](Machine& m) { m.nvidia.nvlsm = unknown("not recorded"); }),
       manage_switches},
      {"gpu-imex", with(make_rack, [](Machine& m) { m.nvidia.imex = ServiceState::absent; }),
       with(make_rack, [](Machine& m) { m.nvidia.imex = unknown("not recorded"); }), make_rack},
      gpu_row("gpu-ecc", [](GpuState& gpu) { gpu.ecc_uncorrected = 2; }),
      gpu_row("gpu-row-remap", [](GpuState& gpu) { gpu.remap_failure = true; }),
      gpu_row("gpu-row-remap-pending", [](GpuState& gpu) { gpu.remap_pending = true; }),
      gpu_row("gpu-recovery", [](GpuState& gpu) { gpu.recovery_action = "reset"; }),
      gpu_row("gpu-throttle", [](GpuState& gpu) { gpu.throttle->emplace_back("hw_thermal"); }),
      gpu_row("gpu-power-limit", [](GpuState& gpu) { gpu.power_limit_w = 600; }),
      gpu_row("gpu-persistence", [](GpuState& gpu) { gpu.persistence = false; }),
      gpu_row("gpu-compute-mode", [](GpuState& gpu) { gpu.compute_mode = "prohibited"; }),
      gpu_row("gpu-mig", [](GpuState& gpu) { gpu.mig = true; }),
      gpu_row("gpu-nvlink", [](GpuState& gpu) { gpu.nvlinks_up = 12; }),
      gpu_row("gpu-fabric", [](GpuState& gpu) { gpu.fabric_state = "in progress"; }),
      {"fabric-manager", [](Machine& m) { m.nvidia.fabric_manager = ServiceState::inactive; },
       [](Machine& m) { m.nvidia.fabric_manager = unknown("not recorded"); }},
      {"peer-memory",
       [](Machine& m) {
         m.peer_memory = false;
         m.peer_memory_possible = false;
         m.nvidia.open_module = false;
       },
       [](Machine& m) { m.peer_memory = unknown("not recorded"); }},
      {"gpudirect",
       [](Machine& m) {
         m.peer_memory = false;
         m.nvidia.open_module = false;
       },
       [](Machine& m) {
         m.peer_memory = false;
         m.verbs.clear();
       }},
      {"gpudirect-distance", [](Machine& m) { m.facts.rdma[0].ports[0].state = "DOWN"; },
       // Where a card is cannot be told: the row does not apply to it.
       [](Machine& m) {
         m.facts.rdma[0].pci_address = "0000:99:00.0";
         m.facts.rdma.resize(1);
       }},
      {"torch-cuda", [](Machine& m) { m.torch[0].cuda = ""; }, [](Machine& m) { m.torch.clear(); }},
      {"torch-driver", [](Machine& m) { m.nvidia.cuda_major = 11; },
       [](Machine& m) { m.nvidia.cuda_major.reset(); }},
      {"nccl-version", [](Machine& m) { m.nccl[0].version = "2.10.3"; },
       [](Machine& m) { m.nccl[0].version = "?"; }},
      {"job-ras",
       [](Machine& m) {
         m.ras->text = "Errors\n======\n\nDEAD\n  1 job process is considered dead\n";
       },
       [](Machine& m) { m.ras->answers = false; }},
  };
}

std::vector<RowCase> host_rows() {
  const auto missing = [](Known<std::string> Machine::*member) -> Change {
    return [member](Machine& m) { m.*member = unknown("not recorded"); };
  };
  return {
      {"kernel-flavour", [](Machine& m) { m.facts.node.kernel = "6.1.0-37-cloud-amd64"; },
       [](Machine& m) { m.facts.node.kernel = ""; }},
      {"cpu-governor", [](Machine& m) { m.governors["policy1"] = "powersave"; },
       // A kernel that does not scale clocks has no governor: the row does not apply.
       [](Machine& m) { m.governors.clear(); }},
      {"cpu-clocksource", [](Machine& m) { m.clocksource = std::string("hpet"); },
       missing(&Machine::clocksource)},
      {"numa-balancing", [](Machine& m) { m.numa_balancing = std::string("1"); },
       missing(&Machine::numa_balancing)},
      {"time-sync", [](Machine& m) { m.time_sync = std::string("unsynchronised"); },
       missing(&Machine::time_sync)},
      {"memory-edac", [](Machine& m) { m.edac.value->second = 1; },
       [](Machine& m) { m.edac = not_applicable("no EDAC"); }},
      {"storage-space", [](Machine& m) { m.file_systems[0].value->free = 1; },
       [](Machine& m) { m.file_systems[0] = unknown("not recorded"); }},
      check_row("baseline-gone", "baseline.present", "present", "gone"),
      check_row("baseline-state", "baseline.state", "as-before", "worse"),
      check_row("baseline-rate", "baseline.rate", "better", "worse"),
      check_row("baseline-mtu", "baseline.mtu", "as-before", "worse"),
      check_row("baseline-version", "baseline.version", "better", "worse"),
      check_row("baseline-changed", "baseline.same", "same", "changed"),
      check_row("baseline-counters", "baseline.counters", "quiet", "grown"),
      check_row("profile-setting", "profile.setting", "holds", "differs"),
      check_row("profile-matches", "profile.matches", "yes", "no"),
      {"storage-root", [](Machine& m) { m.root_is_read_only = true; },
       [](Machine& m) { m.root_is_read_only = unknown("not recorded"); }},
  };
}

std::vector<RowCase> log_rows() {
  return {
      log_row("log-nvidia-mismatch",
              "NVRM: API mismatch: the client has the version 550.54.14, but"),
      log_row("log-nvidia-bar",
              "NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:"),
      log_row("log-nvidia-init", "NVRM: GPU 0000:19:00.0: RmInitAdapter failed! (0x22:0x56:742)"),
      log_row("log-gpu-off-bus", "NVRM: GPU at PCI:0000:19:00 has fallen off the bus."),
      log_row("log-nvswitch-fatal",
              "nvidia-nvswitch3: SXid (PCI:0000:35:00.0): 20034, Fatal, Link 30 LTSSM Fault Up"),
      log_row("log-nvswitch",
              "nvidia-nvswitch3: SXid (PCI:0000:35:00.0): 12028, Non-fatal, Link 32 egress"),
      log_row("log-peermem",
              "nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid "
              "context, skipping further processing"),
      log_row("log-peermem-symbol",
              "nvidia_peermem: disagrees about version of symbol ib_register_peer_memory_client"),
      log_row("log-port-module",
              "mlx5_core 0000:1a:00.0: Port module event[error]: module 0, Cable "
              "error, Bad or shorted cable/module"),
      log_row("log-slot-power",
              "mlx5_core 0000:1a:00.0: mlx5_pcie_event: Detected insufficient power on the PCIe "
              "slot (27W)."),
      log_row("log-card-health",
              "mlx5_core 0000:1a:00.0: device's health compromised - reached miss count"),
      log_row("log-pci-error",
              "pcieport 0000:15:01.0: PCIe Bus Error: severity=Uncorrectable "
              "(Non-Fatal), type=Transaction Layer"),
      log_row("log-pci-space",
              "pci 0000:19:00.0: BAR 1: no space for [mem size 0x2000000000 64bit pref]"),
      log_row(
          "log-iommu",
          "DMAR: [DMA Write NO_PASID] Request device [19:00.0] fault addr 0x0 [fault reason 0x05]"),
      log_row("log-nccl-crash",
              "pt_main_thread[2536443]: segfault at 7f797fe00000 ip 00007f7c7ac69996 "
              "sp 00007f7c12fd7c30 error 4 in libnccl.so.2[7f7c7ac00000+d3d3000]"),
      log_row("log-oom", "Out of memory: Killed process 812 (python3) total-vm:1kB"),
      log_row("log-conntrack", "nf_conntrack: nf_conntrack: table full, dropping packet"),
      log_row("log-watchdog", "NETDEV WATCHDOG: fab0 (mlx5_core): transmit queue 3 timed out"),
      log_row("log-hung-task", "INFO: task python3:812 blocked for more than 120 seconds."),
      log_row("log-nvidia-probe", "NVRM: The NVIDIA probe routine failed for 1 device(s)."),
      log_row("log-nvidia-imex", "NVRM: failed to initialize IMEX channels."),
      log_row("log-card-waits",
              "mlx5_core 0000:1a:00.0: wait_fw_init:211:(pid 1): Waiting for FW initialization, "
              "timeout abort in 99s (0x80000000)"),
      log_row("log-card-temperature",
              "mlx5_core 0000:1a:00.0: temp_warn:174:(pid 0): High temperature on sensors with bit "
              "set 0 1"),
      {"log-pci-corrected",
       [](Machine& m) {
         for (int i = 0; i < 100; ++i)
           m.log.value->lines.push_back(
               {4000.0 + i, "pcieport 0000:15:01.0: PCIe Bus Error: severity=Corrected, type="});
       },
       [](Machine& m) { m.log = not_permitted("the kernel log is for root"); },
       [](Machine& m) {
         for (int i = 0; i < 200; ++i)
           m.log.value->lines.push_back(
               {60.0 * i, "pcieport 0000:15:01.0: PCIe Bus Error: severity=Corrected, type="});
       }},
      log_row("log-pci-narrow",
              "mlx5_core 0000:1a:00.0: 126.016 Gb/s available PCIe bandwidth, limited by 16.0 GT/s "
              "PCIe x8 link at 0000:15:01.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 "
              "link)"),
      log_row("log-panic", "BUG: kernel NULL pointer dereference, address: 0000000000000018"),
      log_row("log-lockup", "watchdog: BUG: soft lockup - CPU#5 stuck for 26s! [python3:812]"),
      log_row("log-hardware-error", "{1}[Hardware Error]: event severity: recoverable"),
      log_row("log-memory-error", "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_DIMM#0 (page:0"),
      log_row("log-nvme-gone", "nvme nvme1: Disabling device after reset failure: -19"),
      log_row("log-nvme", "nvme nvme1: I/O tag 12 (100c) QID 3 timeout, aborting req_op:READ(0)"),
      log_row("log-disk", "critical medium error, dev nvme1n1, sector 2048 op 0x0:(READ)"),
      log_row("log-filesystem", "EXT4-fs (nvme1n1): Remounting filesystem read-only"),
  };
}

std::vector<RowCase> all_rows() {
  std::vector<RowCase> rows;
  for (const auto& some : {network_rows(), limit_rows(), rdma_rows(), pci_rows(), card_rows(),
                           peer_rows(), job_rows(), gpu_rows(), host_rows(), log_rows()})
    rows.insert(rows.end(), some.begin(), some.end());
  return rows;
}

Judged judged(const Change& change) {
  Machine machine = training_node();
  change(machine);
  return judge(shipped_rules(), machine, observe(machine), {{}, "2026-11-24"});
}

/// The verdicts of one rule, on whatever device.
std::vector<Opinion> verdicts(const Judged& result, const std::string& rule) {
  std::vector<Opinion> all;
  for (const Finding& finding : result.findings)
    if (finding.rule->id == rule) all.push_back(finding.opinion);
  return all;
}

bool contains(const std::vector<Opinion>& all, Opinion one) {
  return std::ranges::find(all, one) != all.end();
}

TEST(DoctorRules, EveryRuleHasItsCases) {
  std::set<std::string> with_cases;
  for (const RowCase& row : all_rows()) EXPECT_TRUE(with_cases.insert(row.rule).second) << row.rule;
  for (const Rule& rule : shipped_rules())
    EXPECT_TRUE(with_cases.contains(rule.id)) << rule.id << " has no good, bad and unknown case";
}

TEST(DoctorRules, AHealthyNodeHasNoFaultAndNoAdvice) {
  const Judged result = judged([](Machine&) {});
  for (const Finding& finding : result.findings)
    EXPECT_FALSE(finding.is_bad()) << finding.rule->id << ": " << finding.text;
}

TEST(DoctorRules, EveryRuleComesToEachVerdict) {
  for (const RowCase& row : all_rows()) {
    const auto good = verdicts(judged(row.good), row.rule);
    EXPECT_TRUE(contains(good, Opinion::good)) << row.rule << " is not good on a healthy node";
    EXPECT_FALSE(contains(good, Opinion::fault) || contains(good, Opinion::advice)) << row.rule;

    const auto bad = verdicts(judged(row.bad), row.rule);
    EXPECT_TRUE(contains(bad, Opinion::fault) || contains(bad, Opinion::advice))
        << row.rule << " does not see what is wrong";

    const auto unseen = verdicts(judged(row.unknown), row.rule);
    EXPECT_TRUE(contains(unseen, Opinion::unknown) || contains(unseen, Opinion::not_permitted) ||
                contains(unseen, Opinion::not_applicable))
        << row.rule << " is sure of what it did not see";
    EXPECT_FALSE(contains(unseen, Opinion::fault) || contains(unseen, Opinion::advice)) << row.rule;
  }
}

TEST(DoctorRules, WhatIsObservedIsDeclaredOnceAndATypoInARuleIsNamed) {
  std::set<std::string_view> names;
  for (const Observable& one : all_observables())
    EXPECT_TRUE(names.insert(one.name).second) << one.name << " is declared twice";
  EXPECT_FALSE(names.empty());
  const auto wrong = checks::parse_rules(
      "schema = 1\n[rule.r]\nlooks_at = \"gpu.drivr\"\nwant = \"loaded\"\nseverity = \"fault\"\n"
      "why = \"w\"\nremedy = \"r\"\nsource = \"s\"\n",
      "r.toml", {all_observables()});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().line, 3);
  EXPECT_NE(wrong.error().text.find("did you mean \"gpu.driver\""), std::string::npos)
      << wrong.error().text;
}

/// A value that no observation has is never good.
TEST(DoctorRules, TheGoodValuesOccur) {
  for (const checks::Rule& rule : test::shipped_rules())
    for (const Observable& one : all_observables()) {
      if (one.name != rule.looks_at || one.values.empty()) continue;
      for (const std::string& good : rule.want)
        EXPECT_NE(cat("|", one.values, "|").find(cat("|", good, "|")), std::string::npos)
            << rule.id << ": " << good;
    }
}

TEST(DoctorRules, ExplainsNamesRulesThatAreThere) {
  std::set<std::string> ids;
  for (const Rule& rule : shipped_rules()) EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
  for (const Rule& rule : shipped_rules())
    for (const std::string& symptom : rule.explains)
      EXPECT_TRUE(ids.contains(symptom)) << rule.id << " explains " << symptom;
}

TEST(DoctorRules, AVirtualMachineAndABareOneHaveNoFault) {
  Machine machine = training_node();
  machine.virtual_machine = true;
  function(machine, "0000:17:00.0").acs = 0x1d;
  function(machine, "0000:19:00.0").now->lanes = 8;
  function(machine, "0000:19:00.0").numa_node.reset();
  EXPECT_FALSE(judge(shipped_rules(), machine, observe(machine), {{}, ""}).has_fault());
  // Without GPUs and cards, and with nothing else known.
  const Machine bare;
  EXPECT_FALSE(judge(shipped_rules(), bare, observe(bare), {{}, ""}).has_fault());
}

TEST(DoctorRules, AnIdleGpuIsNoFaultAndANarrowOneIs) {
  const auto idle = [](int lanes) -> Change {
    return [lanes](Machine& m) {
      m.nvidia.gpus.value->front().performance_state = 8;
      function(m, "0000:19:00.0").now = PciLink{25, lanes};
    };
  };
  EXPECT_FALSE(judged(idle(16)).has_fault());
  EXPECT_TRUE(judged(idle(8)).has_fault());
}

TEST(DoctorRules, SourceValidationAloneRedirectsNothing) {
  EXPECT_FALSE(judged([](Machine& m) { function(m, "0000:17:00.0").acs = 0x01; }).has_fault());
  EXPECT_FALSE(judged([](Machine& m) { function(m, "0000:17:00.0").acs = 0x12; }).has_fault());
}

TEST(DoctorRules, APortWithoutACableByDesignIsNoFault) {
  // Both second ports are down, and the first ones work.
  const Judged result = judged([](Machine& m) {
    for (facts::RdmaDevice& device : m.facts.rdma) {
      facts::RdmaPort second = device.ports[0];
      second.number = 2;
      second.state = "DOWN";
      second.physical_state = "Disabled";
      device.ports.push_back(second);
    }
  });
  EXPECT_FALSE(result.has_fault());
}

TEST(DoctorRules, TwoFabricsOfOneModelAreNoFaultAndOneSlowPortIs) {
  const auto slow = [](int count) -> Change {
    return [count](Machine& m) {
      for (int i = 2; i < 6; ++i) {
        test::add_card(m, i, cat("0000:", i, "c:00.0"));
        for (const char* const bus : {"1a", "2a"})
          m.pci.value->push_back(test::pci_function(cat("0000:", i, "c:00.0"), "15b3:1021",
                                                    "0x020000", cat("0000:", bus, ":00.0"), 0));
      }
      for (int i = 0; i < count; ++i) {
        m.facts.rdma[static_cast<std::size_t>(i)].ports[0].rate = "200 Gb/sec (4X HDR)";
        m.facts.rdma[static_cast<std::size_t>(i)].ports[0].rate_gbps = 200;
      }
    };
  };
  EXPECT_TRUE(contains(verdicts(judged(slow(1)), "rdma-rate"), Opinion::fault));
  EXPECT_FALSE(contains(verdicts(judged(slow(2)), "rdma-rate"), Opinion::fault));
}

TEST(DoctorRules, ACardOfAnotherModelWithoutAnAddressIsNotInUse) {
  const auto without = [](const char* model) -> Change {
    return [model](Machine& m) {
      m.facts.rdma[0].pci_id = model;
      m.facts.rdma[0].ports[0].gids.resize(1);
    };
  };
  EXPECT_FALSE(contains(verdicts(judged(without("15b3:101d")), "roce-gid"), Opinion::fault));
  EXPECT_TRUE(contains(verdicts(judged(without("15b3:1021")), "roce-gid"), Opinion::fault));
}

TEST(DoctorRules, BridgesOfPcieGpusAreWhatTheOthersHave) {
  const auto bridged = [](int first, int second) -> Change {
    return [=](Machine& m) {
      int up[] = {first, second};
      for (std::size_t i = 0; i < 2; ++i) {
        (*m.nvidia.gpus.value)[i].name = "NVIDIA H100 NVL";
        (*m.nvidia.gpus.value)[i].nvlinks_up = up[i];
      }
    };
  };
  EXPECT_TRUE(contains(verdicts(judged(bridged(12, 12)), "gpu-nvlink"), Opinion::good));
  EXPECT_TRUE(contains(verdicts(judged(bridged(0, 0)), "gpu-nvlink"), Opinion::not_applicable));
  EXPECT_TRUE(contains(verdicts(judged(bridged(12, 8)), "gpu-nvlink"), Opinion::fault));
}

TEST(DoctorRules, TheLimitsThatCountAreThoseOfWhoStartsTheJobs) {
  const Judged with_slurm = judged([](Machine& m) {
    m.services.push_back({"ssh", "/proc/650/limits", std::optional<std::uint64_t>(8U << 20),
                          std::optional<std::uint64_t>(1024), std::optional<std::uint64_t>(1)});
  });
  EXPECT_FALSE(with_slurm.has_fault());
  const Judged alone = judged([](Machine& m) {
    m.services[0].service = "ssh";
    m.services[0].memlock = std::optional<std::uint64_t>(8U << 20);
  });
  EXPECT_TRUE(contains(verdicts(alone, "memlock"), Opinion::fault));
}

TEST(DoctorRules, GpusOfVirtualMachinesOweNoDriver) {
  const Judged result = judged([](Machine& m) {
    for (PciFunction& one : *m.pci.value)
      if (one.is_nvidia_gpu()) one.driver = "vfio-pci";
    m.nvidia = Nvidia();
    m.nvidia.module_version = unknown("no nvidia module is loaded");
    m.nvidia.module_is_absent = true;
    m.nvidia.gpus = unknown("NVML was not asked");
  });
  EXPECT_FALSE(contains(verdicts(result, "gpu-driver"), Opinion::fault));
  EXPECT_FALSE(contains(verdicts(result, "fabric-manager"), Opinion::fault));
}

TEST(DoctorRules, AContainerThatWasGivenSomeOfTheGpusLacksNone) {
  const Judged result = judged([](Machine& m) {
    m.facts.node.container = "docker";
    m.nvidia.gpus.value->pop_back();
  });
  EXPECT_FALSE(contains(verdicts(result, "gpu-count"), Opinion::fault));
}

/// In a container /proc and /sys show what the host has, also what it keeps for itself.
TEST(DoctorRules, AContainerHasTheDeviceNodesOfWhatItWasGiven) {
  const auto given = [](NodeState gpu, NodeState card) -> Change {
    return [=](Machine& m) {
      m.facts.node.container = "kubernetes";
      m.nvidia.device_nodes = {{"/dev/nvidiactl", NodeState::usable},
                               {"/dev/nvidia-uvm", NodeState::usable},
                               {"/dev/nvidia0", NodeState::missing},
                               {"/dev/nvidia1", gpu}};
      m.rdma_nodes = {{"/dev/infiniband/rdma_cm", NodeState::usable},
                      {"/dev/infiniband/uverbs0", NodeState::missing},
                      {"/dev/infiniband/uverbs1", card}};
    };
  };
  for (const char* const rule : {"gpu-device-nodes", "rdma-nodes"}) {
    EXPECT_TRUE(contains(verdicts(judged(given(NodeState::usable, NodeState::usable)), rule),
                         Opinion::good))
        << rule;
    EXPECT_TRUE(contains(verdicts(judged(given(NodeState::closed, NodeState::closed)), rule),
                         Opinion::fault))
        << rule;
    EXPECT_TRUE(contains(verdicts(judged(given(NodeState::missing, NodeState::missing)), rule),
                         Opinion::fault))
        << rule;
    const auto on_the_host = judged([&](Machine& m) {
      given(NodeState::usable, NodeState::usable)(m);
      m.facts.node.container = "";
    });
    EXPECT_TRUE(contains(verdicts(on_the_host, rule), Opinion::fault)) << rule;
  }
}

TEST(DoctorRules, AContainerDoesNotSeeTheHostsFabricManager) {
  const auto absent = [](const char* container) -> Change {
    return [container](Machine& m) {
      m.facts.node.container = container;
      m.nvidia.fabric_manager = ServiceState::absent;
    };
  };
  EXPECT_FALSE(judged(absent("docker")).has_fault());
  EXPECT_TRUE(contains(verdicts(judged(absent("")), "fabric-manager"), Opinion::fault));
}

TEST(DoctorRules, AContainerMayHaveAReadOnlyRoot) {
  const Judged result = judged([](Machine& m) {
    m.facts.node.container = "kubernetes";
    m.root_is_read_only = true;
  });
  EXPECT_EQ(verdicts(result, "storage-root"), std::vector<Opinion>{Opinion::not_applicable});
}

/// docker's defaults: 64 MiB of /dev/shm, and a filter of system calls.
TEST(DoctorRules, WithoutAGpuNcclNeedsNoSharedMemory) {
  const auto small = [](bool gpus) -> Change {
    return [gpus](Machine& m) {
      m.shm.value->free = std::uint64_t{64} << 20;
      m.container->numa_calls = false;
      if (gpus) return;
      std::erase_if(*m.pci.value, [](const PciFunction& one) { return one.is_nvidia_gpu(); });
      m.nvidia.gpus = not_applicable("there is no NVIDIA GPU here");
      m.facts.gpus.clear();
    };
  };
  for (const char* const rule : {"shm-size", "container-numa"}) {
    EXPECT_FALSE(contains(verdicts(judged(small(true)), rule), Opinion::not_applicable)) << rule;
    EXPECT_TRUE(contains(verdicts(judged(small(false)), rule), Opinion::not_applicable)) << rule;
  }
}

TEST(DoctorRules, WithoutANetworkEverythingElseIsAConsequence) {
  const Judged result = judged([](Machine& m) {
    std::erase_if(m.facts.net, [](const facts::NetDevice& one) { return one.name != "lo"; });
    m.facts.net.push_back(test::interface_of_training_node("lo", 1, "127.0.0.1/8", 65536));
    m.own_name.value->addresses.clear();
    m.facts.rdma.clear();
  });
  for (const Finding& finding : result.findings) {
    if (finding.opinion != Opinion::fault || finding.rule->id == "network-address") continue;
    EXPECT_TRUE(finding.explained_by) << finding.rule->id << ": " << finding.text;
  }
}

TEST(DoctorRules, WithoutAnNvswitchNoFabricManagerIsOwed) {
  const Judged result = judged([](Machine& m) {
    m.pci.value->pop_back();
    m.nvidia.fabric_manager = ServiceState::absent;
  });
  EXPECT_FALSE(result.has_fault());
}

}  // namespace
}  // namespace nettune::tools::doctor
