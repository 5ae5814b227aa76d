// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// "550.54.14": two or three numbers with dots.
bool is_version(std::string_view word) {
  const auto parts = split(word, '.');
  return parts.size() >= 2 && parts.size() <= 3 &&
         std::ranges::all_of(parts,
                             [](std::string_view part) { return parse_int(part).has_value(); });
}

/// NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  ...
/// NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  ...
void read_module(const Place& place, Nvidia& nvidia) {
  if (const auto line = place.root.line("proc/driver/nvidia/version")) {
    nvidia.open_module = line->find("Open Kernel Module") != std::string::npos;
    for (const std::string_view word : words(*line))
      if (is_version(word)) {
        nvidia.module_version = std::string(word);
        return;
      }
  }
  if (const auto version = place.root.line("sys/module/nvidia/version"))
    nvidia.module_version = *version;
  else if ((nvidia.module_is_absent = place.root.exists("sys/module")))
    nvidia.module_version = unknown("no nvidia module is loaded");
  else
    nvidia.module_version = unknown("the recording does not contain /sys/module");
}

/// libnvidia-ml.so.1 is a link to a file with the version in its name.
Known<std::string> library_version(const Directory& root) {
  constexpr std::string_view kStem = "libnvidia-ml.so.";
  constexpr auto kDirectories = std::to_array<const char*>(
      {"usr/lib/x86_64-linux-gnu/nvidia/current", "usr/lib/x86_64-linux-gnu", "usr/lib64",
       "usr/lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu/nvidia/current"});
  std::vector<std::string> found;
  for (const char* const directory : kDirectories)
    for (const std::string& name : root.list(directory)) {
      if (!name.starts_with(kStem)) continue;
      std::string version = name.substr(kStem.size());
      if (is_version(version) && std::ranges::find(found, version) == found.end())
        found.push_back(std::move(version));
    }
  if (found.empty()) return unknown("libnvidia-ml.so.1 was not found");
  if (found.size() > 1) return unknown(cat("there are several: ", join(found, ", ")));
  return found.front();
}

Known<bool> module_for_kernel(const Directory& root, const std::string& kernel) {
  const std::string directory = cat("lib/modules/", kernel);
  constexpr std::size_t kLargest = std::size_t{16} << 20;
  if (kernel.empty() || !root.exists(directory))
    return unknown("the running kernel's modules are not installed");
  const auto list = root.read(directory + "/modules.dep", kLargest);
  if (!list) return unknown("modules.dep of the running kernel could not be read");
  return list->find("/nvidia.ko") != std::string::npos ||
         list->find("/nvidia-current.ko") != std::string::npos;
}

void read_device_nodes(const Place& place, Nvidia& nvidia) {
  if (!place.live) {
    nvidia.device_nodes = recorded_nodes(place.root, "/dev/nvidia");
    return;
  }
  std::vector<std::string> paths = {"/dev/nvidiactl", "/dev/nvidia-uvm"};
  for (const std::string& gpu : place.root.list("proc/driver/nvidia/gpus")) {
    const auto text = place.root.read(cat("proc/driver/nvidia/gpus/", gpu, "/information"), 65536);
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n'))
      if (line.starts_with("Device Minor:"))
        paths.push_back(cat("/dev/nvidia", trim(line.substr(line.find(':') + 1))));
  }
  for (const std::string& path : paths) nvidia.device_nodes[path] = state_of_node(path);
}

}  // namespace

DeviceNodes recorded_nodes(const Directory& root, std::string_view stem) {
  DeviceNodes nodes;
  const auto text = root.read("nettune/nodes", std::size_t{1} << 20);
  if (!text) return nodes;
  for (const std::string_view line : split(*text, '\n')) {
    const auto fields = words(line);
    if (fields.size() != 2 || !fields[0].starts_with(stem)) continue;
    if (const auto state = kNodeStates.value(fields[1])) nodes[std::string(fields[0])] = *state;
  }
  return nodes;
}

NodeState state_of_node(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return NodeState::missing;
  return ::access(path.c_str(), R_OK | W_OK) == 0 ? NodeState::usable : NodeState::closed;
}

void read_nvidia(const Place& place, Machine& machine) {
  Nvidia& nvidia = machine.nvidia;
  read_module(place, nvidia);
  nvidia.library_version = library_version(place.root);
  if (machine.pci)
    nvidia.nouveau = std::ranges::any_of(*machine.pci, [](const PciFunction& function) {
      return function.is_nvidia_gpu() && function.driver == "nouveau";
    });
  if (!nvidia.module_version)
    nvidia.module_for_kernel = module_for_kernel(place.root, machine.facts.node.kernel);
  // Only a node with GPUs needs them.
  if (nvidia.module_version) read_device_nodes(place, nvidia);
}

}  // namespace nettune::tools::doctor::probe
