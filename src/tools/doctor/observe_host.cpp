// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "facts/platform.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kBootOption = observable("boot.option");
const Observable kCpuClocksource = observable("cpu.clocksource");
const Observable kCpuGovernor = observable("cpu.governor");
const Observable kIommuMode = observable("iommu.mode");
const Observable kKernelFlavour = observable("kernel.flavour");
const Observable kMemoryEdac = observable("memory.edac");
const Observable kMemoryNumaBalancing = observable("memory.numa-balancing");
const Observable kShmLeftovers = observable("shm.leftovers");
const Observable kShmSize = observable("shm.size");
const Observable kStorageRoot = observable("storage.root");
const Observable kStorageSpace = observable("storage.space");
const Observable kTimeSync = observable("time.sync");

/// Adds a value that needs no further judgement.
void tell(const Known<std::string>& known, const Observable& what, std::string_view before,
          Sightings& out) {
  if (known)
    out.add(what, "", *known, cat(before, *known));
  else
    out.gap(what, "", known.gap);
}

bool has_work(const Machine& machine) {
  return !nvidia_gpus(machine).empty() || !rdma_cards(machine).empty();
}

void observe_kernel(const Machine& machine, Sightings& out) {
  const std::string& kernel = machine.facts.node.kernel;
  if (rdma_cards(machine).empty())
    out.gap(kKernelFlavour, "", gap_without_rdma(machine));
  else if (kernel.empty())
    out.gap(kKernelFlavour, "", unknown("the kernel release is not known"));
  else
    out.add(kKernelFlavour, "", kernel.find("-cloud-") != std::string::npos ? "cloud" : "full",
            cat("the kernel is ", kernel));
  if (!machine.command_line) {
    out.gap(kBootOption, "", machine.command_line.gap);
    return;
  }
  std::vector<std::string> useless;
  for (const std::string_view word : words(*machine.command_line)) {
    if (!word.starts_with("pci=")) continue;
    for (const std::string_view option : split(word.substr(4), ','))
      if (option == "noacs") useless.emplace_back(word);
  }
  out.add(kBootOption, "", useless.empty() ? "known" : "no-effect",
          useless.empty() ? "no kernel option without effect was found"
                          : cat(join(useless, ", "), " is not a Linux option and does nothing"));
}

void observe_iommu(const Machine& machine, Sightings& out) {
  if (nvidia_gpus(machine).empty()) {
    out.gap(kIommuMode, "", gap_without_gpu(machine));
    return;
  }
  if (machine.virtual_machine.value.value_or(false)) {
    out.gap(kIommuMode, "",
            not_applicable("the host's IOMMU does not concern this virtual machine"));
    return;
  }
  if (!machine.iommu) {
    out.gap(kIommuMode, "", machine.iommu.gap);
    return;
  }
  if (!*machine.iommu) {
    out.add(kIommuMode, "", "off", "no IOMMU is on");
    return;
  }
  std::vector<std::string> types;
  for (const auto& [type, count] : machine.iommu_groups) types.push_back(cat(count, " ", type));
  out.add(kIommuMode, "", facts::iommu_mode({*machine.iommu, machine.iommu_groups}),
          cat("an IOMMU is on (groups: ", types.empty() ? "not known" : join(types, ", "), ")"));
}

void observe_cpu(const Machine& machine, Sightings& out) {
  if (machine.governors.empty())
    out.gap(kCpuGovernor, "", not_applicable("the kernel does not scale the CPU clocks here"));
  else {
    std::vector<std::string> slow;
    for (const auto& [policy, governor] : machine.governors)
      if (governor == "powersave" || governor == "conservative" || governor == "userspace")
        slow.push_back(governor);
    std::ranges::sort(slow);
    const std::size_t count = slow.size();
    slow.erase(std::unique(slow.begin(), slow.end()), slow.end());
    out.add(kCpuGovernor, "", slow.empty() ? "fast" : "slow",
            slow.empty() ? "the CPU governor is performance, or follows the load"
                         : cat(count, " of ", machine.governors.size(),
                               " CPU clocks have the governor ", join(slow, ", ")));
  }
  tell(machine.clocksource, kCpuClocksource, "the clock source is ", out);
  if (!has_work(machine))
    out.gap(kMemoryNumaBalancing, "",
            not_applicable("there is neither a GPU nor an RDMA card here"));
  else
    tell(machine.numa_balancing, kMemoryNumaBalancing, "kernel.numa_balancing is ", out);
  tell(machine.time_sync, kTimeSync, "the clock is ", out);
}

void observe_memory_errors(const Machine& machine, Sightings& out) {
  if (!machine.edac) {
    out.gap(kMemoryEdac, "", machine.edac.gap);
    return;
  }
  const auto [corrected, uncorrected] = *machine.edac;
  out.add(kMemoryEdac, "", std::to_string(uncorrected),
          cat(uncorrected, " uncorrectable and ", corrected,
              " corrected memory errors since boot (EDAC)"));
}

void observe_storage(const Machine& machine, Sightings& out) {
  constexpr std::uint64_t kGib = std::uint64_t{1} << 30;
  for (const Known<FileSystem>& known : machine.file_systems) {
    if (!known) {
      out.gap(kStorageSpace, "", known.gap);
      continue;
    }
    const FileSystem& system = *known;
    // An image that is mounted read-only has no free block by design.
    if (system.path == "/" && machine.root_is_read_only.value.value_or(false)) {
      out.gap(kStorageSpace, system.path, not_applicable("it is read-only"));
      continue;
    }
    const bool low = system.free < kGib || system.free * 20 < system.size ||
                     (system.inodes > 0 && system.free_inodes * 50 < system.inodes);
    // Some file systems have no fixed number of inodes and report 0 of 0.
    const bool no_inode = system.inodes > 0 && system.free_inodes == 0;
    const bool is_full = (system.free < kGib / 8 && system.free * 20 < system.size) || no_inode;
    if (is_full && system.path == "/" && !machine.root_is_read_only) {
      out.gap(kStorageSpace, system.path,
              unknown("it is full; whether it is a read-only image is not known"));
      continue;
    }
    out.add(kStorageSpace, system.path,
            is_full ? "full"
            : low   ? "low"
                    : "enough",
            cat(system.free >> 20, " MiB of ", system.size >> 20, " MiB are free",
                no_inode ? ", but no inode" : ""));
  }
  if (!machine.facts.node.container.empty())
    out.gap(kStorageRoot, "",
            not_applicable("a container may have a read-only root file system by its settings"));
  else if (machine.root_is_read_only)
    out.add(kStorageRoot, "", *machine.root_is_read_only ? "read-only" : "writable",
            cat("the root file system is ", *machine.root_is_read_only ? "read-only" : "writable"));
  else
    out.gap(kStorageRoot, "", machine.root_is_read_only.gap);
}

void observe_shm(const Machine& machine, Sightings& out) {
  if (has_no_gpu(machine))
    out.gap(kShmSize, "", gap_without_gpu(machine));
  else if (!machine.shm)
    out.gap(kShmSize, "", machine.shm.gap);
  else
    out.add(kShmSize, "", std::to_string(machine.shm->free >> 20),
            cat("/dev/shm has ", machine.shm->free >> 20, " MiB free of ", machine.shm->size >> 20,
                " MiB"))
        .sureness = facts::Sureness::measured;
  if (!machine.shm && machine.shm_leftovers.empty()) {
    out.gap(kShmLeftovers, "", machine.shm.gap);
    return;
  }
  out.add(
      kShmLeftovers, "", std::to_string(machine.shm_leftovers.size()),
      machine.shm_leftovers.empty()
          ? "no NCCL segments are left over"
          : cat(machine.shm_leftovers.size(), " NCCL segments that no process has open (",
                machine.shm_leftovers.front(), machine.shm_leftovers.size() > 1 ? ", ...)" : ")"));
}

}  // namespace

void observe_host(const Machine& machine, Sightings& out) {
  observe_kernel(machine, out);
  observe_iommu(machine, out);
  observe_cpu(machine, out);
  observe_memory_errors(machine, out);
  observe_storage(machine, out);
  observe_shm(machine, out);
}

}  // namespace nettune::tools::doctor
