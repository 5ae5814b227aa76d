// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr const char* kRecorded = "switches";

/// "0000:d2:00." of "0000:d2:00.1".
std::string slot_of(const std::string& address) {
  return address.substr(0, address.rfind('.') + 1);
}

/// A card with more physical InfiniBand functions than a ConnectX-7 has ports: on a board with
/// NVSwitches of the fourth generation, that is how the functions look that manage them.
bool looks_like_management(const Machine& machine, const facts::RdmaDevice& device) {
  const std::string slot = slot_of(device.pci_address);
  constexpr std::ptrdiff_t kPorts = 2;
  return std::ranges::count_if(machine.facts.rdma, [&](const facts::RdmaDevice& other) {
           return other.pci_id == "15b3:1021" && !other.virtual_function &&
                  other.pci_address.starts_with(slot) && !other.ports.empty() &&
                  other.ports[0].link_layer == "InfiniBand";
         }) > kPorts;
}

/// Marks the functions whose vital product data have the field SMDL=SW_MNG (NVIDIA, HGX integration
/// guide 19.0, 2.5.2). Only root can read these; a recording has the result.
void find_management(const Place& place, Machine& machine) {
  const auto recorded = place.root.read(cat("nettune/", kRecorded), 65536);
  constexpr std::size_t kLargest = 32768;
  std::string found;
  for (const facts::RdmaDevice& device : machine.facts.rdma) {
    if (device.virtual_function || !device.pci_id.starts_with("15b3:") ||
        device.pci_address.empty() || device.ports.empty() ||
        device.ports[0].link_layer != "InfiniBand")
      continue;
    const auto function =
        std::ranges::find(*machine.pci.value, device.pci_address, &PciFunction::address);
    if (function == machine.pci->end()) continue;
    const auto data =
        place.root.read(cat("sys/bus/pci/devices/", device.pci_address, "/vpd"), kLargest);
    if (recorded)
      function->manages_switch = recorded->find(device.pci_address + "\n") != std::string::npos;
    else
      function->manages_switch =
          data ? data->find("SW_MNG") != std::string::npos : looks_like_management(machine, device);
    if (function->manages_switch) found += device.pci_address + "\n";
  }
  if (place.live) machine.answers[kRecorded] = found;
}

std::set<std::string> processes(const Directory& root) {
  std::set<std::string> names;
  for (const std::string& entry : root.list("proc"))
    if (entry.find_first_not_of("0123456789") == std::string::npos)
      names.insert(root.line(cat("proc/", entry, "/comm")).value_or(""));
  return names;
}

/// Installed packages of the fabric with their versions: "nvidia-fabricmanager" of
/// nvidia-fabricmanager-570, "570.86.15" of 570.86.15-1.
std::map<std::string, std::string> packages(const std::string& status) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"nvidia-fabricmanager", "nvidia-imex", "nvlsm"});
  std::map<std::string, std::string> found;
  std::string name;
  bool installed = false;
  for (const std::string_view line : split(status, '\n')) {
    if (line.starts_with("Package: ")) {
      const std::string_view package = line.substr(9);
      name.clear();
      installed = false;
      for (const std::string_view one : kNames)
        if (package == one ||
            (package.starts_with(cat(one, "-")) && parse_int(package.substr(one.size() + 1))))
          name = std::string(one);
    }
    if (line.starts_with("Status: ")) installed = line.ends_with(" installed");
    if (!line.starts_with("Version: ") || name.empty() || !installed) continue;
    std::string_view version = line.substr(9);
    version = version.substr(version.find(':') + 1);  // npos + 1 is 0
    found[name] = std::string(version.substr(0, version.find('-')));
  }
  return found;
}

}  // namespace

void read_fabric(const Place& place, Machine& machine) {
  Nvidia& nvidia = machine.nvidia;
  if (machine.pci) find_management(place, machine);
  if (place.root.exists("proc/1")) {
    const std::set<std::string> running = processes(place.root);
    // A name of a process has at most 15 characters.
    const auto state = [&](const std::string& process,
                           const std::string& service) -> Known<ServiceState> {
      if (running.contains(process)) return ServiceState::active;
      if (!place.live) return unknown("a recording does not show every process");
      const auto& services = machine.facts.services;
      const bool has = std::ranges::find(services, service) != services.end();
      return has || place.root.exists(cat("opt/nvidia/", service, "/sbin/", service))
                 ? ServiceState::inactive
                 : ServiceState::absent;
    };
    nvidia.fabric_manager = state("nv-fabricmanage", "nvidia-fabricmanager");
    nvidia.nvlsm = state("nvlsm", "nvlsm");
    nvidia.imex = state("nvidia-imex", "nvidia-imex");
  } else {
    nvidia.fabric_manager = nvidia.nvlsm = nvidia.imex = unknown("the recording has no processes");
  }
  if (place.root.exists("sys/module")) {
    std::vector<std::string> missing;
    for (const char* const module : {"ib_umad", "mlx5_ib"})
      if (!place.root.exists(cat("sys/module/", module))) missing.emplace_back(module);
    if (place.live || missing.empty())
      nvidia.fabric_modules_missing = std::move(missing);
    else
      nvidia.fabric_modules_missing = unknown("a recording does not show every module");
  } else {
    nvidia.fabric_modules_missing = unknown("the recording does not contain /sys/module");
  }
  if (nvidia_gpus(machine).empty()) return;
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  if (const auto status = place.root.read("var/lib/dpkg/status", kLargest))
    nvidia.packages = packages(*status);
  else
    nvidia.packages = unknown("the package manager's list could not be read");
}

}  // namespace nettune::tools::doctor::probe
