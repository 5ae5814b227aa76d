// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kGpuCount = observable("gpu.count");
const Observable kGpuDeviceNodes =
    observable("gpu.device-nodes", "usable|missing|closed|not given");
const Observable kGpuDriver = observable("gpu.driver", "loaded|absent|nouveau|mismatch");
const Observable kGpuModule = observable("gpu.module");

void observe_loaded(const Nvidia& nvidia, Sightings& out) {
  if (nvidia.nouveau) {
    out.add(kGpuDriver, "", "nouveau",
            "the nouveau module drives the GPUs, and CUDA cannot use it");
    return;
  }
  if (!nvidia.module_version) {
    if (nvidia.module_is_absent)
      out.add(kGpuDriver, "", "absent", "no nvidia module is loaded");
    else
      out.gap(kGpuDriver, "", nvidia.module_version.gap);
    return;
  }
  const std::string& module = *nvidia.module_version;
  const bool differs = nvidia.library_version && *nvidia.library_version != module;
  if (differs || nvidia.nvml_error.find("version mismatch") != std::string::npos)
    out.add(kGpuDriver, "", "mismatch",
            cat("the nvidia module is ", module, ", its library ",
                nvidia.library_version ? *nvidia.library_version : "another version"));
  else
    out.add(kGpuDriver, "", "loaded", cat("the nvidia module ", module, " is loaded"));
}

void observe_module(const Machine& machine, Sightings& out) {
  const Nvidia& nvidia = machine.nvidia;
  if (nvidia.module_version)
    out.add(kGpuModule, "", "built", "a module for the running kernel is loaded");
  else if (!nvidia.module_for_kernel)
    out.gap(kGpuModule, "", nvidia.module_for_kernel.gap);
  else
    out.add(kGpuModule, "", *nvidia.module_for_kernel ? "built" : "missing",
            *nvidia.module_for_kernel ? "a module for the running kernel is installed"
                                      : cat("no nvidia module is built for the running kernel ",
                                            machine.facts.node.kernel));
}

/// The bus, the driver and /proc should have the same number of GPUs.
void observe_count(const Machine& machine, const std::vector<std::string>& gpus, Sightings& out) {
  const Nvidia& nvidia = machine.nvidia;
  if (!nvidia.gpus) {
    out.gap(kGpuCount, "", nvidia.gpus.gap);
    return;
  }
  if (const auto owed = machine.owed.gpus; owed && std::ssize(*nvidia.gpus) < *owed) {
    out.add(kGpuCount, "", "fewer",
            cat("the driver has ", nvidia.gpus->size(), " GPUs, and ", machine.owed.by, " says ",
                *owed))
        .sureness = facts::Sureness::measured;
    return;
  }
  std::vector<std::string> lost;
  for (const GpuState& gpu : *nvidia.gpus)
    if (gpu.lost()) lost.push_back(gpu.pci_address);
  for (const std::string& address : gpus)
    if (!machine.find_gpu(address)) lost.push_back(address);
  // The driver does not have functions that were passed to guests, and a container sees only its
  // own GPUs.
  const bool in_container = !machine.facts.node.container.empty();
  std::erase_if(lost, [&](const std::string& address) {
    if (in_container && !machine.find_gpu(address)) return true;
    const PciFunction* const function = machine.find_pci(address);
    return function && function->driver.starts_with("vfio");
  });
  std::ranges::sort(lost);
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  auto& seen = out.add(kGpuCount, "", lost.empty() ? "all" : "fewer",
                       lost.empty() ? cat("the driver has all ", nvidia.gpus->size(), " GPUs")
                                    : cat("the driver has no working ", join(lost, ", ")));
  seen.concerns = lost;
  seen.sureness = facts::Sureness::measured;
}

/// "/dev/nvidia3": the node of one GPU.
bool is_node_of_gpu(std::string_view path) {
  constexpr std::string_view kStem = "/dev/nvidia";
  return path.starts_with(kStem) && parse_int(path.substr(kStem.size()));
}

}  // namespace

void observe_driver(const Machine& machine, Sightings& out) {
  const std::vector<std::string> gpus = nvidia_gpus(machine);
  if (gpus.empty() && machine.pci && machine.owed.gpus.value_or(0) > 0) {
    out.add(kGpuCount, "", "fewer",
            cat("the PCI bus shows no GPU, and ", machine.owed.by, " says ", *machine.owed.gpus));
    return;
  }
  if (gpus.empty()) {
    for (const Observable& what : {kGpuDriver, kGpuModule, kGpuCount, kGpuDeviceNodes})
      out.gap(what, "", gap_without_gpu(machine));
    return;
  }
  const bool all_given_away = std::ranges::all_of(gpus, [&](const std::string& address) {
    const PciFunction* const function = machine.find_pci(address);
    return function && function->driver.starts_with("vfio");
  });
  if (all_given_away) {
    for (const Observable& what : {kGpuDriver, kGpuModule, kGpuCount, kGpuDeviceNodes})
      out.gap(what, "", not_applicable("the GPUs are assigned to virtual machines (vfio)"));
    return;
  }
  observe_loaded(machine.nvidia, out);
  observe_module(machine, out);
  observe_count(machine, gpus, out);
  observe_node_states(machine, kGpuDeviceNodes, machine.nvidia.device_nodes, is_node_of_gpu, out);
}

}  // namespace nettune::tools::doctor
