// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "checks/advice.hpp"

namespace nettune::checks {
namespace {

/// Sorted; docs/doctor.md says what the values are.
constexpr auto kDoctors = std::to_array<std::string_view>({
    "baseline.counters",
    "baseline.mtu",
    "baseline.present",
    "baseline.rate",
    "baseline.same",
    "baseline.state",
    "baseline.version",
    "bond.hash",
    "bond.members",
    "boot.option",
    "container.memlock",
    "container.network",
    "container.numa",
    "cpu.clocksource",
    "cpu.governor",
    "cudnn.version",
    "demand.present",
    "firewall.ephemeral",
    "gdr.distance",
    "gdr.gpu",
    "gdr.peer-memory",
    "gloo.address",
    "gpu.answers",
    "gpu.bar",
    "gpu.bar-size",
    "gpu.clocks",
    "gpu.compute-mode",
    "gpu.count",
    "gpu.device-nodes",
    "gpu.driver",
    "gpu.ecc",
    "gpu.ecc-corrected",
    "gpu.fabric",
    "gpu.fabric-manager",
    "gpu.fabric-modules",
    "gpu.gsp",
    "gpu.imex",
    "gpu.mig",
    "gpu.module",
    "gpu.nvlink",
    "gpu.nvlsm",
    "gpu.persistence",
    "gpu.power-limit",
    "gpu.recovery",
    "gpu.retired-pages",
    "gpu.row-banks",
    "gpu.row-remap",
    "gpu.row-remap-pending",
    "gpu.throttle",
    "gpu.xid",
    "gpu.xid-application",
    "ib.counters",
    "iommu.mode",
    "job.environment",
    "job.nccl",
    "job.ras",
    "job.verbs",
    "kernel.flavour",
    "limit.memlock",
    "limit.nofile",
    "limit.stack",
    "link.ber",
    "link.discards",
    "link.flaps",
    "link.pause",
    "link.pause-priority",
    "log.kernel",
    "logind.remove-ipc",
    "memory.edac",
    "memory.numa-balancing",
    "name.fqdn",
    "name.lookup-ms",
    "name.own",
    "name.unique",
    "nccl.interface",
    "nccl.turned-off",
    "nccl.variable",
    "nccl.version",
    "network.address",
    "numa.known",
    "path.acs",
    "path.acs-root-port",
    "pci.aer",
    "pci.gone",
    "pci.max-payload",
    "pci.relaxed-ordering",
    "pci.sriov",
    "pci.uplink",
    "peer.gid-index",
    "peer.name",
    "peer.path-mtu",
    "peer.port",
    "probe.answers",
    "profile.matches",
    "profile.setting",
    "rdma.ceiling",
    "rdma.firmware",
    "rdma.interface",
    "rdma.link-layers",
    "rdma.nodes",
    "rdma.ofed",
    "rdma.port",
    "rdma.rate",
    "rdma.rate-card",
    "rendezvous.host",
    "rendezvous.port",
    "roce.gid",
    "roce.mtu",
    "shm.leftovers",
    "shm.size",
    "storage.root",
    "storage.space",
    "time.sync",
    "torch.cuda",
    "torch.driver",
});

}  // namespace

bool is_observable(std::string_view what) {
  return std::ranges::find(facts::kObservable, what) != facts::kObservable.end() ||
         std::ranges::binary_search(kDoctors, what);
}

std::vector<std::string> all_observable() {
  std::vector<std::string> all(facts::kObservable.begin(), facts::kObservable.end());
  all.insert(all.end(), kDoctors.begin(), kDoctors.end());
  std::ranges::sort(all);
  return all;
}

}  // namespace nettune::checks
