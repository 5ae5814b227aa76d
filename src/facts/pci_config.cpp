// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <linux/pci_regs.h>

#include "facts/observe_parts.hpp"
#include "kernel/pci.hpp"

namespace nettune::facts {
namespace {

/// False for a root port: traffic between root ports passes the root complex in any case.
bool is_switch_port(const PciConfig& config) {
  // NOLINTNEXTLINE(misc-redundant-expression): 5 and 6, which clang-tidy 14 takes for the same.
  return config.port_type == PCI_EXP_TYPE_UPSTREAM || config.port_type == PCI_EXP_TYPE_DOWNSTREAM;
}

}  // namespace

PciConfig parse_pci_config(std::string_view bytes) {
  const kernel::PciSpace config(bytes);
  PciConfig found;
  found.is_silent = config.is_silent();
  if (found.is_silent) return found;
  const std::size_t express = config.capability(PCI_CAP_ID_EXP);
  if (express != 0) {
    const auto control = config.get(express + PCI_EXP_DEVCTL, 2);
    // 128 bytes, doubled this many times (PCI Express Base Specification, 7.5.3.4).
    if (control) {
      found.max_read_request = 128 << (*control >> 12 & 7U);
      found.max_payload = 128 << (*control >> 5 & 7U);
      found.relaxed_ordering = (*control & PCI_EXP_DEVCTL_RELAX_EN) != 0;
    }
    const auto flags = config.get(express + PCI_EXP_FLAGS, 2);
    if (flags) found.port_type = static_cast<int>(*flags >> 4 & 0xfU);
  }
  if (config.size() <= kernel::PciSpace::kConventional) return found;
  found.acs = 0;
  if (const std::size_t acs = config.extended(PCI_EXT_CAP_ID_ACS))
    if (const auto control = config.get(acs + PCI_ACS_CTRL, 2))
      found.acs = static_cast<int>(*control);
  found.redirects = is_switch_port(found) && (*found.acs & PCI_ACS_RR) != 0;
  return found;
}

}  // namespace nettune::facts
