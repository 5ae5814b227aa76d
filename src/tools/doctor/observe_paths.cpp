// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/paths.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kPathAcs = observable("path.acs");
const Observable kPathAcsRootPort = observable("path.acs-root-port");

/// The devices that share a switch with a GPU, and the ports between them.
struct Neighbourhood {
  std::vector<std::string> straight;
  std::vector<std::string> redirected;
  std::vector<std::string> names;  ///< RDMA devices among them
  std::set<std::string> ports;
  std::optional<Gap> gap;
};

void add_neighbour(const Machine& machine, const std::string& gpu, const std::string& address,
                   const std::string& name, Neighbourhood& found) {
  const auto path = pci_path(machine, gpu, address);
  if (!path && path.gap.blank == facts::Blank::unknown) found.gap = path.gap;
  if (!path || path->distance > Distance::pxb) return;
  const Redirect redirect = redirect_at(path->switch_ports);
  if (redirect.gap && !redirect.on) found.gap = redirect.gap;
  (redirect.on ? found.redirected : found.straight).push_back(name);
  found.ports.insert(redirect.ports.begin(), redirect.ports.end());
}

void observe_gpu_neighbours(const Machine& machine, const std::string& gpu,
                            const std::vector<std::string>& gpus, Sightings& out) {
  const std::string name = gpu_name(gpu);
  Neighbourhood found;
  for (const facts::RdmaDevice* const card : rdma_cards(machine)) {
    const std::size_t before = found.straight.size() + found.redirected.size();
    add_neighbour(machine, gpu, card->pci_address, card->name, found);
    if (found.straight.size() + found.redirected.size() > before) found.names.push_back(card->name);
  }
  for (const std::string& other : gpus)
    if (other != gpu) add_neighbour(machine, gpu, other, gpu_name(other), found);
  facts::Observation* seen = nullptr;
  if (!found.redirected.empty())
    seen =
        &out.add(kPathAcs, name, "redirected",
                 cat("its traffic to ", join(found.redirected, ", "),
                     " is redirected to the root complex by ACS at ",
                     join(std::vector<std::string>(found.ports.begin(), found.ports.end()), ", ")));
  else if (found.gap)
    seen = &out.gap(kPathAcs, name, *found.gap);
  else if (found.straight.empty())
    seen = &out.gap(kPathAcs, name, not_applicable("no HCA or GPU shares a PCIe switch with it"));
  else
    seen = &out.add(kPathAcs, name, "straight",
                    cat("it reaches ", join(found.straight, ", "), " directly through the switch"));
  seen->concerns = found.names;
  seen->concerns.push_back(gpu);
}

/// Why GPUs below different root ports do not write to each other's memory here; "" if they may.
std::string no_peer_traffic(const Machine& machine) {
  const auto set = [&](const char* name) {
    const auto found = machine.environment.find(name);
    return found == machine.environment.end() ? std::string() : found->second;
  };
  if (set("NCCL_P2P_DISABLE") == "1") return "NCCL_P2P_DISABLE=1 turns peer-to-peer traffic off";
  const std::string level = set("NCCL_P2P_LEVEL");
  for (const std::string_view near : {"LOC", "NVL", "PIX", "PXB"})
    if (level == near) return cat("NCCL_P2P_LEVEL=", level, " keeps it below one switch");
  // The driver offers no peer-to-peer access over PCIe between them.
  const auto has_none = [](const GpuState& gpu) {
    return std::ranges::any_of(
        std::array{"GeForce RTX 30", "GeForce RTX 40", "GeForce RTX 50"},
        [&](std::string_view series) { return gpu.name.find(series) != std::string::npos; });
  };
  if (machine.nvidia.gpus && !machine.nvidia.gpus->empty() &&
      std::ranges::all_of(*machine.nvidia.gpus, has_none))
    return "GeForce GPUs have no peer-to-peer access over PCIe";
  return {};
}

/// GPUs below different root ports: with ACS redirect on these and an IOMMU, traffic between them
/// may hang. GPUs that NVLink connects do not use this path.
void observe_root_ports(const Machine& machine, const std::vector<std::string>& gpus,
                        Sightings& out) {
  std::vector<const PciFunction*> ports;
  for (const std::string& gpu : gpus) {
    const GpuState* const state = machine.find_gpu(gpu);
    if (state && state->nvlinks_up.value_or(0) > 0) {
      out.gap(kPathAcsRootPort, "", not_applicable("NVLink connects the GPUs"));
      return;
    }
    const PciFunction* const function = machine.find_pci(gpu);
    if (!function) continue;
    const auto bridges = machine.above(*function);
    if (!bridges.empty() && std::ranges::find(ports, bridges.back()) == ports.end())
      ports.push_back(bridges.back());
  }
  if (ports.size() < 2) {
    out.gap(kPathAcsRootPort, "", not_applicable("no two GPUs are below different root ports"));
    return;
  }
  if (const std::string why = no_peer_traffic(machine); !why.empty()) {
    out.gap(kPathAcsRootPort, "", not_applicable(why));
    return;
  }
  const Redirect redirect = redirect_at(ports);
  if (redirect.on && machine.iommu && !*machine.iommu) {
    out.gap(kPathAcsRootPort, "", not_applicable("no IOMMU is on for ACS to redirect to"));
  } else if (redirect.on) {
    facts::Observation& seen =
        out.add(kPathAcsRootPort, "", "redirected",
                cat("the GPUs reach each other through root ports with ACS redirect: ",
                    join(redirect.ports, ", ")));
    seen.sureness = facts::Sureness::inferred;
    for (const PciFunction* const port : ports)
      if (redirect_at({port}).on) seen.concerns.push_back(port->address);
  } else if (redirect.gap) {
    out.gap(kPathAcsRootPort, "", *redirect.gap);
  } else {
    out.add(kPathAcsRootPort, "", "straight", "no root port between the GPUs redirects");
  }
}

}  // namespace

void observe_paths(const Machine& machine, Sightings& out) {
  const std::vector<std::string> gpus = nvidia_gpus(machine);
  std::optional<Gap> gap;
  if (!machine.pci) gap = machine.pci.gap;
  if (machine.virtual_machine.value.value_or(false))
    gap = not_applicable(
        "a virtual machine's PCI topology is not real, and its hypervisor needs ACS");
  if (gpus.empty()) gap = gap_without_gpu(machine);
  if (gap) {
    out.gap(kPathAcs, "", *gap);
    out.gap(kPathAcsRootPort, "", *gap);
    return;
  }
  for (const std::string& gpu : gpus) observe_gpu_neighbours(machine, gpu, gpus, out);
  observe_root_ports(machine, gpus, out);
}

}  // namespace nettune::tools::doctor
