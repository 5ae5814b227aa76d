// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/machine.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace nettune::tools::doctor {

std::string link_text(const PciLink& link) {
  return cat(link.speed_tenths / 10, '.', link.speed_tenths % 10, " GT/s x", link.lanes);
}

bool PciFunction::is_nvidia_gpu() const {
  return id.starts_with("10de:") && (klass.starts_with("0x0300") || klass.starts_with("0x0302"));
}

/// NVIDIA's device ids: GA100 begins at 20b0, the other Ampere GPUs and all later ones at 2200;
/// Turing ends with 21ff (https://pci-ids.ucw.cz/read/PC/10de).
bool PciFunction::has_resizable_bar() const {
  if (!is_nvidia_gpu()) return false;
  const std::string_view device = std::string_view(id).substr(5);
  return resizable_bar || device >= "2200" || (device >= "20b0" && device <= "20ff");
}

/// An NVSwitch is a bridge of class "other" (0680) by NVIDIA: nvlink_nvswitch_pci_table of the open
/// modules matches vendor and class.
bool PciFunction::is_nvswitch() const {
  return id.starts_with("10de:") && klass.starts_with("0x0680");
}

std::string kernel_address(std::string_view address) {
  std::string small = lower(address);
  if (small.find(':') == 8 && small.starts_with("0000")) small.erase(0, 4);
  return small;
}

const PciFunction* Machine::find_pci(const std::string& address) const {
  if (!pci) return nullptr;
  const auto found = std::ranges::find(*pci, address, &PciFunction::address);
  return found == pci->end() ? nullptr : &*found;
}

const GpuState* Machine::find_gpu(const std::string& address) const {
  if (!nvidia.gpus) return nullptr;
  const auto found = std::ranges::find(*nvidia.gpus, address, &GpuState::pci_address);
  return found == nvidia.gpus->end() ? nullptr : &*found;
}

bool Machine::knows_path(const PciFunction& function) const {
  const auto bridges = above(function);
  const PciFunction& top = bridges.empty() ? function : *bridges.back();
  return top.parent.empty() && std::ranges::all_of(bridges, &PciFunction::parent_known) &&
         function.parent_known;
}

bool Machine::knows_functions() const {
  return pci && std::ranges::none_of(*pci, [](const PciFunction& function) {
           return function.id.empty() || function.klass.empty();
         });
}

bool Machine::manages_switches(const facts::RdmaDevice& device) const {
  const std::string slot = device.pci_address.substr(0, device.pci_address.rfind('.') + 1);
  return pci && !slot.empty() && std::ranges::any_of(*pci, [&](const PciFunction& function) {
           return function.manages_switch && function.address.starts_with(slot);
         });
}

std::vector<const PciFunction*> Machine::above(const PciFunction& function) const {
  std::vector<const PciFunction*> bridges;
  // This also ends a loop in a broken tree.
  constexpr std::size_t kDeepest = 32;
  const PciFunction* at = find_pci(function.parent);
  while (at && bridges.size() < kDeepest) {
    bridges.push_back(at);
    at = find_pci(at->parent);
  }
  return bridges;
}

}  // namespace nettune::tools::doctor
