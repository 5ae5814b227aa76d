// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace nettune::doctor {

bool PciFunction::is_nvidia_gpu() const {
  return id.starts_with("10de:") && (klass.starts_with("0x0300") || klass.starts_with("0x0302"));
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

}  // namespace nettune::doctor
