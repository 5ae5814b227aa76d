// SPDX-License-Identifier: Apache-2.0
#include "kernel/pci.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::kernel {

namespace {

constexpr std::size_t kConfigSize = 4096;

std::string pci_path(std::string_view address) { return cat("sys/bus/pci/devices/", address); }

/// "00.0" of "0000:3a:00.0"; "" of what is no address.
std::string_view device_function(std::string_view address) {
  const bool is_address =
      std::ranges::count(address, ':') == 2 && std::ranges::all_of(address, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == ':' || c == '.';
      });
  return is_address ? address.substr(address.rfind(':') + 1) : std::string_view();
}

}  // namespace

std::optional<std::string> find_by_pci_path(const Directory& root, std::string_view path) {
  const auto parts = split(path, '/');
  if (parts.empty()) return std::nullopt;
  std::string address(parts.front());
  if (std::ranges::count(address, ':') == 1) address = cat("0000:", address);
  if (device_function(address).empty() || !root.exists(pci_path(address))) return std::nullopt;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string below;
    for (const std::string& entry : root.list(pci_path(address)))
      if (!parts[i].empty() && device_function(entry) == parts[i]) below = entry;
    if (below.empty()) return std::nullopt;
    address = below;
  }
  return address;
}

PortAcs read_port_acs(const Directory& root, const std::string& pci_address) {
  PortAcs found;
  const auto bytes = root.read(cat(pci_path(pci_address), "/config"), kConfigSize);
  if (!bytes || bytes->size() <= PciSpace::kConventional) return found;
  const PciSpace space(*bytes);
  if (space.is_silent()) return found;
  found.redirects = false;
  if (const std::size_t acs = space.extended(PCI_EXT_CAP_ID_ACS)) {
    found.has_acs = true;
    const std::uint32_t control = space.get(acs + PCI_ACS_CTRL, 2).value_or(0);
    found.redirects = (control & (PCI_ACS_RR | PCI_ACS_CR | PCI_ACS_EC)) != 0;
  }
  return found;
}

}  // namespace nettune::kernel
