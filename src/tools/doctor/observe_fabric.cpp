// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kGpuFabricManager =
    observable("gpu.fabric-manager", "active|inactive|absent|mismatch");
const Observable kGpuFabricModules = observable("gpu.fabric-modules");
const Observable kGpuImex = observable("gpu.imex", "active|inactive|absent");
const Observable kGpuNvlsm = observable("gpu.nvlsm", "active|inactive|absent");

/// The NVLink switches of a node: functions of their own on the PCI bus until the third generation;
/// of the fourth one, only InfiniBand functions that manage them.
struct Switches {
  std::ptrdiff_t on_bus = 0;
  std::vector<std::string> management;  ///< RDMA devices
  bool rack = false;                    ///< the GPUs' switches are outside this node
};

Switches switches_of(const Machine& machine) {
  Switches found;
  if (machine.pci) found.on_bus = std::ranges::count_if(*machine.pci, &PciFunction::is_nvswitch);
  for (const facts::RdmaDevice& device : machine.facts.rdma)
    if (machine.manages_switches(device)) found.management.push_back(device.name);
  if (machine.nvidia.gpus && found.on_bus == 0 && found.management.empty())
    for (const GpuState& gpu : *machine.nvidia.gpus)
      found.rack = found.rack || gpu.name.find("GB200") != std::string::npos ||
                   gpu.name.find("GB300") != std::string::npos;
  return found;
}

class Fabric {
 public:
  Fabric(const Machine& machine, Sightings& out)
      : machine_(machine), nvidia_(machine.nvidia), out_(out), switches_(switches_of(machine)) {}

  void observe() {
    const bool managed = !switches_.management.empty();
    if (!machine_.pci) {
      for (const Observable& what : {kGpuFabricManager, kGpuNvlsm, kGpuFabricModules})
        out_.gap(what, "", unknown("it is not known whether there are NVSwitches"));
    } else {
      service(kGpuFabricManager, "nvidia-fabricmanager", nvidia_.fabric_manager,
              switches_.on_bus > 0 || managed,
              "there is no NVSwitch here, so no fabric manager is needed");
      service(kGpuNvlsm, "nvlsm", nvidia_.nvlsm, managed,
              "no NVSwitch here has a subnet manager of its own");
      modules(managed);
    }
    if (!nvidia_.gpus)
      out_.gap(kGpuImex, "", nvidia_.gpus.gap);
    else
      service(kGpuImex, "nvidia-imex", nvidia_.imex, switches_.rack,
              "the NVLinks of these GPUs do not leave the node");
  }

 private:
  std::string version(const std::string& name) const {
    if (!nvidia_.packages) return "";
    const auto found = nvidia_.packages->find(name);
    return found == nvidia_.packages->end() ? "" : found->second;
  }

  void service(const Observable& what, const std::string& name, const Known<ServiceState>& state,
               bool needed, const char* why_not) {
    const std::string its = version(name);
    const std::string named = its.empty() ? name : cat(name, " ", its);
    if (!needed)
      out_.gap(what, "",
               machine_.knows_functions() ? not_applicable(why_not)
                                          : unknown("it is not known what every PCI function is"));
    else if (!state)
      out_.gap(what, "", state.gap);
    else if (*state != ServiceState::active && !machine_.facts.node.container.empty())
      out_.gap(what, "", not_applicable("it runs on the host, where this container cannot see it"));
    else if (*state != ServiceState::active)
      out_.add(what, "", std::string(kServiceStates.word(*state)),
               cat(named, " is ", kServiceStates.word(*state),
                   switches_.on_bus > 0 ? cat(", and there are ", switches_.on_bus, " NVSwitches")
                                        : ""));
    else if (name == "nvidia-fabricmanager" && !its.empty() && nvidia_.module_version &&
             its != *nvidia_.module_version)
      out_.add(what, "", "mismatch", cat(named, ", but the driver is ", *nvidia_.module_version));
    else
      out_.add(what, "", "active", cat(named, " is running"));
  }

  void modules(bool managed) {
    const auto& missing = nvidia_.fabric_modules_missing;
    if (!managed)
      out_.gap(kGpuFabricModules, "",
               not_applicable("no NVSwitch here is managed over InfiniBand"));
    else if (!missing)
      out_.gap(kGpuFabricModules, "", missing.gap);
    else if (!missing->empty())
      out_.add(kGpuFabricModules, "", "missing", cat(join(*missing, " and "), ": not loaded"));
    else
      out_.add(kGpuFabricModules, "", "loaded",
               cat("ib_umad and mlx5_ib are loaded; ", join(switches_.management, ", "),
                   " manage NVSwitches"));
  }

  const Machine& machine_;
  const Nvidia& nvidia_;
  Sightings& out_;
  Switches switches_;
};

}  // namespace

void observe_fabric_services(const Machine& machine, Sightings& out) {
  if (nvidia_gpus(machine).empty()) {
    for (const Observable& what : {kGpuFabricManager, kGpuNvlsm, kGpuFabricModules, kGpuImex})
      out.gap(what, "", gap_without_gpu(machine));
    return;
  }
  Fabric(machine, out).observe();
  for (const facts::RdmaDevice& device : machine.facts.rdma)
    if (machine.manages_switches(device))
      for (const facts::RdmaPort& port : device.ports)
        out.gap(kRdmaPort, cat(device.name, "/", port.number),
                not_applicable("it manages NVSwitches and is not a network port"));
}

}  // namespace nettune::tools::doctor
