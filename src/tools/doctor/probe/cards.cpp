// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "facts/platform.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// Only a module that is not part of the kernel has a version (OFED, DOCA).
Known<std::string> read_ofed(const Directory& root) {
  if (!root.exists("sys/module/mlx5_core"))
    return root.exists("sys/module") ? not_applicable("mlx5_core is not loaded")
                                     : unknown("the recording does not contain /sys/module");
  const auto version = facts::driver_version(root, "mlx5_core");
  if (!version || *version == facts::kOwnDriver)
    return not_applicable("mlx5_core is the kernel's own");
  return *version;
}

/// "802.3ad" of "802.3ad 4".
std::string first_word(const std::string& line) { return line.substr(0, line.find(' ')); }

void read_bonds(const Directory& root, Machine& machine) {
  for (const facts::NetDevice& device : machine.facts.net) {
    const std::string path = cat("sys/class/net/", device.name, "/bonding");
    if (!root.exists(path)) continue;
    Bond bond;
    bond.name = device.name;
    bond.mode = first_word(root.line(path + "/mode").value_or(""));
    bond.hash = first_word(root.line(path + "/xmit_hash_policy").value_or(""));
    const std::string members = root.line(path + "/slaves").value_or("");
    bool has_rdma = !device.rdma_devices.empty();
    for (const std::string_view name : words(members)) {
      bond.members.emplace_back(name);
      const facts::NetDevice* const member = machine.facts.find_net(bond.members.back());
      has_rdma = has_rdma || (member && !member->rdma_devices.empty());
      if (root.line(cat("sys/class/net/", name, "/bonding_slave/mii_status")).value_or("up") !=
          "up")
        bond.down.emplace_back(name);
    }
    if (has_rdma) machine.bonds.push_back(std::move(bond));
  }
}

/// "GPU Firmware: 550.54.15" of each GPU; "N/A" without a GSP.
void read_gsp(const Directory& root, Nvidia& nvidia) {
  constexpr std::size_t kLargest = 65536;
  for (const std::string& gpu : root.list("proc/driver/nvidia/gpus")) {
    const auto text = root.read(cat("proc/driver/nvidia/gpus/", gpu, "/information"), kLargest);
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n'))
      if (line.starts_with("GPU Firmware:"))
        nvidia.gsp[gpu] = std::string(trim(line.substr(line.find(':') + 1)));
  }
}

}  // namespace

void read_cards(const Place& place, Machine& machine) {
  machine.ofed = read_ofed(place.root);
  read_bonds(place.root, machine);
  read_gsp(place.root, machine.nvidia);
}

}  // namespace nettune::tools::doctor::probe
